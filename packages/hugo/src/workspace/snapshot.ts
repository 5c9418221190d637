import { existsSync } from "node:fs";
import type { Hash } from "@atomic/durable-files/files/hash";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import type { General } from "@atomic/workflows/internal/entities/format";
import { lateGeneral, readGeneral } from "@atomic/workflows/internal/entities/opencode-general";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { configFiles, partOf } from "../opencode/config-files.ts";
import { findPlugin, type IdentifiedPlugins, identifyPlugins } from "../opencode/find-plugin.ts";
import { type ConfigDocument, type PluginEntry, readOpencodeConfig } from "../opencode/read-config.ts";
import type { PackageTree } from "../packages/tree.ts";
import { type DiskFile, type FileChange, olderBasePath } from "./copied-files.ts";
import { withExplainedErrors, withExplainedErrorsSync } from "./explained-errors.ts";
import { type Migrated, migrate } from "./migrate.ts";
import type { WorkspacePlace } from "./place.ts";
import { readLock } from "./read-lock.ts";
import { lockedRequest, targetOf } from "./request.ts";
import { boundaryOf, insideFolder, refuseUnsafePlace, withoutForeignContent } from "./safe-place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";
import { BaseStore } from "./store/bases.ts";
import type { DependencyProblem } from "./store/check-dependencies.ts";
import { isUnfinished, recoverIfNeeded } from "./store/state-folder.ts";
import { type Store, storedDependencies, storedFolder, storedSurroundings, storedTree } from "./store/store.ts";
import type { SurroundingsProblem } from "./store/surroundings.ts";

/** What one of OpenCode's configs says about every agent: a file, or a variable. */
export interface GeneralConfig extends General {
  readonly path: string;
  /** A variable may be gone tomorrow. */
  readonly isVariable: boolean;
}

/** The content of a place at one moment. */
export interface WorkspaceSnapshot {
  readonly place: WorkspacePlace;
  /** As hugo.json has it: config files in it are portable paths, see `portablePath`. */
  readonly lock: Lock;
  /** Everything OpenCode reads, in its order, including files that do not exist yet. */
  readonly configs: readonly ConfigDocument[];
  readonly plugins: IdentifiedPlugins;
  /** What the user should know, such as that an interrupted change was finished. */
  readonly notices: readonly string[];
  /** What OpenCode reads about every agent, in its order: `configs`, and what comes after them. */
  generalConfigs(): readonly GeneralConfig[];
  /** The workflow's positions in plugin arrays. */
  entriesOf(name: string): readonly PluginEntry[];
  /** A plugin: it is in an array. Copied files: they are not parked. */
  isEnabled(name: string): boolean;
  /** The files that exist, by their path below `place.folder`. What is read here is compared again before a change. */
  disk(paths: Iterable<string>): Map<string, DiskFile>;
  /** The content of a base that the store still has. */
  baseOf(hash: Hash): Uint8Array | undefined;
  /** The stored package; undefined if it is missing. It may have been tampered with. */
  storedTree(name: string): PackageTree | undefined;
  /** Whether its package is in the store at all. */
  isStored(name: string): boolean;
  /** How its dependencies in the store differ from the lock; empty if the package itself is missing. */
  dependencyProblems(name: string): readonly DependencyProblem[];
  /** What around its package in the store could change what its code imports. */
  surroundingsProblems(name: string): readonly SurroundingsProblem[];
}

export interface Workspace extends WorkspaceSnapshot {
  readonly store: Store;
  /** Fetches or asks only once what a command needs, even if it has to decide again. */
  once<T>(what: string, act: () => Promise<T>): Promise<T>;
}

/** Everything one command changes. */
export interface ChangeSet {
  /** `install review 1.0.0`, kept for `hugo undo`. */
  readonly title: string;
  readonly lock: Lock;
  /** New text by absolute path, as edited from `snapshot.configs`; undefined deletes the file. */
  readonly configs?: ReadonlyMap<string, string | undefined>;
  /** Below `place.folder`. A file that was not read with `disk()` must not exist. */
  readonly files?: readonly FileChange[];
  /** Contents that a later merge needs. */
  readonly bases?: readonly { readonly hash: Hash; readonly bytes: Uint8Array }[];
}

const MOST_TRIES = 5;

/** An interrupted change is finished or undone first; apart from that, nothing is written. */
export async function readSnapshot(
  place: WorkspacePlace,
  moving: "now" | "later" = "later",
  notices: string[] = [],
): Promise<SnapshotOnDisk> {
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    for (let tries = 1; ; tries++) {
      const recovered = await recoverIfNeeded(place.stateFolder, boundaryOf(place));
      if (recovered !== undefined) notices.push(recovered);
      const snapshot = new SnapshotOnDisk(place, moving, notices);
      // Another process may have made a change just now: it would have changed hugo.json last or left a record.
      const isOutdated =
        isUnfinished(place.stateFolder) || snapshot.reads.changed((path) => path === place.lockFile).length > 0;
      if (tries === MOST_TRIES || !isOutdated) return snapshot;
    }
  });
}

