import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import type { IdentifiedPlugins } from "../opencode/find-plugin.ts";
import type { OpencodeConfig, PluginEntry } from "../opencode/read-config.ts";
import type { PackageTree } from "../packages/tree.ts";
import type { Place } from "./place.ts";
import type { FileChange } from "./step.ts";
import type { Store } from "./store/store.ts";

export interface DiskFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  /** All permission bits, if anybody has looked. */
  readonly mode?: number;
}

/** What lies in a place, all of the same moment. */
export interface Snapshot {
  readonly place: Place;
  /** As hugo.json has it: config files in it are portable paths, see `portablePath`. */
  readonly lock: Lock;
  /** All that OpenCode reads, in its order; also files that are not there yet. */
  readonly configs: readonly OpencodeConfig[];
  readonly plugins: IdentifiedPlugins;
  /** What the user should know: an interrupted change was finished, old state is moved. */
  readonly notices: readonly string[];
  /** Where the workflow stands in plugin arrays. */
  entriesOf(name: string): readonly PluginEntry[];
  /** A plugin: it is in an array. Copied files: they are not parked. */
  isEnabled(name: string): boolean;
  /** Those of the files that are there, by their path below `place.folder`. What is read here is compared again before a change. */
  disk(paths: Iterable<string>): Map<string, DiskFile>;
  /** The content of a base that the store still has. */
  baseOf(hash: Hash): Uint8Array | undefined;
  /** The package as it lies in the store; undefined if it is not there. It may have been tampered with. */
  storedTree(name: string): PackageTree | undefined;
}

/** What a command that changes something works with. */
export interface Workspace extends Snapshot {
  readonly store: Store;
}

/** All that one command changes. */
export interface ChangeSet {
  /** `install review 1.0.0`, kept for `hugo undo`. */
  readonly title: string;
  readonly lock: Lock;
  /** New text by absolute path, as edited from `snapshot.configs`; undefined deletes the file. */
  readonly configs?: ReadonlyMap<string, string | undefined>;
  /** Below `place.folder`. What was not read with `disk()` must not be there. */
  readonly files?: readonly FileChange[];
  /** Contents that a later merge needs. */
  readonly bases?: readonly { readonly hash: Hash; readonly bytes: Uint8Array }[];
}
