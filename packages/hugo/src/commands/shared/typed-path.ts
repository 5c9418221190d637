// Paths in commands that a report offers: they must work in the folder in which somebody reads it.
import { relative, sep } from "node:path";
import type { Context } from "../../context.ts";
import type { Place } from "../../workspace/place.ts";

/** How a shell in the folder of the command finds the files of OpenCode: `.opencode`, or `../.opencode` further down. */
export function typedFolder({ cwd }: Pick<Context, "cwd">, { scope, folder }: Place): string {
  return scope === "project" ? relative(cwd, folder).split(sep).join("/") || "." : folder;
}

/** For a shell, in quotes where it needs them. */
export function typedPath(folder: string, path: string): string {
  const whole = `${folder}/${path}`;
  return /^[\w./@-]+$/.test(whole) ? whole : `'${whole.replaceAll("'", "'\\''")}'`;
}
