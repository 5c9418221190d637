import type { Manifest } from "../manifest.ts";
import type { PackageTree } from "../package/tree.ts";
import { filesToCopy } from "../plan/copied-files.ts";
import type { DeliverOptions, FilesToDeliver } from "./delivery.ts";

/**
 * What would be copied, by destination: translated and checked.
 *
 * @param selection Such as `agents/reviewer`; everything without it.
 */
export function filesToDeliver(
  manifest: Manifest,
  tree: PackageTree,
  selection?: ReadonlySet<string>,
  _options: DeliverOptions = {},
): FilesToDeliver {
  return { files: filesToCopy(manifest, tree, selection), notes: [], stopped: [] };
}
