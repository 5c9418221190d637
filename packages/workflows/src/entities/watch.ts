import { createHash } from "node:crypto";
import type { Diagnostic } from "./diagnostic.ts";
import type { Provider } from "./entity.ts";
import { parsePattern } from "./file-pattern.ts";
import { formats } from "./formats/all.ts";
import { type Bases, basesOf, type InitializeOptions, registerEverything, registryOptionsOf } from "./initialize.ts";
import { createEntityRegistry, type EntityRegistry } from "./registry.ts";
import { type Debounced, debounce, realTimers, type Timers } from "./watch/debounce.ts";
import { differenceOf, type EntityChange, type Snapshot } from "./watch/difference.ts";
import { FolderWatch } from "./watch/folder-watch.ts";
import { foldersToWatch, type Target } from "./watch/folders.ts";

export interface WatchOptions extends Omit<InitializeOptions, "log"> {
  /** Told about each change, after it has been quiet for a while. */
  readonly onChange?: (change: EntityChange) => void;
  /** How long it must be quiet, in milliseconds. Default 100. It waits ten times as long at most. */
  readonly quietMs?: number;
  /** Whether watching keeps the process from ending. Default no. */
  readonly keepAlive?: boolean;
  /**
   * For file systems that tell nobody about changes (network drives, some containers): look every so many
   * milliseconds, too. Default never.
   */
  readonly pollMs?: number;
  /** Default: real time. */
  readonly timers?: Timers;
}

/** Ends when it is disposed of; each loop over it starts from `registry` as it is then, and misses nothing after. */
export interface EntityWatch extends AsyncDisposable, AsyncIterable<EntityChange> {
  /** Everything, as of the last change. */
  readonly registry: EntityRegistry;
  /** Folders whose changes go unnoticed, and why. */
  problems(): readonly Diagnostic[];
  /** Looks now, whether or not something seems to have happened. */
  refresh(): Promise<void>;
}

/**
 * Loads everything as `initializeWorkflowsSDK` does, and tells what changes afterwards. Folders may come, go and come
 * back, and none of them need exist. Events only say when to look: what changed is found by comparing contents.
 *
 * @example
 * await using watch = await watchEntities({ projectPath: "/my/project", keepAlive: true });
 * for await (const { added, changed, removed, registry } of watch) redraw(registry.allCommands());
 */
export async function watchEntities(options: WatchOptions = {}): Promise<EntityWatch> {
  const bases = basesOf(options);
  // The current folder, if that is meant, is the one of this moment.
  const watch = new Watch({ ...options, ...pathsOf(bases) }, targetsOf(options.providers, bases));
  await watch.refresh();
  return watch;
}

function pathsOf({ userPath, projectPath }: Bases): Pick<Bases, "userPath" | "projectPath"> {
  return { ...(userPath !== undefined && { userPath }), ...(projectPath !== undefined && { projectPath }) };
}

/** More rounds than folders are created at once by anybody who is not trying. */
const MOST_ROUNDS = 10;

class Watch implements EntityWatch {
  readonly #options: WatchOptions;
  readonly #targets: readonly Target[];
  readonly #folders: FolderWatch;
  readonly #timers: Timers;
  readonly #soon: Debounced;
  readonly #waiting = new Set<() => void>();
  #snapshot: Snapshot | undefined;
  #looking: Promise<void> | undefined;
  #isOver = false;
  #poll: unknown;

  constructor(options: WatchOptions, targets: readonly Target[]) {
    const { quietMs = 100, keepAlive = false, timers = realTimers(keepAlive) } = options;
    this.#options = options;
    this.#targets = targets;
    this.#timers = timers;
    this.#soon = debounce(() => void this.refresh(), { quietMs, mostMs: quietMs * 10, timers });
    this.#folders = new FolderWatch({ keepAlive, onEvent: () => this.#soon.poke() });
    this.#schedulePoll();
  }

  get registry(): EntityRegistry {
    return this.#now().registry;
  }

  #now(): Snapshot {
    if (this.#snapshot === undefined) throw new Error("A watch is handed out after its first look only.");
    return this.#snapshot;
  }

  problems(): readonly Diagnostic[] {
    return this.#folders.problems();
  }

  /** One look at a time: a call during a look waits for one that starts after it. */
  async refresh(): Promise<void> {
    while (this.#looking !== undefined) await this.#looking;
    if (this.#isOver) return;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    // Watch first, then read: what changes after the reading is an event, what changed before is read.
    for (let round = 0; round < MOST_ROUNDS && this.#folders.follow(foldersToWatch(this.#targets)); round += 1);
    const after = await takeSnapshot(this.#options);
    if (this.#isOver) return;
    const change = this.#snapshot && differenceOf(this.#snapshot, after);
    if (this.#snapshot !== undefined && change === undefined) return;
    this.#snapshot = after;
    if (change !== undefined) this.#options.onChange?.(change);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #schedulePoll(): void {
    const { pollMs } = this.#options;
    if (pollMs === undefined) return;
    this.#poll = this.#timers.setTimeout(() => {
      void this.refresh().then(() => this.#isOver || this.#schedulePoll());
    }, pollMs);
  }

  /** No queue: whoever is slow gets one change that says all that happened since. */
  async *[Symbol.asyncIterator](): AsyncGenerator<EntityChange, void, undefined> {
    let seen = this.#now();
    while (!this.#isOver) {
      const now = this.#now();
      const change = now === seen ? undefined : differenceOf(seen, now);
      seen = now;
      if (change !== undefined) yield change;
      else await new Promise<void>((wake) => this.#waiting.add(wake));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#soon.cancel();
    if (this.#poll !== undefined) this.#timers.clearTimeout(this.#poll);
    this.#folders.close();
    this.#wake();
    await this.#looking;
  }
}

async function takeSnapshot(options: InitializeOptions): Promise<Snapshot> {
  const fingerprints = new Map<string, string>();
  const registry = createEntityRegistry({
    ...registryOptionsOf(options),
    onFile: ({ path, text }) => fingerprints.set(path, createHash("sha256").update(text).digest("base64")),
  });
  await registerEverything(registry, options);
  return { registry, fingerprints };
}

function targetsOf(providers: readonly Provider[] | undefined, bases: Bases): Target[] {
  const wanted = formats.filter(({ provider }) => providers?.includes(provider) ?? true);
  return wanted
    .flatMap(({ places }) => places)
    .flatMap((place) => {
      const base = place.location === "user" ? bases.userPath : bases.projectPath;
      const deep = place.kind === "folder" && parsePattern(place.pattern).depth !== 0;
      if (base === undefined) return [];
      const dependencies = place.kind === "config" ? (place.dependsOn ?? []) : [];
      return [place.path, ...dependencies].map((path) => ({ base, path, deep }));
    });
}
