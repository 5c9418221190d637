import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";
import { findShellAndFileReferences } from "@atomic/workflows/internal/entities/arguments/references";
import type { Capability } from "../../packages/capability.ts";

/** What OpenCode runs or reads when it expands a command or a skill. */
export function readReferences(path: string, text: string, type: "command" | "skill"): Capability[] {
  return findShellAndFileReferences(text).flatMap(({ kind, text: what }): Capability[] => {
    const detail = what.replace(/\s+/g, " ").trim();
    if (kind === "shell") return [{ kind, subject: path, detail }];
    // Skills mention @scopes and @decorators; OpenCode reads only the files that commands name.
    const isTemplate = /^\$\{[^/\\]*$/.test(detail);
    return type === "command" && !isTemplate ? [{ kind, subject: path, detail }] : [];
  });
}

/** After this many, the rest of a text is not checked. */
const MOST_HIDDEN = 100_000;
const PIECE = 1 << 20;

/** One entry for each kind of invisible character. */
export function readHidden(path: string, text: string): Capability[] {
  const kinds = new Set<string>();
  let count = 0;
  // In pieces, because each found character takes a hundred times its size.
  for (let start = 0, end = 0; start < text.length; start = end) {
    // After a line, so nothing is split.
    const line = text.lastIndexOf("\n", start + PIECE);
    end = text.length - start <= PIECE ? text.length : line > start ? line + 1 : start + PIECE;
    const found = findHiddenCharacters(text.slice(start, end));
    for (const { kind } of found) kinds.add(kind);
    count += found.length;
    if (count <= MOST_HIDDEN) continue;
    kinds.add(`more than ${MOST_HIDDEN} characters`);
    break;
  }
  return [...kinds].map((kind): Capability => ({ kind: "hidden", subject: path, detail: kind }));
}

/** Whether a reference in a command leads out of the project. */
export function leadsOutside(path: string): boolean {
  // OpenCode fills in `$1`. No tool fills in `${x}`, and `$1=` is code.
  return /^(?:[/~\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|^\$\w+(?![\w=])/i.test(path);
}
