import { findShellAndFileReferences } from "@atomic/workflows/arguments/references";
import { findHiddenCharacters } from "@atomic/workflows/hidden-characters";
import type { Capability } from "./capability.ts";

/** What OpenCode executes or reads when it expands a command or a skill. */
export function readReferences(path: string, text: string, type: "command" | "skill"): Capability[] {
  return findShellAndFileReferences(text).flatMap(({ kind, text: what }): Capability[] => {
    const detail = what.replace(/\s+/g, " ").trim();
    if (kind === "shell") return [{ kind, subject: path, detail }];
    // Skills talk about @scopes and @decorators; only commands have their files read.
    return type === "command" ? [{ kind, subject: path, detail }] : [];
  });
}

/** `{env:NAME}` and `{file:path}`, which OpenCode replaces in a config. */
export function readSubstitutions(path: string, text: string): Capability[] {
  return Array.from(text.matchAll(/\{(?:env|file):[^{}\n]{1,200}\}/gi), ([detail]): Capability => {
    return { kind: "substitution", subject: path, detail };
  });
}

/** One entry for each kind of character that a reader does not see. */
export function readHidden(path: string, text: string): Capability[] {
  const kinds = new Set(findHiddenCharacters(text).map(({ kind }) => kind));
  return [...kinds].map((kind): Capability => ({ kind: "hidden", subject: path, detail: kind }));
}

/** Whether a reference in a command leads out of the project. */
export function leadsOutside(path: string): boolean {
  return /^(?:[/~\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|^\$/i.test(path);
}
