// Some repositories keep one folder of skills or agents and link to it from where each tool looks.

/** Where links are followed; a link elsewhere has nothing that Hugo installs. */
const ENTITY_FOLDER = /(?:^|\/)(?:agents?|commands?|skills?|prompts)(?:\/|$)/;

/** As many links as may be on the way to one file. */
const MOST_HOPS = 8;

export interface FollowedLinks<File> {
  /** What is where a link is, as if it had been copied there. */
  readonly copies: readonly (readonly [path: string, file: File])[];
  /** The links, with the real paths that they point at. */
  readonly followed: ReadonlyMap<string, string>;
}

/**
 * Follows links to agents, commands and skills, as far as they stay in the repository. Links that lead out of it, to
 * nothing, to a folder they are in, or around in circles are not followed.
 *
 * @param count Called for every file and link on the way; it throws if there are too many.
 */
export function followLinks<File>(
  files: ReadonlyMap<string, File>,
  links: ReadonlyMap<string, string>,
  count: (file?: File) => void,
): FollowedLinks<File> {
  const sorted = [...files.keys(), ...links.keys()].sort(byCodeUnits);
  const copies: [string, File][] = [];
  const followed = new Map<string, string>();
  const copy = (to: string, real: string, above: readonly string[]): boolean => {
    count(files.get(real));
    const file = files.get(real);
    if (file !== undefined) {
      copies.push([to, file]);
      return true;
    }
    const inside = below(sorted, real);
    for (const path of inside) {
      const target = realPath(path, links);
      const isCircle = target !== path && [path, real, ...above].some((each) => isAbove(target ?? "", each));
      if (target !== undefined && !isCircle) copy(`${to}${path.slice(real.length)}`, target, [...above, real]);
    }
    return inside.length > 0;
  };
  for (const link of links.keys()) {
    const target = ENTITY_FOLDER.test(link) ? realPath(link, links) : undefined;
    // A damaged repository can have a link and a folder of the same name.
    if (target === undefined || isAbove(target, link) || files.has(link) || below(sorted, link).length > 0) continue;
    if (copy(link, target, [])) followed.set(link, target);
  }
  return { copies, followed };
}

/** Where a path leads, without links in it; undefined if it leads out of the repository or goes around in circles. */
function realPath(path: string, links: ReadonlyMap<string, string>): string | undefined {
  const real: string[] = [];
  let hops = 0;
  for (let rest = path.split("/"); rest.length > 0; ) {
    const [part = "", ...others] = rest;
    rest = others;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (real.pop() === undefined) return undefined;
      continue;
    }
    const target = links.get([...real, part].join("/"));
    if (target === undefined) real.push(part);
    else if (++hops > MOST_HOPS || target.startsWith("/") || /[\\\0]/.test(target)) return undefined;
    else rest = [...target.split("/"), ...others];
  }
  return real.join("/");
}

function isAbove(folder: string, path: string): boolean {
  return folder === "" || folder === path || path.startsWith(`${folder}/`);
}

/** The paths below a folder; those of one folder follow each other. */
function below(sorted: readonly string[], folder: string): string[] {
  const prefix = `${folder}/`;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < prefix) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (sorted[end]?.startsWith(prefix)) end++;
  return sorted.slice(low, end);
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
