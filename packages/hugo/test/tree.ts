import type { PackageFile, PackageTree } from "../src/packages/tree.ts";

/** A package in memory. A value that starts with "#!" is executable, as scripts are. */
export function tree(files: Readonly<Record<string, string | Uint8Array>>): PackageTree {
  const paths = Object.keys(files).sort();
  return new Map(paths.map((path): [string, PackageFile] => [path, fileOf(files[path] ?? "")]));
}

function fileOf(content: string | Uint8Array): PackageFile {
  const bytes = Buffer.from(content);
  return { bytes, executable: bytes.subarray(0, 2).toString() === "#!" };
}
