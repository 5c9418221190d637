// `atomic` without a command at a terminal: open runs above, the prompt line below. The one place that owns the terminal.
// No mode is turned on that a shell does not set anew for itself, so even a kill leaves a terminal that can be used.
import { Interrupted } from "@atomic/terminal/console";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { failureOf } from "@atomic/terminal/failure";
import { type Key, KeyDecoder } from "@atomic/terminal/keys";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { truncate } from "@atomic/terminal/width";
import type { AtomicContext } from "../context.ts";
import { narrowLinesIn, Region } from "../live/region.ts";
import type { Entered, PromptSession } from "./enter-line.ts";
import { actAbandonably, isCtrlC, KeyedSignals } from "./interrupts.ts";
import { drawPrompt, enteredText } from "./line/draw.ts";
import type { Line } from "./line/edit.ts";
import { type PromptInput, reduce } from "./line/reducer.ts";
import { type Effect, emptyState, type PromptState } from "./line/state.ts";
import { slowMs } from "./say-if-slow.ts";
import { explain, noticeAbove, Session } from "./session.ts";

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";
/** The rest of a key may arrive a little later. */
const restOfKeyMs = 50;
/** What arrives sooner than this was typed before the terminal was ours. */
const typedAheadMs = 200;
const lookingUp = "Looking up what fits… Ctrl-C stops it.";

export async function promptLine(context: AtomicContext): Promise<ExitCode> {
  const line = new TerminalPrompt(context);
  const unlisten = context.signals.listen((interrupt) => {
    line.leave();
    context.exit(signalCodes[interrupt]);
  });
  const unlistenToEnd = context.onAbruptEnd((end) => {
    line.leave();
    return end.kind === "threw" ? context.fail(failureOf(end.error, "atomic")) : undefined;
  });
  try {
    return await line.run();
  } finally {
    line.leave();
    unlistenToEnd();
    unlisten();
  }
}

class TerminalPrompt extends Session {
  readonly #signals: KeyedSignals;
  readonly #region: Region;
  readonly #decoder = new KeyDecoder();
  readonly #ended: Promise<ExitCode>;
  #end: (code: ExitCode) => void = () => undefined;
  #isOver = false;
  #state: PromptState = emptyState;
  #drawRuns: typeof import("./line/draw-runs.ts").drawRuns | undefined;
  #stopKeys: (() => void) | undefined;
  #cancelRest: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the terminal became ours; undefined as soon as something was typed. */
  #ownedSince: number | undefined;
  #stopResizing: (() => void) | undefined;
  /** Until then, it is not known what can be typed: Enter and Tab wait. */
  #isLoaded = false;
  /** What was typed and waits. */
  #typed: Key[] = [];
  /** Whatever is typed waits: a line was entered and is worked on, or may have been refused for a name that is new. */
  #working: "entered" | "refused" | undefined;
  /** The line for which values are being looked up: Enter and Tab wait for them, unless something else is typed. */
  #completing: Line | undefined;
  /** Leaves an entered line that cannot be ended to itself. */
  #abandon: (() => void) | undefined;
  /** To be printed when the terminal is ours again. */
  #announced = "";

