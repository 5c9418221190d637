import type { Hash } from "@atomic/durable-files/files/hash";
import { startHash } from "./hash.ts";
import type { PackageTree } from "./tree.ts";

/**
 * One hash over all paths, contents and executable bits, so that any change of any byte shows. Lengths stand before
 * what they measure: no two trees give the same text to hash.
 */
export function hashTree(tree: PackageTree): Hash {
  const hash = startHash();
  const paths = [...tree.keys()].sort(byBytes);
  for (const path of paths) {
    const { bytes, executable } = tree.get(path)!;
    hash.update(`${Buffer.byteLength(path)} ${path} ${executable ? "x" : "-"} ${bytes.byteLength} `);
    hash.update(bytes);
  }
  return `sha256:${hash.digest("hex")}`;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
