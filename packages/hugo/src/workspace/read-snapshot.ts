import type { Hash } from "@atomic/durable-files/files/hash";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { configFiles } from "../opencode/config-files.ts";
import { findPlugin, type IdentifiedPlugins, identifyPlugins } from "../opencode/find-plugin.ts";
import { type OpencodeConfig, type PluginEntry, readOpencodeConfig } from "../opencode/read-config.ts";
import type { PackageTree } from "../packages/tree.ts";
import { parsePackageSpec } from "../sources/spec.ts";
import { withExplainedErrors, withExplainedErrorsSync } from "./explained-errors.ts";
import { readLock } from "./lock-file/read-lock.ts";
import { type Migrated, migrate } from "./migrate.ts";
import type { Place } from "./place.ts";
import { textIn } from "./read-text.ts";
import { Reads } from "./reads.ts";
import { isUnfinished, recoverIfNeeded } from "./recover-if-needed.ts";
import { refuseUnsafePlace, withoutForeignContent } from "./safe-place.ts";
import type { DiskFile, Snapshot } from "./snapshot.ts";
import { Bases } from "./store/bases.ts";
import { storedTree } from "./store/packages.ts";

const MOST_TRIES = 5;

/**
 * Everything of one moment, for commands that only look. A change that was interrupted is finished or undone first;
 * apart from that nothing is written.
 */
export async function readSnapshot(place: Place): Promise<Snapshot> {
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    const notices: string[] = [];
    for (let tries = 1; ; tries++) {
      const recovered = await recoverIfNeeded(place.stateFolder);
      if (recovered !== undefined) notices.push(recovered);
      const snapshot = new SnapshotOnDisk(place, "later", notices);
      // Somebody else may have made a change just now: it would have changed hugo.json last or left a record.
      const interrupted = isUnfinished(place.stateFolder);
      if (tries === MOST_TRIES || (!interrupted && !snapshot.isOutdated())) return snapshot;
    }
  });
}

export class SnapshotOnDisk implements Snapshot {
  readonly place: Place;
  readonly lock: Lock;
  readonly configs: readonly OpencodeConfig[];
  readonly plugins: IdentifiedPlugins;
  readonly notices: readonly string[];
  readonly reads: Reads = new Reads();
  readonly migrated: Migrated;
  readonly #bases: Bases;

  /** @param moving When old state is moved to hugo.json, for the notice about it. */
  constructor(place: Place, moving: "now" | "later", notices: string[]) {
    this.place = place;
    this.#bases = new Bases(place.stateFolder);
    const files = configFiles(place.configs).filter(({ scope }) => place.scope === "project" || scope === "global");
    const own = files.filter(({ scope }) => scope === place.scope).map(({ path }) => path);
    try {
      this.migrated = migrate(
        place,
        readLock(textIn(this.reads, place.lockFile, "lock-invalid"), place.lockFile),
        own,
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
    const how = moving === "now" ? "is moved" : "will be moved by the next command that changes something";
    this.notices = notices;
    for (const found of this.migrated.found) notices.push(`${found} ${how} to hugo.json.`);
  }

  isOutdated(): boolean {
    return this.reads.changed([this.place.lockFile]).length > 0;
  }

  entriesOf(name: string): readonly PluginEntry[] {
    const workflow = this.lock.workflows.get(name);
    if (workflow === undefined) return [];
    const gitUrl = gitUrlOf(workflow.source);
    return findPlugin(this.plugins, { packageName: workflow.package, ...(gitUrl !== undefined && { gitUrl }) });
  }

  isEnabled(name: string): boolean {
    const delivery = this.lock.workflows.get(name)?.delivery;
    return delivery?.kind === "copy" ? !delivery.parked : this.entriesOf(name).length > 0;
  }

  disk(paths: Iterable<string>): Map<string, DiskFile> {
    return withExplainedErrorsSync(() => {
      const found = new Map<string, DiskFile>();
      for (const path of paths) {
        const file = this.reads.file(joinInside(this.place.folder, path));
        if (file === undefined) continue;
        const { bytes, mode } = file;
        found.set(path, { bytes, executable: (mode & 0o111) !== 0, mode });
      }
      return found;
    });
  }

  baseOf(hash: Hash): Uint8Array | undefined {
    return withExplainedErrorsSync(() => this.#bases.get(hash));
  }

  storedTree(name: string): PackageTree | undefined {
    const workflow = this.lock.workflows.get(name);
    if (workflow === undefined) return undefined;
    return withExplainedErrorsSync(() => storedTree(this.place.stateFolder, name, workflow));
  }
}

function gitUrlOf(spec: string): string | undefined {
  if (!spec.startsWith("git")) return undefined;
  const source = parsePackageSpec(spec);
  return source.kind === "git" ? source.url : undefined;
}
