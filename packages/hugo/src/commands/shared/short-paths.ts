import { relative, sep } from "node:path";
import { UsageError } from "@atomic/terminal/refusal";
import type { Context } from "../../context.ts";
import { placeFor, type WorkspacePlace } from "../../workspace/place.ts";

/** Text for people, with its paths as they would write them. Programs are given the whole paths. */
export type ShortPaths = (text: string) => string;

/** Relative to the project, as everything else that Hugo says, or to the home. */
export function shortPathsIn(context: Pick<Context, "cwd" | "home" | "env">): ShortPaths {
  const root = projectOf(context);
  return (text) => {
    const inProject = root === undefined ? text : without(root, text, "");
    return without(context.home, inProject, "~/");
  };
}

/** None if the folder from which Hugo was started has been removed. */
function projectOf(context: Pick<Context, "cwd" | "home" | "env">): string | undefined {
  try {
    return placeFor(context, { global: false }).root;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** A path begins where a word or a quotation does: `file:///home/me` is none. */
function without(folder: string, text: string, instead: string): string {
  if (!/[^/\\]/.test(folder)) return text;
  const name = folder.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![^\\s"'\`(])${name}[/\\\\](?=[^\\s"'\`])`, "g"), instead);
}

// Paths in commands that a report offers: they must work in the folder where the report is read.
/** How a shell in the folder of the command finds the files of OpenCode: `.opencode`, or `../.opencode` further down. */
export function typedFolder({ cwd }: Pick<Context, "cwd">, { scope, folder }: WorkspacePlace): string {
  return scope === "project" ? relative(cwd, folder).split(sep).join("/") || "." : folder;
}

/** For a shell, in quotes where it needs them. */
export function typedPath(folder: string, path: string): string {
  const whole = `${folder}/${path}`;
  return /^[\w./@-]+$/.test(whole) ? whole : `'${whole.replaceAll("'", "'\\''")}'`;
}
