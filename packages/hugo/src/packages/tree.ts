import { isUtf8 } from "node:buffer";

export interface PackageFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Every file of a package by its relative path, sorted. The paths have been checked: plain, inside, no links. */
export type PackageTree = ReadonlyMap<string, PackageFile>;

/** The text of a file, or undefined if it is not there or no text. */
export function textOf(tree: PackageTree, path: string): string | undefined {
  const bytes = tree.get(path)?.bytes;
  if (bytes === undefined || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** The paths below a folder; of all files for `""`. */
export function pathsBelow(tree: PackageTree, folder: string): string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return [...tree.keys()].filter((path) => path.startsWith(prefix));
}