  constructor(context: AtomicContext) {
    const signals = new KeyedSignals(context.signals);
    super(Object.create(context, { signals: { value: signals } }));
    this.#signals = signals;
    this.#region = new Region(context.stderr, narrowLinesIn(context.env));
    this.#ended = new Promise((resolve) => {
      this.#end = (code) => {
        this.#isOver = true;
        resolve(code);
      };
    });
  }

  async run(): Promise<ExitCode> {
    this.#enter();
    // The first picture is there before anything is read.
    this.#draw();
    void this.#load()
      .catch((error) => this.failed(error))
      .then(() => {
        this.#isLoaded = true;
        this.#takeKeys();
      });
    const code = await this.#ended;
    this.leave();
    this.stopRuns();
    this.context.stderr.write(this.stillRunning);
    return code;
  }

  /** The terminal is as before. */
  leave(): void {
    this.#cancelRest?.();
    clearTimeout(this.#timer);
    this.#stopResizing?.();
    this.#stopResizing = undefined;
    if (this.#stopKeys === undefined) return;
    this.#region.erase();
    this.context.stderr.write(pasteOff);
    this.#stopKeys();
    this.#stopKeys = undefined;
  }

  #enter(): void {
    if (this.#stopKeys !== undefined) return;
    const { stdin, stderr } = this.context;
    this.#stopKeys = stdin.edit?.((keys) => this.#hear(keys));
    this.#ownedSince = this.context.now();
    stderr.write(`${this.#announced}${pasteOn}`);
    this.#announced = "";
    this.#stopResizing = stderr.onResize?.(() => {
      this.#region.resized();
      this.#draw();
    });
  }

  async #load(): Promise<void> {
    this.#drawRuns = (await import("./line/draw-runs.ts")).drawRuns;
    await this.load();
  }

  #hear(keys: string | undefined): void {
    this.#cancelRest?.();
    if (keys === undefined) {
      this.#end(0);
      return;
    }
    // The terminal has made a line break of each Enter while it was not ours.
    const wasAhead = this.#ownedSince !== undefined && this.context.now() - this.#ownedSince < typedAheadMs;
    this.#ownedSince = undefined;
    this.#press(this.#decoder.decode(wasAhead ? keys.replaceAll("\n", "\r") : keys));
    if (!this.#decoder.isUnfinished) return;
    this.#cancelRest = this.context.clock.after(restOfKeyMs, () => this.#press(this.#decoder.flush()));
  }

  #press(keys: readonly Key[]): void {
    // Ctrl-C takes back what was typed before it and has not begun.
    const back = keys.findLastIndex(isCtrlC);
    if (back !== -1 && this.#working === "entered") {
      this.#typed = keys.slice(back + 1);
      if (!this.#signals.interrupt()) this.#abandon?.();
      return;
    }
    if (back !== -1 && this.#completing !== undefined) this.#signals.interrupt();
    this.#typed.push(...keys);
    this.#takeKeys();
  }

  #takeKeys(): void {
    while (this.#working === undefined && !this.#isOver) {
      const [key] = this.#typed;
      if (key === undefined) break;
      if (key.kind === "press" && (key.key === "enter" || key.key === "tab")) {
        const back = this.#typed.findIndex(isCtrlC);
        if (back !== -1) this.#typed.splice(0, back);
        else if (!this.#isLoaded || this.#isCompleting) break;
      }
      const { state, effects } = reduce(this.#state, this.#typed.shift() ?? key, this.world);
      this.#state = state;
      for (const effect of effects) this.#perform(effect);
    }
    this.holdExpanded(this.#state.text !== "" || this.#working !== undefined);
    this.#draw();
  }

  get #isCompleting(): boolean {
    return this.#completing?.text === this.#state.text && this.#completing.cursor === this.#state.cursor;
  }

  #step(input: PromptInput): void {
    this.#state = reduce(this.#state, input, this.world).state;
    this.#draw();
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case "exit":
        this.exit();
        break;
      case "redraw":
        this.clear();
        break;
      case "expand": {
        const ids = this.openRuns.map(({ view }) => view.state.runId);
        const next = ids[(ids.indexOf(this.expanded ?? "") + 1) % Math.max(1, ids.length)];
        if (next !== undefined) this.expand(next);
        break;
      }
      case "suspend":
        this.#suspend();
        break;
      case "complete":
        void this.#complete(effect).catch((error) => this.failed(error));
        break;
      case "unknown":
        this.#work("refused", () => this.#lookAgain(effect.name));
        break;
      default:
        this.#work("entered", () => this.#enterLine(effect));
    }
  }

  #work(what: "entered" | "refused", work: () => Promise<void>): void {
    this.#working = what;
    void work()
      .catch((error) => this.failed(error))
      .then(() => {
        this.#working = undefined;
        this.#takeKeys();
      });
  }

  /** A refused line is entered once more if its name is new. What was typed after it does not become a part of it. */
  async #lookAgain(name: string): Promise<void> {
    const { text: line, notice } = this.#state;
    if (await this.finds(name)) {
      // Suggestions are looked up again before it is entered.
      this.#typed.unshift({ kind: "text", text: "" }, { kind: "press", key: "enter" });
      return;
    }
    const [next] = this.#typed;
    if (next === undefined || next.kind === "press") return;
    const { stderr } = this.context;
    const refusal = notice === undefined ? "" : noticeAbove(notice, stderr);
    this.print(`${painter(stderr.colour)("dim", enteredText(line))}${refusal}`);
    this.#state = { ...emptyState, removed: line };
  }

  /** Tab: looks up what fits. */
  async #complete({ sources, word, words }: Extract<Effect, { readonly kind: "complete" }>): Promise<void> {
    const { text, cursor } = this.#state;
    const line = { text, cursor };
    this.#completing = line;
    const slow = setTimeout(() => {
      if (this.#isCompleting) this.notify(lookingUp);
    }, slowMs);
    try {
      const { valuesFrom } = await import("./complete-values.ts");
      const { modelsOf } = await import("./models.ts");
      const found = await valuesFrom(sources, word, this.context, {
        openRuns: () => this.openRuns.map(({ view }) => view.state.runId),
        runs: async () => (await (await this.projectRuns()).engine.list()).map(({ runId }) => runId),
        workflows: () => this.world.catalog.entries.filter(({ kind }) => kind === "workflow").map(({ name }) => name),
        models: () => modelsOf(this),
        names: () => this.world.catalog.entries.map(({ name }) => name),
      });
      this.#step({ kind: "offer", for: line, values: [...words, ...found] });
    } finally {
      clearTimeout(slow);
      if (this.#state.notice === lookingUp) this.#state = { ...this.#state, notice: undefined };
      if (this.#completing === line) this.#completing = undefined;
      this.#takeKeys();
    }
  }

  /** Nothing is drawn until it is done, and what is typed in the meantime waits. */
  async #enterLine(entered: Entered): Promise<void> {
    const { stderr } = this.context;
    this.#region.erase();
    stderr.write(painter(stderr.colour)("dim", enteredText(entered.line)));
    let notice: string | undefined;
    try {
      const { result, abandon } = actAbandonably<PromptSession, string>(this, async (session) => {
        await session.remember({ line: entered.line });
        const { enterLine } = await import("./enter-line.ts");
        return await enterLine(session, entered);
      });
      this.#abandon = () => abandon("Interrupted.");
      notice = await result;
    } catch (error) {
      if (error instanceof Interrupted) {
        this.#end(signalCodes[error.interrupt]);
        return;
      }
      // Whatever it is, the next line can be entered.
      notice = explain(error);
    } finally {
      this.#abandon = undefined;
    }
    // The next key would take it away.
    if (notice !== undefined && this.#typed.length > 0) this.print(noticeAbove(notice, stderr));
    else if (notice !== undefined) this.notify(notice);
    void this.look();
  }

  async lend<Result>(act: () => Promise<Result>): Promise<Result> {
    this.leave();
    let isOver = false;
    try {
      return await act();
    } catch (error) {
      isOver = error instanceof Interrupted;
      throw error;
    } finally {
      if (!isOver) this.#enter();
    }
  }

  #draw(): void {
    clearTimeout(this.#timer);
    if (this.#stopKeys === undefined || this.#working === "entered") return;
    const { columns = 80, rows = 24, colour } = this.context.stderr;
    const { host, model } = this;
    const footer = `  ${[host, ...(model === undefined ? [] : [safeLine(model)])].join(" · ")}  ·  /help`;
    const { lines, cursor } = drawPrompt(this.#state, footer, { columns, rows: rows - 1, colour });
    const runs = this.openRuns;
    const isStill = Boolean(this.context.env.ATOMIC_REDUCED_MOTION);
    const canvas = { columns, rows: rows - 2 - lines.length, colour, now: this.context.now(), isStill };
    const above =
      this.#drawRuns?.(
        runs.map(({ view }) => view),
        this.expanded,
        canvas,
      ) ?? [];
    this.#region.draw([...above, ...lines], { row: above.length + cursor.row, column: cursor.column });
    // Something moves only while a process works on a run.
    const moves = runs.some(({ status }) => status.kind === "running" || status.kind === "waiting");
    if (moves) this.#timer = setTimeout(() => this.#draw(), isStill ? 1000 : 100);
  }

  /** Ctrl-Z: the shell gets the terminal until it brings us back. */
  #suspend(): void {
    this.leave();
    // As the terminal itself would do it: also what started us stops, such as npx, and the shell notices.
    process.kill(0, "SIGTSTP");
    // We get here when the shell has brought us back, or at once if there is no shell: then nothing is stopped.
    setImmediate(() => {
      this.#enter();
      this.#draw();
    });
  }

  // What an entered line may use.

  protected renewed(): void {
    this.#step({ kind: "world" });
  }

  protected runsChanged(): void {
    this.#draw();
  }

  print(text: string): void {
    const isOwner = this.#stopKeys !== undefined;
    if (isOwner) this.#region.erase();
    this.context.stderr.write(text);
    if (isOwner) this.#draw();
  }

  protected announce(text: string): void {
    if (this.#stopKeys === undefined) this.#announced += text;
    else this.print(text);
  }

  notify(message: string): void {
    this.#state = { ...this.#state, notice: safeLine(message) };
    this.#draw();
  }

  showWaiting(message: string): () => void {
    const { columns = 80, colour } = this.context.stderr;
    this.#region.draw([painter(colour)("dim", truncate(`  ${message}`, columns - 1))]);
    return () => this.#region.erase();
  }

  offer(text: string, values: readonly string[]): void {
    this.#step({ kind: "text", text });
    this.#step({ kind: "offer", for: { text: this.#state.text, cursor: this.#state.cursor }, values });
  }

  forgetTyped(): void {
    this.#typed = [];
  }

  clear(): void {
    this.#region.erase();
    this.context.stderr.write("\x1b[2J\x1b[H");
    this.#draw();
  }

  exit(): void {
    this.#end(0);
  }
}
