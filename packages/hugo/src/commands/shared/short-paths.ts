import { relative, sep } from "node:path";
import { UsageError } from "@atomic/terminal/refusal";
import { shellWord } from "@atomic/terminal/shell-words";
import type { Context } from "../../context.ts";
import { placeFor, type WorkspacePlace } from "../../workspace/place.ts";

/** Text for people, with short paths. Programs get the whole paths. */
export type ShortPaths = (text: string) => string;

/** Relative to the project, as in all of Hugo's messages, or to the home folder. */
export function shortPathsIn(context: Pick<Context, "cwd" | "home" | "env">): ShortPaths {
  const { home } = context;
  let root: string | undefined;
  try {
    root = placeFor(context, { global: false }).root;
  } catch (error) {
    // The folder from which Hugo was started has been removed.
    if (!(error instanceof UsageError)) throw error;
  }
  // In a command, a shortened path could be quoted, or be taken for the name of a package.
  return (text) =>
    text.replaceAll(/(`(?:hugo|rm|diff|mv) [^`]*`)|[^`]+|`/g, (part, command?: string) => {
      if (command !== undefined) return part;
      const inProject = root === undefined ? part : without(root, part, "");
      return without(home, inProject, "~/");
    });
}

/** A path begins where a word or a quotation does, so `file:///home/me` is not one. */
function without(folder: string, text: string, instead: string): string {
  if (!/[^/\\]/.test(folder)) return text;
  const name = folder.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![^\\s"'\`(])${name}[/\\\\](?=[^\\s"'\`])`, "g"), instead);
}

/** OpenCode's folder for a shell in the current folder: `.opencode`, or `../.opencode` further down. */
export function typedFolder({ cwd }: Pick<Context, "cwd">, { scope, folder }: WorkspacePlace): string {
  return scope === "project" ? relative(cwd, folder).split(sep).join("/") || "." : folder;
}

/** A path for a shell, quoted if needed. */
export function typedPath(folder: string, path: string): string {
  return shellWord(`${folder}/${path}`);
}
