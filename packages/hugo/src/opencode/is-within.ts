import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is the folder or is below it; both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  // On Windows, another drive has no relative path.
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
