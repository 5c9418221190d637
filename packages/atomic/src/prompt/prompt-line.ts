// `atomic` without a command at a terminal: open runs above, the prompt line below. The one place that owns the terminal.
// No mode is turned on that a shell does not set anew for itself, so even a kill leaves a terminal that can be used.
import { isExplained } from "@atomic/durable-files/explained-error";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { failureOf } from "@atomic/terminal/failure";
import { type Key, KeyDecoder } from "@atomic/terminal/keys";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import type { AtomicContext } from "../context.ts";
import { Region } from "../live/region.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import type { PromptSession } from "./enter-line.ts";
import { drawPrompt } from "./line/draw.ts";
import { isPromptHost, type PromptHost } from "./line/host-command.ts";
import { type MemoryRecord, memoryOf } from "./line/memory.ts";
import { ownEntries } from "./line/own-commands.ts";
import { type PromptInput, reduce } from "./line/reducer.ts";
import { type Effect, emptyState, type PromptState, type PromptWorld } from "./line/state.ts";
import { catalogOf, type PromptEntry } from "./line/suggestions.ts";
import type { LoadedCatalog } from "./load-catalog.ts";
import type { MemoryFile } from "./memory-file.ts";
import type { OpenRun, OpenRuns } from "./open-runs.ts";

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

class TerminalPrompt implements PromptSession {
  readonly context: AtomicContext;
  readonly #region: Region;
  readonly #decoder = new KeyDecoder();
  readonly #ended: Promise<ExitCode>;
  #end: (code: ExitCode) => void = () => undefined;
  #state: PromptState = emptyState;
  #world: PromptWorld = { catalog: catalogOf(ownEntries), history: [] };
  #entries: readonly PromptEntry[] = ownEntries;
  #catalog: Promise<LoadedCatalog> | undefined;
  #memoryFile: MemoryFile | undefined;
  #records: readonly MemoryRecord[] = [];
  #project = "";
  #runs: OpenRuns | undefined;
  #drawRuns: typeof import("./line/draw-runs.ts").drawRuns | undefined;
  #expanded: string | undefined;
  readonly #attended = new Set<string>();
  #stopKeys: (() => void) | undefined;
  #cancelRest: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopResizing: (() => void) | undefined;

