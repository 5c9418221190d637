import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Diagnostic } from "./diagnostic.ts";
import { parsePattern } from "./discover.ts";
import type { Entity } from "./entity.ts";
import { formats } from "./formats/all.ts";
import { basesOf, foldersOf, type InitializeOptions, registerEverything, registryOptionsOf } from "./initialize.ts";
import { createEntityRegistry, type EntityRegistry } from "./registry.ts";
import { type Debounced, debounce, realTimers, type WatchTimers } from "./watch/debounce.ts";
import { FolderWatch, foldersToWatch, type Target } from "./watch/folders.ts";

export interface WatchOptions extends Omit<InitializeOptions, "log"> {
  /** Called with each change, once no further change has followed for a while. */
  readonly onChange?: (change: EntityChange) => void;
  /** That while, in milliseconds. Default 100. If changes keep coming, it waits at most ten times as long. */
  readonly quietMs?: number;
  /** Whether watching keeps the process running. Default false. */
  readonly keepAlive?: boolean;
  /**
   * For file systems that do not report changes (network drives, some containers): also look at this interval, in
   * milliseconds. Default never.
   */
  readonly pollMs?: number;
  /** Other files, from the project: that one of them appears or vanishes is a change, too. */
  readonly presenceOf?: readonly string[];
  /** Default: real time. */
  readonly timers?: WatchTimers;
}

/** Ends when it is disposed. Each loop over it starts from the current `registry` and then misses nothing. */
export interface EntityWatch extends AsyncDisposable, AsyncIterable<EntityChange> {
  /** Everything, as of the last change. */
  readonly registry: EntityRegistry;
  /** Folders that cannot be watched, and why. */
  problems(): readonly Diagnostic[];
  /** Looks for changes now. */
  refresh(): Promise<void>;
}

/**
 * Loads everything as `initializeWorkflowsSDK` does, and reports later changes. Folders may appear, disappear and come
 * back, and none of them has to exist. Events only say when to look: comparing contents shows what changed.
 *
 * @example
 * await using watch = await watchEntities({ projectPath: "/my/project", keepAlive: true });
 * for await (const { added, changed, removed, registry } of watch) redraw(registry.allCommands());
 */
export async function watchEntities(options: WatchOptions = {}): Promise<EntityWatch> {
  const bases = basesOf(options);
  const { userPath, projectPath } = bases;
  const { providers } = options;
  const places = formats
    .filter(({ provider }) => providers?.includes(provider) ?? true)
    .flatMap((format) => format.places);
  const targets = foldersOf(options).flatMap((folder) =>
    places.flatMap((place) => {
      if (place.location !== folder.location) return [];
      const deep = place.kind === "folder" && parsePattern(place.pattern).depth !== 0;
      const dependencies = place.kind === "config" ? (place.dependsOn ?? []) : [];
      const beside = dependencies.filter((each) => typeof each === "string");
      const own = folder
        .locate(place)
        .flatMap(({ path }) => [path, ...beside.map((each) => join(dirname(path), each))]);
      const others = dependencies.flatMap((each) => (typeof each === "string" ? [] : folder.locate(each)));
      return [...own, ...others.map(({ path }) => path)].map((path): Target => {
        // Most are below the project or the home folder, which need not exist yet.
        const base = path.startsWith(folder.path + sep) ? folder.path : dirname(path);
        return { base, path: relative(base, path).replaceAll(sep, "/"), deep };
      });
    }),
  );
  if (projectPath !== undefined)
    for (const path of options.presenceOf ?? []) targets.push({ base: projectPath, path, deep: false });
  // A default project stays the folder that is current now.
  const given = { ...(userPath !== undefined && { userPath }), ...(projectPath !== undefined && { projectPath }) };
  const watch = new Watch({ ...options, ...given }, targets);
  await watch.refresh();
  return watch;
}

/** More rounds than anyone creates folders at once, except on purpose. */
const MOST_ROUNDS = 10;

class Watch implements EntityWatch {
  readonly #options: WatchOptions;
  readonly #targets: readonly Target[];
  readonly #folders: FolderWatch;
  readonly #timers: WatchTimers;
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
    if (this.#snapshot === undefined) throw new Error("A watch is returned only after its first scan.");
    return this.#snapshot;
  }

  problems(): readonly Diagnostic[] {
    return this.#folders.problems();
  }

  /** Looks once at a time: a call during a look waits for one that starts afterwards. */
  async refresh(): Promise<void> {
    while (this.#looking !== undefined) await this.#looking;
    if (this.#isOver) return;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    // Watch first, then read: a change after the read is an event, and a change before it is read.
    for (let round = 0; round < MOST_ROUNDS && this.#folders.follow(foldersToWatch(this.#targets)); round += 1);
    const fingerprints = new Map<string, string>();
    const registry = createEntityRegistry({
      ...registryOptionsOf(this.#options),
      onFile: ({ path, text }) => fingerprints.set(path, createHash("sha256").update(text).digest("base64")),
    });
    await registerEverything(registry, this.#options);
    const { presenceOf = [], projectPath = "" } = this.#options;
    const present = presenceOf.filter((path) => existsSync(join(projectPath, path)));
    const after = { registry, fingerprints, present };
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

  /** No queue: a slow reader gets one change that covers everything since the last one. */
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

/** A registry at one moment, and what its files contained. */
interface Snapshot {
  readonly registry: EntityRegistry;
  /** By path. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Which of the other files were there. */
  readonly present: readonly string[];
}

export interface EntityChange {
  readonly added: readonly Entity[];
  /** As they are now. */
  readonly changed: readonly Entity[];
  readonly removed: readonly Entity[];
  /** Everything, as it is now. Earlier registries stay as they were. */
  readonly registry: EntityRegistry;
  /** What is wrong now with files that give no entity. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What changed between two snapshots; `undefined` if nothing did. */
function differenceOf(before: Snapshot, after: Snapshot): EntityChange | undefined {
  const [old = new Map<string, Entity>(), now = new Map<string, Entity>()] = [before, after].map(
    ({ registry }) =>
      new Map(
        registry.entries().map((entity) => {
          const { provider, location, path, pointer } = entity.source;
          return [JSON.stringify([entity.type, entity.name, provider, location, path, pointer]), entity];
        }),
      ),
  );
  const added = [...now].flatMap(([identity, entity]) => (old.has(identity) ? [] : [entity]));
  const removed = [...old].flatMap(([identity, entity]) => (now.has(identity) ? [] : [entity]));
  const changed = [...now].flatMap(([identity, entity]) => {
    const predecessor = old.get(identity);
    const { path = "", pointer } = entity.source;
    if (predecessor === undefined || before.fingerprints.get(path) === after.fingerprints.get(path)) return [];
    // A file has one entity. A config file has many, and a change to one of them must not be reported for all.
    const isSame =
      pointer !== undefined &&
      predecessor.disabledBecause === entity.disabledBecause &&
      isDeepStrictEqual(predecessor.frontmatter, entity.frontmatter);
    return isSame ? [] : [entity];
  });
  const { registry } = after;
  const diagnostics = registry.diagnostics();
  const isQuiet =
    added.length + removed.length + changed.length === 0 && isDeepStrictEqual(before.present, after.present);
  if (isQuiet && isDeepStrictEqual(diagnostics, before.registry.diagnostics())) return undefined;
  return { added, changed, removed, registry, diagnostics };
}
