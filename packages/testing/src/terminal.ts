// A program in a real terminal: it runs on a pty, and what it writes is drawn on a screen that tests can look at.

import { readdir, readFile } from "node:fs/promises";
import { type MarkedProcesses, markedProcesses } from "./marked-processes.ts";
import { lastOutput } from "./owned-process.ts";
import { encodeKey } from "./terminal/keys.ts";
import { createScreen, type Screen, type ScreenCell, type ScreenPosition } from "./terminal/screen.ts";

export interface TerminalOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Text that is to appear on the screen, or anything else that can be seen there. */
type Condition = string | RegExp | ((terminal: Terminal) => boolean);

export interface Ended {
  /** 128 + signal number if a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
}

/** What the screen says about itself. */
type ScreenState = Pick<
  Screen,
  "cols" | "rows" | "cursor" | "title" | "isAlternate" | "isCursorShown" | "isInFrame" | "isMouseReported"
>;

export interface Terminal extends ScreenState, AsyncDisposable {
  readonly pid: number;
  /** Everything that was written, escape sequences and all. */
  readonly output: string;
  /** Resolves when the program has ended and its last output is on the screen. */
  readonly exit: Promise<Ended>;
  /** The rows from top to bottom, without the spaces at their ends. */
  screen(): string[];
  /** The same with everything that has scrolled away at the top. */
  history(): string[];
  cell(x: number, y: number): ScreenCell;
  /** Where the text begins, if it is on one row of the screen. */
  find(text: string): ScreenPosition | undefined;
  /** A drawing of the screen with its frame. */
  snapshot(): string;
  type(text: string): void;
  /** As a terminal does it: marked as pasted if the program asked for that. */
  paste(text: string): void;
  /** `enter`, `up`, `ctrl+c`, `alt+left`, `shift+tab`, `a`, … one after the other. */
  press(...keys: string[]): void;
  resize(cols: number, rows: number): void;
  /**
   * Looks after every piece of output. Rejects, with the last screen, when the program ends or at the deadline, which is
   * by default a minute: long enough for a busy machine, and before that of a test, so that the screen is shown.
   */
  waitFor(condition: Condition, options?: { readonly deadline?: number }): Promise<void>;
}

/**
 * Starts a program in a terminal. Leaving the scope ends it, with everything it started (on Linux; elsewhere with
 * its process group).
 *
 * @example
 * await using shell = await terminal(["sh"], { cols: 40, rows: 10 });
 * shell.type("echo hello\r");
 * await shell.waitFor(/^hello$/m);
 */
export async function terminal(command: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const { cols = 80, rows = 24 } = options;
  const processes = await markedProcesses();
  const program = await startOrEnd(command, { ...options, cols, rows }, processes);
  const { screen, pty } = program;

  const self: Terminal = {
    pid: program.pid,
    exit: program.exit,
    get cols() {
      return screen.cols;
    },
    get rows() {
      return screen.rows;
    },
    get cursor() {
      return screen.cursor;
    },
    get title() {
      return screen.title;
    },
    get isAlternate() {
      return screen.isAlternate;
    },
    get isCursorShown() {
      return screen.isCursorShown;
    },
    get isInFrame() {
      return screen.isInFrame;
    },
    get isMouseReported() {
      return screen.isMouseReported;
    },
    get output() {
      return program.output();
    },
    screen: () => screen.lines(),
    history: () => screen.history(),
    cell: (x, y) => screen.cell(x, y),
    find: (text) => screen.find(text),
    snapshot: () => screen.draw(),
    type: (text) => void pty.write(text),
    paste: (text) => void pty.write(screen.isBracketedPaste ? `\x1b[200~${text}\x1b[201~` : text),
    press: (...keys) => {
      // All at once: in a gap between two keys, a program may draw something that takes the next one.
      pty.write(keys.map((key) => encodeKey(key, screen.keyModes)).join(""));
    },
    resize: (newCols, newRows) => {
      screen.resize(newCols, newRows);
      pty.resize(newCols, newRows);
    },
    waitFor: (condition, { deadline = 60_000 } = {}) => waitFor(self, program, condition, deadline),
    [Symbol.asyncDispose]: program.end,
  };
  return self;
}

interface Program {
  readonly pid: number;
  readonly pty: Bun.Terminal;
  readonly screen: Screen;
  readonly exit: Promise<Ended>;
  output(): string;
  /** Returns the way to stop watching. */
  onChange(listener: () => void): () => void;
  end(): Promise<void>;
}

type PtyOptions = TerminalOptions & { readonly cols: number; readonly rows: number };

/** Starts the program; if it cannot be started, its guard is ended. */
async function startOrEnd(
  command: readonly string[],
  options: PtyOptions,
  processes: MarkedProcesses,
): Promise<Program> {
  try {
    const { cols, rows } = options;
    const listeners = new Set<() => void>();
    const decoder = new TextDecoder();
    const eof = Promise.withResolvers<void>();
    let output = "";
    let drawn: Promise<void> = Promise.resolve();

    const screen = createScreen(cols, rows, (answer) => pty.closed || pty.write(answer));
    const draw = async (bytes: Uint8Array): Promise<void> => {
      output += decoder.decode(bytes, { stream: true });
      await screen.write(bytes);
      for (const listener of [...listeners]) listener();
    };
    // As on a user's machine: variables that make programs behave differently under test are not passed on.
    const { CI: _ci, NO_COLOR: _noColor, FORCE_COLOR: _forceColor, ...inherited } = process.env;
    const child = Bun.spawn([...command], {
      cwd: options.cwd ?? process.cwd(),
      env: {
        LANG: "C.UTF-8",
        ...inherited,
        TERM: "xterm-256color",
        COLORTERM: "truecolor",
        ...options.env,
        ...processes.env,
      },
      terminal: {
        cols,
        rows,
        data: (_, bytes) => {
          drawn = draw(bytes);
        },
        exit: () => eof.resolve(),
      },
    });
    const pty = child.terminal!;

    const exit = child.exited.then(async (exitCode): Promise<Ended> => {
      await lastOutput(() => output.length, eof.promise);
      await drawn;
      return { exitCode, signal: typeof child.signalCode === "string" ? child.signalCode : undefined };
    });
    return {
      pid: child.pid,
      pty,
      screen,
      exit,
      output: () => output,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      end: async () => {
        await killSession(child.pid);
        await processes[Symbol.asyncDispose]();
        await exit;
        pty.close();
        screen.dispose();
      },
    };
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}

async function waitFor(terminal: Terminal, program: Program, condition: Condition, deadline: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isWaiting = true;
  const fail = (why: string): void => {
    if (!isWaiting) return;
    const what = typeof condition === "string" ? JSON.stringify(condition) : String(condition);
    reject(new Error(`${why} while waiting for ${what}. The screen is:\n${terminal.snapshot()}`));
  };
  const look = (): void => {
    try {
      const text = terminal.screen().join("\n");
      let holds = false;
      if (typeof condition === "function") holds = condition(terminal);
      else if (typeof condition === "string") holds = text.includes(condition);
      else holds = text.search(condition) >= 0;
      if (holds) resolve();
    } catch (error) {
      reject(error);
    }
  };
  const stop = program.onChange(look);
  const timer = setTimeout(() => fail(`${deadline} ms passed`), deadline);
  look();
  void program.exit.then(({ exitCode }) => fail(`The program ended with exit code ${exitCode}`));
  try {
    await promise;
  } finally {
    isWaiting = false;
    clearTimeout(timer);
    stop();
  }
}

/**
 * Kills a program that leads a session of its own, as one on a pty does, with all that it started in it, and waits until
 * they are gone.
 */
async function killSession(leader: number, deadline = 5000): Promise<void> {
  if (process.platform !== "linux") return kill(-leader);
  const end = performance.now() + deadline;
  // More than once, because a process may have started another one while we were looking.
  for (;;) {
    const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
    const found = pids.map(async (pid) => {
      try {
        const stat = await readFile(`/proc/${pid}/stat`, "utf8");
        // The name is in brackets and may hold anything; then come state, parent, group and session. A shell with job
        // control puts every job into its own group, so looking for the leader's group is not enough.
        const [state, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(session) === leader && state !== "Z" && state !== "X" ? [pid] : [];
      } catch (error) {
        if (isGone(error)) return [];
        throw error;
      }
    });
    const members = (await Promise.all(found)).flat();
    if (members.length === 0) return;
    if (performance.now() > end) throw new Error(`Processes ${members.join(", ")} do not end when killed.`);
    for (const pid of members) kill(pid);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ESRCH" || code === "ENOENT";
}
