// `atomic` without a command at a terminal: open runs above, the prompt line below. The one place that owns the terminal.
// No mode is turned on that a shell does not set anew for itself, so even a kill leaves a terminal that can be used.
import { Interrupted } from "@atomic/terminal/console";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { failureOf } from "@atomic/terminal/failure";
import { type Key, KeyDecoder } from "@atomic/terminal/keys";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import type { AtomicContext } from "../context.ts";
import { narrowLinesIn, Region } from "../live/region.ts";
import { drawPrompt, enteredText } from "./line/draw.ts";
import { type PromptInput, reduce } from "./line/reducer.ts";
import { type Effect, emptyState, type PromptState } from "./line/state.ts";
import { explain, Session } from "./session.ts";

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";
/** The rest of a key may arrive a little later. */
const restOfKeyMs = 50;

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
  readonly #region: Region;
  readonly #decoder = new KeyDecoder();
  readonly #ended: Promise<ExitCode>;
  #end: (code: ExitCode) => void = () => undefined;
  #state: PromptState = emptyState;
  #drawRuns: typeof import("./line/draw-runs.ts").drawRuns | undefined;
  #stopKeys: (() => void) | undefined;
  #cancelRest: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopResizing: (() => void) | undefined;
  #isLoaded = false;
  /** Typed before it was known what can be typed: from the first Enter or Tab on. */
  #early: readonly Key[] = [];
  /** To be printed when the terminal is ours again. */
  #announced = "";

  constructor(context: AtomicContext) {
    super(context);
    this.#region = new Region(context.stderr, narrowLinesIn(context.env));
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async run(): Promise<ExitCode> {
    this.#enter();
    // The first picture is there before anything is read.
    this.#draw();
    void this.#load()
      .catch((error) => this.failed(error))
      .then(() => this.#pressEarly());
    const code = await this.#ended;
    this.leave();
    this.runs?.stop();
    const working = this.openRuns.filter(({ status }) => ["running", "waiting", "paused"].includes(status.kind));
    const names = working.map(({ view }) => view.state.runId).join(", ");
    if (names !== "") this.context.stderr.write(`Still running: ${names}. \`atomic runs\` lists them.\n`);
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

  #pressEarly(): void {
    this.#isLoaded = true;
    const early = this.#early;
    this.#early = [];
    this.#press(early);
  }

  #hear(keys: string | undefined): void {
    this.#cancelRest?.();
    if (keys === undefined) {
      this.#end(0);
      return;
    }
    this.#press(this.#decoder.decode(keys));
    if (!this.#decoder.isUnfinished) return;
    this.#cancelRest = this.context.clock.after(restOfKeyMs, () => this.#press(this.#decoder.flush()));
  }

  #press(keys: readonly Key[]): void {
    const effects: Effect[] = [];
    for (const [at, key] of keys.entries()) {
      const needsAll = key.kind === "press" && (key.key === "enter" || key.key === "tab");
      if (!this.#isLoaded && (needsAll || this.#early.length > 0)) {
        this.#early = [...this.#early, ...keys.slice(at)];
        break;
      }
      const step = reduce(this.#state, key, this.world);
      this.#state = step.state;
      effects.push(...step.effects);
      // What follows an entered line belongs to the next one.
      if (step.effects.some(({ kind }) => kind === "run" || kind === "send")) {
        void this.#perform(effects, keys.slice(at + 1)).catch((error) => this.failed(error));
        return;
      }
    }
    this.#draw();
    void this.#perform(effects, []).catch((error) => this.failed(error));
  }

  #step(input: PromptInput): void {
    this.#state = reduce(this.#state, input, this.world).state;
    this.#draw();
  }

  async #perform(effects: readonly Effect[], rest: readonly Key[]): Promise<void> {
    for (const effect of effects) {
      switch (effect.kind) {
        case "exit":
          this.exit();
          return;
        case "redraw":
          this.clear();
          break;
        case "expand":
          this.#expandNext();
          break;
        case "suspend":
          this.#suspend();
          break;
        case "unknown": {
          const { text, cursor } = this.#state;
          const isNew = await this.finds(effect.name);
          if (!isNew || text !== this.#state.text || cursor !== this.#state.cursor) break;
          // Suggestions are looked up again before it is entered once more.
          this.#press([
            { kind: "text", text: "" },
            { kind: "press", key: "enter" },
          ]);
          break;
        }
        case "complete": {
          const { text, cursor } = this.#state;
          const { valuesFrom } = await import("./complete-values.ts");
          const { modelsOf } = await import("./models.ts");
          const found = await valuesFrom(effect.sources, effect.word, this.context, {
            openRuns: () => this.openRuns.map(({ view }) => view.state.runId),
            runs: async () => (await (await this.projectRuns()).engine.list()).map(({ runId }) => runId),
            workflows: () =>
              this.world.catalog.entries.filter(({ kind }) => kind === "workflow").map(({ name }) => name),
            models: () => modelsOf(this),
            names: () => this.world.catalog.entries.map(({ name }) => name),
          });
          this.#step({ kind: "offer", for: { text, cursor }, values: [...effect.words, ...found] });
          break;
        }
        default:
          await this.#enterLine(effect);
      }
    }
    if (rest.length > 0) this.#press(rest);
  }

  /** The terminal belongs to what was entered until that is done. */
  async #enterLine(entered: Extract<Effect, { readonly kind: "run" | "send" }>): Promise<void> {
    const line = entered.kind === "run" ? entered.line : entered.text;
    this.leave();
    const { stderr } = this.context;
    stderr.write(painter(stderr.colour)("dim", enteredText(line)));
    let notice: string | undefined;
    try {
      await this.remember({ line });
      const { enterLine } = await import("./enter-line.ts");
      notice = await enterLine(this, entered);
    } catch (error) {
      if (error instanceof Interrupted) {
        this.#end(signalCodes[error.interrupt]);
        return;
      }
      // Whatever it is, the next line can be entered.
      notice = explain(error);
    }
    this.#enter();
    if (notice !== undefined) this.notify(notice);
    else this.#draw();
    await this.runs?.look();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    if (this.#stopKeys === undefined) return;
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

  #expandNext(): void {
    const ids = this.openRuns.map(({ view }) => view.state.runId);
    const next = ids[(ids.indexOf(this.expanded ?? "") + 1) % Math.max(1, ids.length)];
    if (next !== undefined) this.expand(next);
    this.#draw();
  }

  /** Ctrl-Z: the shell gets the terminal until it brings us back. */
  #suspend(): void {
    if (process.platform === "win32") return;
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

  offer(text: string, values: readonly string[]): void {
    this.#step({ kind: "text", text });
    this.#step({ kind: "offer", for: { text: this.#state.text, cursor: this.#state.cursor }, values });
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