  constructor(context: AtomicContext) {
    this.context = context;
    this.#region = new Region(context.stderr);
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async run(): Promise<ExitCode> {
    this.#enter();
    // The first picture is there before anything is read.
    this.#draw();
    void this.#load().catch((error) => this.#failed(error));
    const code = await this.#ended;
    this.leave();
    this.#runs?.stop();
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
    stderr.write(pasteOn);
    this.#stopResizing = stderr.onResize?.(() => this.#draw());
  }

  /** What was remembered, then the runs, then everything that can be typed. */
  async #load(): Promise<void> {
    const [{ readMemoryFile }, { locate }] = await Promise.all([
      import("./memory-file.ts"),
      import("../entities/load-entities.ts"),
    ]);
    this.#project = (await locate(this.context)).project;
    const file = readMemoryFile(this.context);
    this.#memoryFile = file;
    this.#records = file.records;
    this.#renew();
    if (file.unreadable > 0) this.notify(`${file.unreadable} lines of ${file.path} cannot be read, and are left out.`);
    const [{ OpenRuns: Runs }, { drawRuns }, runs] = await Promise.all([
      import("./open-runs.ts"),
      import("./line/draw-runs.ts"),
      this.projectRuns(),
    ]);
    this.#drawRuns = drawRuns;
    this.#runs = new Runs(runs, {
      changed: () => this.#draw(),
      ended: (run) => void this.#showEnd(run, runs).catch((error) => this.#failed(error)),
      failed: (error) => this.#failed(error),
    });
    await this.#runs.look();
    const { entries } = await this.loaded();
    this.#entries = entries;
    this.#renew();
  }

  #renew(): void {
    const { history, uses } = memoryOf(this.#records, this.#project);
    this.#world = { catalog: catalogOf(this.#entries, uses), history };
    this.#step({ kind: "world" });
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
      const step = reduce(this.#state, key, this.#world);
      this.#state = step.state;
      effects.push(...step.effects);
      // What follows an entered line belongs to the next one.
      if (step.effects.some(({ kind }) => kind === "run" || kind === "send")) {
        void this.#perform(effects, keys.slice(at + 1)).catch((error) => this.#failed(error));
        return;
      }
    }
    this.#draw();
    void this.#perform(effects, []).catch((error) => this.#failed(error));
  }

  #step(input: PromptInput): void {
    this.#state = reduce(this.#state, input, this.#world).state;
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
        case "complete": {
          const { text, cursor } = this.#state;
          const { valuesFrom } = await import("./complete-values.ts");
          const { modelsOf } = await import("./models.ts");
          const found = await valuesFrom(effect.sources, effect.word, this.context, {
            runs: () => this.openRuns.map(({ view }) => view.state.runId),
            models: () => modelsOf(this),
            names: () => this.#world.catalog.entries.map(({ name }) => name),
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
    const shown = line.split("\n").map((each, at) => `${at === 0 ? "> " : "  "}${safeLine(each)}\n`);
    stderr.write(painter(stderr.colour)("dim", shown.join("")));
    let notice: string | undefined;
    try {
      await this.remember({ line });
      const { enterLine } = await import("./enter-line.ts");
      notice = await enterLine(this, entered);
    } catch (error) {
      if (!(isExplained(error) || error instanceof Error)) throw error;
      notice = isExplained(error) && error.hint !== undefined ? `${error.message}. ${error.hint}` : error.message;
    }
    this.#enter();
    if (notice !== undefined) this.notify(notice);
    else this.#draw();
    await this.#runs?.look();
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
        this.#expanded ?? runs[0]?.view.state.runId,
        canvas,
      ) ?? [];
    this.#region.draw([...above, ...lines], { row: above.length + cursor.row, column: cursor.column });
    // Something moves only while a process works on a run.
    const moves = runs.some(({ status }) => status.kind === "running" || status.kind === "waiting");
    if (moves) this.#timer = setTimeout(() => this.#draw(), isStill ? 1000 : 100);
  }

  /** The last picture of a run that has ended, and what it said, stay above. */
  async #showEnd(run: OpenRun, { engine }: ProjectRuns): Promise<void> {
    const { view, status } = run;
    const { runId, graph } = view.state;
    const [{ progressLines }, { answerPieces, summaryBelowPicture }, { runAnswer }] = await Promise.all([
      import("../view/progress.ts"),
      import("../view/run-summary.ts"),
      import("../runs/run-result.ts"),
    ]);
    const { stderr } = this.context;
    const { columns = 80, rows = 24, colour } = stderr;
    const watched = { view, status, answer: await runAnswer(engine, view.state, status) };
    const canvas = { columns: columns - 1, rows, colour, now: this.context.now(), isStill: true };
    const tree = this.#attended.has(runId) ? [] : progressLines(graph as never, view, canvas);
    const text = [
      ...tree.map((line) => `${line}\n`),
      summaryBelowPicture(watched, stderr),
      ...answerPieces(watched, stderr),
    ];
    if (this.#expanded === runId) this.#expanded = undefined;
    this.print(text.join(""));
  }

  #expandNext(): void {
    const ids = this.openRuns.map(({ view }) => view.state.runId);
    const at = ids.indexOf(this.#expanded ?? ids[0] ?? "");
    this.#expanded = ids[(at + 1) % Math.max(1, ids.length)];
    this.#draw();
  }

  /** Ctrl-Z: the shell gets the terminal until it brings us back. */
  #suspend(): void {
    if (process.platform === "win32") return;
    this.leave();
    process.once("SIGCONT", () => {
      this.#enter();
      this.#draw();
    });
    process.kill(process.pid, "SIGTSTP");
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.notify(isExplained(error) && error.hint !== undefined ? `${message}. ${error.hint}` : message);
  }

  // What an entered line may use.

  get catalog(): PromptWorld["catalog"] {
    return this.#world.catalog;
  }

  get host(): PromptHost {
    const { ATOMIC_HOST: wanted = "" } = this.context.env;
    const { host = wanted } = memoryOf(this.#records, this.#project);
    return isPromptHost(host) ? host : "opencode";
  }

  get model(): string | undefined {
    return memoryOf(this.#records, this.#project).models.get(this.host);
  }

  get openRuns(): readonly OpenRun[] {
    return this.#runs?.list ?? [];
  }

  get expanded(): string | undefined {
    return this.#expanded;
  }

  async projectRuns(): Promise<ProjectRuns> {
    const { runsOf } = await import("../runs/runs-folder.ts");
    return await runsOf(this.context);
  }

  async loaded(): Promise<LoadedCatalog> {
    const { loadCatalog } = await import("./load-catalog.ts");
    this.#catalog ??= loadCatalog(this.context);
    return await this.#catalog;
  }

  print(text: string): void {
    const isOwner = this.#stopKeys !== undefined;
    if (isOwner) this.#region.erase();
    this.context.stderr.write(text);
    if (isOwner) this.#draw();
  }

  notify(message: string): void {
    this.#state = { ...this.#state, notice: safeLine(message) };
    this.#draw();
  }

  async remember(record: Parameters<PromptSession["remember"]>[0]): Promise<void> {
    const whole = { project: this.#project, ...record } as MemoryRecord;
    this.#records = [...this.#records, whole];
    this.#renew();
    const { remember } = await import("./memory-file.ts");
    if (this.#memoryFile !== undefined) await remember(this.#memoryFile, whole);
  }

  offer(text: string, values: readonly string[]): void {
    this.#step({ kind: "text", text });
    this.#step({ kind: "offer", for: { text: this.#state.text, cursor: this.#state.cursor }, values });
  }

  expand(runId: string): void {
    this.#expanded = runId;
    void this.#runs?.look();
  }

  attended(runId: string): void {
    this.#attended.add(runId);
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