export class SnapshotOnDisk implements WorkspaceSnapshot {
  readonly place: WorkspacePlace;
  readonly lock: Lock;
  readonly configs: readonly ConfigDocument[];
  readonly plugins: IdentifiedPlugins;
  readonly notices: readonly string[];
  readonly reads: SeenFiles = new SeenFiles();
  readonly migrated: Migrated;
  readonly #bases: BaseStore;
  #generalConfigs: readonly GeneralConfig[] | undefined;

  /** @param moving When old state is moved to hugo.json, for the notice about it. */
  constructor(place: WorkspacePlace, moving: "now" | "later", notices: string[]) {
    this.place = place;
    this.#bases = new BaseStore(place.stateFolder);
    const files = configFiles(place.configs).filter(({ scope }) => place.scope === "project" || scope === "global");
    const own = files.filter(({ scope, path }) => scope === place.scope && partOf(path) === "server");
    try {
      this.migrated = migrate(
        place,
        readLock(textIn(this.reads, place.lockFile, "lock-invalid"), place.lockFile),
        own.map(({ path }) => path),
        this.reads,
      );
      this.configs = files.map(({ path }) =>
        readOpencodeConfig(path, this.migrated.configs.get(path) ?? textIn(this.reads, path)),
      );
    } catch (error) {
      throw withoutForeignContent(place, error);
    }
    this.lock = this.migrated.lock;
    this.plugins = identifyPlugins(this.configs);
    const how =
      moving === "now"
        ? "has been moved to hugo.json"
        : "will be moved to hugo.json the next time a command changes something";
    this.notices = notices;
    for (const found of this.migrated.found) notices.push(`${found} ${how}.`);
  }

  generalConfigs(): readonly GeneralConfig[] {
    const { env, start } = this.place.configs;
    this.#generalConfigs ??= [
      ...this.configs.flatMap(({ file, text }) => {
        if (partOf(file) === "tui") return [];
        const general = readGeneral({ path: file, text, env });
        return general === undefined ? [] : [{ path: file, isVariable: false, ...general }];
      }),
      ...lateGeneral(env, start).map((general) => ({ ...general, isVariable: general.path === general.place })),
    ];
    return this.#generalConfigs;
  }

  entriesOf(name: string): readonly PluginEntry[] {
    const workflow = this.lock.workflows.get(name);
    if (workflow === undefined) return [];
    return findPlugin(this.plugins, targetOf(lockedRequest(workflow, this.place), name, workflow.package, this.lock));
  }

  isEnabled(name: string): boolean {
    const delivery = this.lock.workflows.get(name)?.delivery;
    return delivery?.kind === "copy" ? !delivery.parked : this.entriesOf(name).length > 0;
  }

  disk(paths: Iterable<string>): Map<string, DiskFile> {
    return withExplainedErrorsSync(() => {
      const found = new Map<string, DiskFile>();
      for (const path of paths) {
        const file = this.reads.file(insideFolder(this.place, path));
        if (file === undefined) continue;
        const { bytes, mode } = file;
        found.set(path, { bytes, executable: (mode & 0o111) !== 0, mode });
      }
      return found;
    });
  }

  baseOf(hash: Hash): Uint8Array | undefined {
    return withExplainedErrorsSync(() => {
      const stored = this.#bases.get(hash);
      if (stored !== undefined) return stored;
      const committed = this.reads.file(joinInside(this.place.folder, olderBasePath(hash)));
      return committed?.hash === hash ? committed.bytes : undefined;
    });
  }

  storedTree(name: string): PackageTree | undefined {
    const workflow = this.lock.workflows.get(name);
    if (workflow === undefined) return undefined;
    return withExplainedErrorsSync(() => storedTree(this.place.stateFolder, name, workflow));
  }

  isStored(name: string): boolean {
    const { tree, dependencies, package: packageName } = this.lock.workflows.get(name) ?? {};
    if (tree === undefined || packageName === undefined) return false;
    return withExplainedErrorsSync(() =>
      existsSync(storedFolder(this.place.stateFolder, name, packageName, { tree, dependencies })),
    );
  }

  dependencyProblems(name: string): readonly DependencyProblem[] {
    const workflow = this.lock.workflows.get(name);
    if (workflow === undefined) return [];
    return withExplainedErrorsSync(() => storedDependencies(this.place.stateFolder, name, workflow));
  }

  surroundingsProblems(name: string): readonly SurroundingsProblem[] {
    const workflow = this.lock.workflows.get(name);
    if (workflow === undefined) return [];
    return withExplainedErrorsSync(() => storedSurroundings(this.place.stateFolder, name, workflow));
  }
}
