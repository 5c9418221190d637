// Whether a pattern of a file is about a path. Pure: links are not followed.
import { isAbsolute, relative, resolve, sep } from "node:path";
import { expandHome } from "../permission/rules.ts";
import { matchesWildcard } from "../permission/wildcard.ts";

/**
 * Whether all that the pattern is about is meant to have this path: `src/**` begins in the project, `*.md` is any file below
 * it, `~/notes/*` and `//etc/hosts` are elsewhere.
 */
export function allowsPath(pattern: string, path: string, folder: string): boolean {
  const absolute = slashed(resolve(folder, path));
  const [elsewhere] = absolutePatterns(pattern, folder);
  if (elsewhere !== undefined) return matchesWildcard(elsewhere, absolute);
  const inside = insideOf(folder, path);
  if (inside === undefined) return false;
  const local = pattern.replace(/^\.?\//, "");
  return matchesWildcard(local, inside) || (!pattern.includes("/") && matchesWildcard(pattern, nameOf(inside)));
}

/** As OpenCode has it: the whole path from the root is compared, so that `./src/*` and `/src/*` are about nothing. */
export function allowsOpencodePath(
  pattern: string,
  path: string,
  { folder, root }: { readonly folder: string; readonly root: string },
): boolean {
  const fromRoot = insideOf(root, resolve(folder, path));
  return (
    insideOf(folder, path) !== undefined && fromRoot !== undefined && matchesWildcard(expandHome(pattern), fromRoot)
  );
}

/** As `allowsPath`, but a doubt counts: a folder of this name may be anywhere. */
export function deniesPath(pattern: string, path: string, folder: string): boolean {
  const absolute = slashed(resolve(folder, path));
  const local = pattern.replace(/^\.?\//, "");
  const candidates = [...absolutePatterns(pattern, folder), pattern, local, `*/${local}`];
  return (
    allowsPath(pattern, path, folder) ||
    candidates.some((each) => matchesWildcard(each, absolute) || matchesWildcard(each, path))
  );
}

function absolutePatterns(pattern: string, folder: string): string[] {
  if (pattern.startsWith("//")) return [pattern.slice(1)];
  const expanded = expandHome(pattern);
  if (expanded !== pattern) return [slashed(expanded)];
  return pattern === folder || pattern.startsWith(`${slashed(folder)}/`) ? [pattern] : [];
}

function insideOf(folder: string, path: string): string | undefined {
  const inside = slashed(relative(folder, resolve(folder, path)));
  return isAbsolute(inside) || inside === ".." || inside.startsWith("../") ? undefined : inside;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
