// What a prompt line knows besides its picture: what can be typed, what was remembered, and the project's runs.
import { isExplained } from "@atomic/durable-files/explained-error";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { AtomicContext } from "../context.ts";
import { sentences } from "../report/sentences.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import type { PromptSession } from "./enter-line.ts";
import type { HostReader } from "./host-reader.ts";
import { isPromptHost, type PromptHost } from "./line/host-command.ts";
import { type MemoryRecord, memoryOf, type PromptMemory } from "./line/memory.ts";
import { asTypedHere, ownEntries } from "./line/own-commands.ts";
import type { PromptWorld } from "./line/state.ts";
import { catalogOf, type PromptEntry } from "./line/suggestions.ts";
import type { LoadedCatalog } from "./load-catalog.ts";
import type { MemoryFile } from "./memory-file.ts";
import type { OpenRun, OpenRuns } from "./open-runs.ts";
import type { BackgroundEvents } from "./processes.ts";
import { sayIfSlow } from "./say-if-slow.ts";

/** How soon runs that cannot be read are read again. */
const retryMs = 1000;
const laterOn = "Runs will be shown when it is back.";

interface Beginning {
  /** As it was entered. */
  readonly what: string;
  /** As soon as its process has one. */
  run: { readonly runId: string; readonly pid: number } | undefined;
  /** When that was read, or when there will be none. */
  readonly settled: Promise<void>;
}

export abstract class Session implements PromptSession {
  readonly context: AtomicContext;
  /** Runs that are watched here, and whether until their end. */
  readonly #attended = new Map<string, Promise<boolean>>();
  #world: PromptWorld = { catalog: catalogOf(ownEntries), history: [] };
  #memory: PromptMemory = memoryOf([], "");
  #entries: readonly PromptEntry[] = ownEntries;
  #leftOut: LoadedCatalog["leftOut"] = [];
  /** Nothing before they are loaded. */
  #readByHost: HostReader = () => [];
  #loaded: Promise<LoadedCatalog> | undefined;
  #memoryFile: MemoryFile | undefined;
  #records: readonly MemoryRecord[] = [];
  #project = "";
  #expanded: string | undefined;
  #held: string | undefined;
  #runs: OpenRuns | undefined;
  /** While they are read for the first time. */
  #loadingRuns: Promise<OpenRuns> | undefined;
  /** Why they could not be read. */
  #runsFailure: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isUnremembered = false;
  /** Ends that are being read, to be shown. */
  #ends: Promise<unknown> = Promise.resolve();
  /** What was started here and is not among the runs yet. */
  readonly #beginning = new Set<Beginning>();

  constructor(context: AtomicContext) {
    this.context = context;
  }

  abstract print(text: string): void;
  abstract lend<Result>(act: () => Promise<Result>): Promise<Result>;
  /** The same, but not while another program has the terminal. */
  protected abstract announce(text: string): void;
  abstract notify(message: string): void;
  abstract showWaiting(message: string): () => void;
  abstract offer(text: string, values: readonly string[]): void;
  abstract forgetTyped(): void;
  abstract clear(): void;
  abstract exit(): void;
  /** The world is another one. */
  protected abstract renewed(): void;
  protected abstract runsChanged(): void;

  get world(): PromptWorld {
    return this.#world;
  }

  get catalog(): PromptWorld["catalog"] {
    return this.#world.catalog;
  }

  get host(): PromptHost {
    const { host = this.context.env.ATOMIC_HOST ?? "" } = this.#memory;
    return isPromptHost(host) ? host : "opencode";
  }

  get model(): string | undefined {
    return this.#memory.models.get(this.host);
  }

  get openRuns(): readonly OpenRun[] {
    return this.#runs?.list ?? [];
  }

