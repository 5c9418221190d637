// What a prompt line knows besides its picture: what can be typed, what was remembered, and the project's runs.
import { isExplained } from "@atomic/durable-files/explained-error";
import type { AtomicContext } from "../context.ts";
import { sentences } from "../report/sentences.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import type { PromptSession } from "./enter-line.ts";
import { isPromptHost, type PromptHost } from "./line/host-command.ts";
import { type MemoryRecord, memoryOf, type PromptMemory } from "./line/memory.ts";
import { ownEntries } from "./line/own-commands.ts";
import type { PromptWorld } from "./line/state.ts";
import { catalogOf, type PromptEntry } from "./line/suggestions.ts";
import type { LoadedCatalog } from "./load-catalog.ts";
import type { MemoryFile } from "./memory-file.ts";
import type { OpenRun, OpenRuns } from "./open-runs.ts";

export abstract class Session implements PromptSession {
  readonly context: AtomicContext;
  readonly #attended = new Set<string>();
  #world: PromptWorld = { catalog: catalogOf(ownEntries), history: [] };
  #memory: PromptMemory = memoryOf([], "");
  #entries: readonly PromptEntry[] = ownEntries;
  #loaded: Promise<LoadedCatalog> | undefined;
  #memoryFile: MemoryFile | undefined;
  #records: readonly MemoryRecord[] = [];
  #project = "";
  #expanded: string | undefined;
  #runs: OpenRuns | undefined;

  constructor(context: AtomicContext) {
    this.context = context;
  }

  abstract print(text: string): void;
  /** The same, but not while another program has the terminal. */
  protected abstract announce(text: string): void;
  abstract notify(message: string): void;
  abstract offer(text: string, values: readonly string[]): void;
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

  get runs(): OpenRuns | undefined {
    return this.#runs;
  }

  get openRuns(): readonly OpenRun[] {
    return this.#runs?.list ?? [];
  }

  get expanded(): string | undefined {
    return this.#expanded ?? this.openRuns[0]?.view.state.runId;
  }

  /** What was remembered, then the runs, then everything that can be typed. What cannot be read is said, and the rest is there. */
  async load(): Promise<void> {
    const { locate } = await import("../entities/load-entities.ts");
    this.#project = (await locate(this.context)).project;
    for (const part of [this.#loadMemory, this.#loadRuns, this.#loadEntries]) {
      try {
        await part.call(this);
      } catch (error) {
        this.failed(error);
      }
    }
  }

  async #loadMemory(): Promise<void> {
    const { readMemoryFile } = await import("./memory-file.ts");
    const file = readMemoryFile(this.context);
    this.#memoryFile = file;
    this.#records = [...file.records, ...this.#records];
    this.#renew();
    const { unreadable, path } = file;
    if (unreadable > 0) this.notify(`${path} has ${unreadable} unreadable lines, which are left out.`);
  }

  async #loadRuns(): Promise<void> {
    const [{ OpenRuns: Runs }, runs] = await Promise.all([import("./open-runs.ts"), this.projectRuns()]);
    this.#runs = new Runs(runs, {
      changed: () => this.runsChanged(),
      ended: (run) => void this.#showEnd(run, runs).catch((error) => this.failed(error)),
      failed: (error) => this.failed(error),
    });
    await this.#runs.look();
  }

  async #loadEntries(): Promise<void> {
    const { entries } = await this.loaded();
    this.#entries = entries;
    this.#renew();
  }

  #renew(): void {
    this.#memory = memoryOf(this.#records, this.#project);
    this.#world = { catalog: catalogOf(this.#entries, this.#memory.uses), history: this.#memory.history };
    this.renewed();
  }

  /** The last picture of a run that has ended, and what it said, stay above. */
  async #showEnd({ view, status }: OpenRun, { engine }: ProjectRuns): Promise<void> {
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
      this.notify(`This was not remembered: ${explain(error)}`);
    }
  }

  expand(runId: string): void {
    this.#expanded = runId;
    void this.#runs?.look();
  }

  attended(runId: string): void {
    this.#attended.add(runId);
  }
}

/** What went wrong, and what next, as sentences. */
export function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return sentences(message, isExplained(error) ? error.hint : undefined);
}
