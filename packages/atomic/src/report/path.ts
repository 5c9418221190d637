import { isAbsolute, join, relative, sep } from "node:path";

/** The folders that a report speaks about. */
export interface Where {
  readonly cwd: string;
  readonly project: string;
  readonly home: string;
}

/** What every JSON document of a project begins with. */
export function documentOf({ project, home }: Where, found: object): object {
  return { version: 1, project, home, ...found };
}

/** As one would type it here: from the current folder for a project's file, `~/…` for a user's. */
export function shortPath(path: string, { cwd, project, home }: Where): string {
  // Nearly every path of a long list, and then the work below would take a while.
  if (path.startsWith(`${cwd}${sep}`) && !path.includes(`${sep}..`)) return path.slice(cwd.length + 1);
  if (isInside(path, project) || isInside(path, cwd)) return relative(cwd, path) || ".";
  return isInside(path, home) ? join("~", relative(home, path)) : path;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