  get expanded(): string | undefined {
    const ids = this.openRuns.map(({ view }) => view.state.runId);
    const chosen = [this.#held, this.#expanded].find((runId) => runId !== undefined && ids.includes(runId));
    return chosen ?? ids[0];
  }

  /** What continues after the prompt line has been left, in a sentence; empty if nothing does. */
  get stillRunning(): string {
    const working = this.openRuns.filter(({ status }) => ["running", "waiting", "paused"].includes(status.kind));
    const names = new Set([
      ...working.map(({ view }) => view.state.runId),
      ...Array.from(this.#beginning, ({ what, run }) => run?.runId ?? `${safeLine(what)} (starting)`),
    ]);
    const text = `Still running: ${[...names].join(", ")}. \`atomic runs\` lists them.`;
    return names.size === 0 ? "" : paragraph(text, this.context.stderr, { indent: "  " });
  }

  /** What was remembered, the runs, and everything that can be typed. What cannot be read is said, and the rest is there. */
  async load(): Promise<void> {
    const { locate } = await import("../entities/load-entities.ts");
    this.#project = (await locate(this.context)).project;
    // None waits for another: a database may be slow.
    await Promise.all(
      [this.#loadMemory, this.look, this.#loadEntries].map(async (part) => {
        try {
          await part.call(this);
        } catch (error) {
          this.announce(noticeAbove(explain(error), this.context.stderr));
        }
      }),
    );
  }

  async #loadMemory(): Promise<void> {
    const { readMemoryFile } = await import("./memory-file.ts");
    const { stderr } = this.context;
    let file: MemoryFile;
    try {
      file = readMemoryFile(this.context);
    } catch (error) {
      // Whatever it is, lines can be entered.
      const lead = "The history cannot be read, so earlier lines are missing: ";
      this.announce(noticeAbove(`${lead}${explain(error)}`, stderr));
      return;
    }
    this.#memoryFile = file;
    this.#records = [...file.records, ...this.#records];
    this.#renew();
    const { unreadable, path } = file;
    if (unreadable === 0) return;
    const lines = unreadable === 1 ? "1 unreadable line; it was" : `${unreadable} unreadable lines; they were`;
    this.announce(noticeAbove(`${path} has ${lines} skipped.`, stderr));
  }

