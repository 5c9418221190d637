import type { Hash } from "../hash.ts";
import type { Lock } from "../lock-file/lock.ts";
import type { FileChange } from "../plan/step.ts";

/** All that one command changes. */
export interface Draft {
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
