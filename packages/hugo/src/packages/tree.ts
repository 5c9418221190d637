import { isUtf8 } from "node:buffer";
import type { Hash } from "@atomic/durable-files/files/hash";
import { startHash } from "./hash.ts";

export interface PackageFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Every file of a package by its relative path, sorted. The paths are checked: plain, inside the package, no links. */
export type PackageTree = ReadonlyMap<string, PackageFile>;

/** The text of a file; undefined if it does not exist or is not text. */
export function textOf(tree: PackageTree, path: string): string | undefined {
  const bytes = tree.get(path)?.bytes;
  return bytes && decodeText(bytes);
}

/** Undefined if it is not text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** The paths below a folder; all paths for `""`. */
export function pathsBelow(tree: PackageTree, folder: string): string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return [...tree.keys()].filter((path) => path.startsWith(prefix));
}

/**
 * One hash over all paths, contents and executable bits, so any changed byte shows. Lengths come before
 * what they measure: no two trees give the same text to hash.
 */
export function hashTree(tree: PackageTree): Hash {
  const hash = startHash();
  const paths = [...tree.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const path of paths) {
    const { bytes, executable } = tree.get(path)!;
    hash.update(`${Buffer.byteLength(path)} ${path} ${executable ? "x" : "-"} ${bytes.byteLength} `);
    hash.update(bytes);
  }
  return `sha256:${hash.digest("hex")}`;
}

interface TreeDifference {
  readonly path: string;
  readonly how: "changed" | "missing" | "added";
}

/** Which files differ in content. Whether they are executable is not compared: package managers disagree about it. */
export function compareTrees(expected: PackageTree, found: PackageTree): TreeDifference[] {
  const paths = [...new Set([...expected.keys(), ...found.keys()])].sort();
  return paths.flatMap((path): TreeDifference[] => {
    const [before, now] = [expected.get(path), found.get(path)];
    if (before === undefined) return [{ path, how: "added" }];
    if (now === undefined) return [{ path, how: "missing" }];
    return Buffer.compare(before.bytes, now.bytes) === 0 ? [] : [{ path, how: "changed" }];
  });
}
