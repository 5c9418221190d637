// What of a locked workflow is missing, for its restoration. Touches no disk.

import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedDelivery, LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../packages/hash.ts";
import type { Manifest } from "../packages/manifest.ts";
import type { PackageTree } from "../packages/tree.ts";
import type { DraftView } from "../workspace/draft.ts";
import { parkedPath } from "../workspace/plan-parking.ts";
import { besideOf, type FileChange } from "../workspace/step.ts";
import type { Decision } from "./decision.ts";
import { deliveredUnder, filesToDeliver } from "./translate/files-to-deliver.ts";

export interface Restoration extends Pick<Decision, "bases"> {
  readonly files: readonly Extract<FileChange, { kind: "write" }>[];
  /** Files of the user, which stay as they are. */
  readonly edited: readonly string[];
  /** Missing files of which the locked version does not hold what was there. */
  readonly lost: readonly string[];
}

type CopyDelivery = Extract<LockedDelivery, { kind: "copy" }>;
type Installed = Extract<LockedFile, { kind: "installed" }>;

/** @param known The locked version of the package. */
export function planRestoration(
  view: DraftView,
  name: string,
  { parked, files, permission }: CopyDelivery,
  known: { readonly tree: PackageTree; readonly manifest: Manifest },
): Restoration {
  const { files: given } = filesToDeliver(known.manifest, known.tree, undefined, deliveredUnder(permission));
  const contents = new Map([...given.values()].map(({ bytes }) => [hashOf(bytes), bytes]));
  const contentOf = (hash: Hash): Uint8Array | undefined => contents.get(hash) ?? view.baseOf(hash);
  const place = (path: string): string => (parked ? parkedPath(name, path) : path);
  const installed = [...files].filter((entry): entry is [string, Installed] => entry[1].kind === "installed");
  const disk = view.disk(installed.flatMap(([path]) => [place(path), place(besideOf(path))]));

  const missing = installed.filter(([path, { deleted }]) => deleted !== true && !disk.has(place(path)));
  const edited = installed.filter(([path, file]) => {
    const present = disk.get(place(path));
    const base = file.pending !== undefined && !disk.has(place(besideOf(path))) ? file.pending : file.base;
    return present !== undefined && hashOf(present.bytes) !== base;
  });
  return {
    files: missing.flatMap(([path, { base }]) => {
      const bytes = contentOf(base);
      const executable = given.get(path)?.executable ?? false;
      return bytes === undefined ? [] : [{ kind: "write", path: place(path), bytes, executable } as const];
    }),
    lost: missing.filter(([, { base }]) => contentOf(base) === undefined).map(([path]) => place(path)),
    edited: edited.map(([path]) => place(path)),
    bases: installed.flatMap(([, { base, pending }]) =>
      [base, ...(pending === undefined ? [] : [pending])].flatMap((hash) => {
        const bytes = contents.get(hash);
        return bytes === undefined || view.baseOf(hash) !== undefined ? [] : [{ hash, bytes }];
      }),
    ),
  };
}
