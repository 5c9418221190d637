import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The project that a folder belongs to: the nearest folder, from here upwards, with one of the marks in it. The home
 * folder is nobody's project but its own, as what lies there is the user's.
 */
export function findProject(
  cwd: string,
  { home, marks }: { readonly home: string; readonly marks: Iterable<string> },
): string {
  const known = [...marks];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (known.some((mark) => existsSync(join(folder, mark)))) return folder;
    const above = dirname(folder);
    if (folder === home || above === home || above === folder) return cwd;
  }
}
