// Code can avoid these signals, so an update also reports which code changed, whatever it seems to do.
import { diffLines, splitLines } from "../../delivery/merge/diff-lines.ts";
import { type PackageTree, textOf } from "../../packages/tree.ts";
import { isCode } from "./code-signals.ts";
import { mediaType } from "./media-type.ts";

export interface ChangedCode {
  readonly path: string;
  /** Lines; both are zero if it is not text. */
  readonly added: number;
  readonly removed: number;
}

/** The code and scripts that an update adds, changes or removes, among the files that arrive. */
export function changedCode(before: PackageTree, after: PackageTree): ChangedCode[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): ChangedCode[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was !== undefined && is !== undefined && Buffer.compare(was.bytes, is.bytes) === 0) return [];
    const [old, now] = [textOf(before, path), textOf(after, path)];
    const isText = (was === undefined || old !== undefined) && (is === undefined || now !== undefined);
    if (!isText) {
      const isMedia = [was, is].every((file) => file === undefined || mediaType(file.bytes) !== undefined);
      return isMedia ? [] : [{ path, added: 0, removed: 0 }];
    }
    const [oldText, newText] = [old ?? "", now ?? ""];
    if (!isCode(path, oldText) && !isCode(path, newText)) return [];
    const hunks = diffLines(splitLines(oldText), splitLines(newText));
    const added = hunks.reduce((sum, { otherStart, otherEnd }) => sum + otherEnd - otherStart, 0);
    const removed = hunks.reduce((sum, { start, end }) => sum + end - start, 0);
    return [{ path, added, removed }];
  });
}

/** More are only counted. */
const MOST = 5;

/** `code changed: src/plugin.ts (+12 −3)`; undefined if none changed. */
export function describeChangedCode(changed: readonly ChangedCode[]): string | undefined {
  if (changed.length === 0) return undefined;
  const some = changed.slice(0, MOST).map(({ path, added, removed }) => {
    return added + removed === 0 ? `${path} (no text)` : `${path} (+${added} −${removed})`;
  });
  const more = changed.length > MOST ? ` and ${changed.length - MOST} more` : "";
  return `code changed: ${some.join(", ")}${more}`;
}
