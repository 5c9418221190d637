import type { PackageTree } from "./tree.ts";

export interface TreeDifference {
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
