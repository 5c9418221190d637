import { isUtf8 } from "node:buffer";
import type { LockedFile } from "@atomic/workflows/hugo-lock/lock";
import { hashOf } from "../../packages/hash.ts";
import { baseNow, placesOf } from "../../workspace/file-states.ts";
import { parkedPath } from "../../workspace/plan-parking.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { besideOf } from "../../workspace/step.ts";
import { type DiffHunk, unifiedDiff } from "./unified-diff.ts";

/** How a copied file differs from what its package gave. */
export interface FileDiff {
  readonly workflow: string;
  readonly version: string;
  /** Below `.opencode`, where it lies. */
  readonly path: string;
  /** What the user changed, or what an update would change that could not be merged. */
  readonly side: "local" | "update";
  readonly change: FileDifference;
}

type FileDifference =
  | { readonly kind: "text"; readonly hunks: readonly DiffHunk[] }
  /** Without hunks if what was there is no text, or not in the store. */
  | { readonly kind: "deleted"; readonly hunks?: readonly DiffHunk[] }
  /** One of the two is no text. */
  | { readonly kind: "binary" }
  /** What the package gave is not in the store. */
  | { readonly kind: "unknown-base" };

/** Of one workflow, sorted by place. Clean files have none. */
export function diffsOf(snapshot: Snapshot, name: string): FileDiff[] {
  const { delivery, version } = snapshot.lock.workflows.get(name)!;
  if (delivery.kind === "plugin") return [];
  const disk = snapshot.disk(placesOf(name, delivery));
  const files = [...delivery.files].sort(([a], [b]) => (a < b ? -1 : 1));
  return files.flatMap(([destination, file]): FileDiff[] => {
    if (file.kind === "skipped") return [];
    const whereIs = (path: string) => (delivery.parked ? parkedPath(name, path) : path);
    const path = whereIs(destination);
    const [present, beside] = [disk.get(path)?.bytes, disk.get(whereIs(besideOf(destination)))?.bytes];
    const local = localChange(snapshot, file, present, beside !== undefined);
    const about = { workflow: name, version, path };
    return [
      ...(local === undefined ? [] : [{ ...about, side: "local", change: local } as const]),
      ...(file.pending === undefined || beside === undefined
        ? []
        : [{ ...about, side: "update", change: difference(snapshot.baseOf(file.base), beside) } as const]),
    ];
  });
}

function localChange(
  snapshot: Snapshot,
  file: Extract<LockedFile, { kind: "installed" }>,
  present: Uint8Array | undefined,
  hasBeside: boolean,
): FileDifference | undefined {
  const base = baseNow(file, hasBeside);
  if (present === undefined) return deletion(snapshot.baseOf(base));
  return hashOf(present) === base ? undefined : difference(snapshot.baseOf(base), present);
}

function deletion(base: Uint8Array | undefined): FileDifference {
  const text = base === undefined ? undefined : textOf(base);
  return { kind: "deleted", ...(text !== undefined && { hunks: unifiedDiff(text, "") }) };
}

function difference(base: Uint8Array | undefined, other: Uint8Array): FileDifference {
  if (base === undefined) return { kind: "unknown-base" };
  const [before, after] = [textOf(base), textOf(other)];
  if (before === undefined || after === undefined) return { kind: "binary" };
  return { kind: "text", hunks: unifiedDiff(before, after) };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