  /** Throws why they cannot be read; the next call tries again. */
  async #readRuns(): Promise<OpenRuns> {
    if (this.#runs !== undefined) return this.#runs;
    this.#loadingRuns ??= this.#loadRuns().finally(() => {
      this.#loadingRuns = undefined;
    });
    return await this.#loadingRuns;
  }

  async #loadRuns(): Promise<OpenRuns> {
    const [{ OpenRuns: Runs }, projectRuns] = await Promise.all([import("./open-runs.ts"), this.projectRuns()]);
    const runs = new Runs(projectRuns, {
      changed: () => this.runsChanged(),
      ended: (run) => {
        const end = this.#showEnd(run, projectRuns).catch((error) => this.failed(error));
        this.#ends = Promise.all([this.#ends, end]);
      },
      // Nothing else would say why the run is gone.
      damaged: (runId, error) => {
        const text = `The run ${runId} is no longer shown. ${explain(error)}`;
        this.announce(noticeAbove(text, this.context.stderr));
      },
      failed: (error) => this.notify(whyNoRuns(error)),
    });
    if (this.#isStopped) runs.stop();
    this.#runs = runs;
    return runs;
  }

  /** Until all that has ended by now is announced. Runs that could not be read before are read now. */
  async look(): Promise<void> {
    clearTimeout(this.#retry);
    let runs: OpenRuns;
    try {
      runs = await this.#readRuns();
    } catch (error) {
      // A setting may be corrected, and a database may come back.
      clearTimeout(this.#retry);
      if (!this.#isStopped) this.#retry = setTimeout(() => void this.look(), retryMs);
      const failure = whyNoRuns(error);
      // A database that is away is so in several ways.
      const isNews =
        failure !== this.#runsFailure && !(failure.endsWith(laterOn) && this.#runsFailure?.endsWith(laterOn));
      if (isNews) this.announce(noticeAbove(failure, this.context.stderr));
      this.#runsFailure = failure;
      return;
    }
    for (const beginning of this.#beginning) {
      if (beginning.run === undefined) continue;
      await runs.follow(beginning.run.runId, beginning.run.pid);
      this.#beginning.delete(beginning);
    }
    await runs.look();
    await this.#ends;
  }

  stopRuns(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#runs?.stop();
  }

  async readRuns(): Promise<void> {
    const runs = await this.#readRuns();
    await runs.look();
    if (runs.failure !== undefined) throw runs.failure;
  }

  async readStarted(): Promise<{ readonly what: string; readonly runId: string | undefined } | undefined> {
    const last = [...this.#beginning].at(-1);
    if (last !== undefined)
      await sayIfSlow(this, `Waiting for ${safeLine(last.what)} to start… Ctrl-C stops it.`, last.settled);
    await this.readRuns();
    return last && { what: last.what, runId: last.run?.runId };
  }

  async #loadEntries(): Promise<void> {
    const [{ hostReader }, { entries, registry, leftOut }] = await Promise.all([
      import("./host-reader.ts"),
      this.loaded(),
    ]);
    this.#entries = entries;
    this.#leftOut = leftOut;
    this.#readByHost = hostReader(registry);
    this.#renew();
  }

  #renew(): void {
    this.#memory = memoryOf(this.#records, this.#project);
    const { uses, history } = this.#memory;
    const { host } = this;
    this.#world = {
      catalog: catalogOf(this.#entries, uses, this.#leftOut),
      history,
      readByHost: (entries) => this.#readByHost(host, entries),
    };
    this.renewed();
  }

  /** The last picture of a run that has ended, and what it said, stay above. */
  async #showEnd({ view, status }: OpenRun, { engine }: ProjectRuns): Promise<void> {
    const { runId, graph } = view.state;
    const isShown = (await this.#attended.get(runId)) === true;
    this.#attended.delete(runId);
    const [{ progressLines }, { answerPieces, summaryBelowPicture }, { runAnswer }] = await Promise.all([
      import("../view/progress.ts"),
      import("../view/run-summary.ts"),
      import("../runs/run-result.ts"),
    ]);
    const { stderr } = this.context;
    const { columns = 80, rows = 24, colour } = stderr;
    const watched = { view, status, answer: await runAnswer(engine, view.state, status) };
    const canvas = { columns: columns - 1, rows, colour, now: this.context.now(), isStill: true };
    const tree = isShown ? [] : progressLines(graph as never, view, canvas);
    const text = [
      ...tree.map((line) => `${line}\n`),
      summaryBelowPicture(watched, stderr),
      ...answerPieces(watched, stderr),
    ];
    if (this.#expanded === runId) this.#expanded = undefined;
    this.announce(text.join(""));
  }

  failed(error: unknown): void {
    this.notify(explain(error));
  }

  async projectRuns(): Promise<ProjectRuns> {
    const { runsOf } = await import("../runs/runs-folder.ts");
    return await runsOf(this.context, undefined);
  }

  /** Reads anew what can be typed. Returns whether the name is among it. */
  async finds(name: string): Promise<boolean> {
    this.#loaded = undefined;
    await this.#loadEntries();
    return this.catalog.find(name) !== undefined;
  }

  async loaded(): Promise<LoadedCatalog> {
    const { loadCatalog } = await import("./load-catalog.ts");
    this.#loaded ??= loadCatalog(this.context);
    return await this.#loaded;
  }

  async remember(record: Parameters<PromptSession["remember"]>[0]): Promise<void> {
    const whole = { project: this.#project, ...record } as MemoryRecord;
    this.#records = [...this.#records, whole];
    this.#renew();
    if (this.#memoryFile === undefined) return;
    const { remember } = await import("./memory-file.ts");
    try {
      await remember(this.#memoryFile, whole);
    } catch (error) {
      // What was entered is done nevertheless.
      if (this.#isUnremembered) return;
      this.#isUnremembered = true;
      const { stderr } = this.context;
      this.announce(noticeAbove(`Your history cannot be saved: ${explain(error)}`, stderr));
    }
  }

  /** While you type, the same run is shown as a tree: what you type may be about it. */
  protected holdExpanded(isTyping: boolean): void {
    this.#held = isTyping ? (this.#held ?? this.expanded) : undefined;
  }

  expand(runId: string): void {
    this.#expanded = runId;
    if (this.#held !== undefined) this.#held = runId;
    void this.look();
  }

  begins(what: string): BackgroundEvents {
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const beginning: Beginning = { what, run: undefined, settled };
    this.#beginning.add(beginning);
    // One that is continued is there already.
    if (this.openRuns.some(({ view }) => view.state.runId === what)) this.#runs?.starts(what);
    return {
      started: (runId, pid) => {
        beginning.run = { runId, pid };
        this.#expanded = runId;
        void this.look().finally(settle);
      },
      refused: (message) => {
        this.#beginning.delete(beginning);
        this.#runs?.refuses(what);
        settle();
        const { stderr } = this.context;
        const lead = `${painter(stderr.colour)("red", "error")}: `;
        this.announce(paragraph(safeLine(asTypedHere(message)), stderr, { lead, indent: "  ", breakWords: true }));
      },
    };
  }

  attends(runId: string, toItsEnd: Promise<boolean>): void {
    this.#attended.set(runId, toItsEnd);
  }
}

/** What went wrong, and what next, as sentences. */
export function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return asTypedHere(sentences(message, isExplained(error) ? error.hint : undefined));
}

/** The same about runs, which are read again without being asked for. */
function whyNoRuns(error: unknown): string {
  const isAway = isExplained(error) && error.hint?.startsWith("Nothing is lost: repeat the command") === true;
  return isAway ? sentences(error.message, laterOn) : explain(error);
}

/** A notice that stays, above the prompt line. */
export function noticeAbove(message: string, page: Page): string {
  return paragraph(safeLine(message), page, { lead: "  ", indent: "  ", breakWords: true });
}
