// Both programs run the !`commands` in a text, but not the same ones, and only Claude Code looks at permissions first.
import { findShellAndFileReferences } from "@atomic/workflows/internal/entities/arguments/references";
import { normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";

export interface LostLimit {
  /** In the body. */
  readonly offset: number;
  readonly because: string;
}

/** With nothing between the marks, and white space in front. */
const isApart = /^\s?!`/;

/** The first command that OpenCode would run and Claude Code would not. */
export function unwantedShell(body: string, allowedTools: unknown): LostLimit | undefined {
  const isAllowed = allowedShell(allowedTools);
  for (const { kind, text, start } of findShellAndFileReferences(body)) {
    // Claude Code runs blocks, too, but OpenCode does not.
    if (kind !== "shell" || body.charAt(start) !== "!") continue;
    const shown = JSON.stringify(text);
    if (!isApart.test(body.slice(Math.max(0, start - 1), start + 2))) {
      return { offset: start, because: `OpenCode would run ${shown} in a shell, which is plain text to Claude Code` };
    }
    if (!isAllowed(text)) {
      return { offset: start, because: `OpenCode would run ${shown} in a shell, which "allowed-tools" does not allow` };
    }
  }
  return undefined;
}

function allowedShell(allowedTools: unknown): (command: string) => boolean {
  const normal = normalizeTools(allowedTools, { provider: "claude", key: "allowed-tools" });
  if (normal.kind === "unrestricted") return () => true;
  const rules = normal.kind === "restricted" ? (normal.restrictions.allow ?? []) : [];
  const patterns = rules.flatMap(({ tool, pattern = "*" }) => (tool === "bash" ? [pattern] : []));
  const isListed = (command: string): boolean => patterns.some((pattern) => matches(pattern, command));
  return (command) => isListed(command) || partsOf(command)?.every(isListed) === true;
}

function matches(pattern: string, command: string): boolean {
  if (pattern === "*" || pattern === ":*") return true;
  if (/[?\\]/.test(pattern) || /[;&|<>`\n]|\$\(/.test(command)) return pattern === command;
  // Claude's `git:*` is what `git *` is to everybody else.
  return matchesWildcard(pattern.replace(/:\*$/, " *"), command);
}

const HARMLESS = /(?<=\s)2>(?:&1| ?\/dev\/null)(?=\s|$)/g;

/** The commands of a line; undefined if there is more to it than a few in a row. */
function partsOf(line: string): string[] | undefined {
  const plain = line.replaceAll(HARMLESS, "");
  const parts = plain.split(/&&|\|\||[;|]/).map((part) => part.trim());
  return parts.some((part) => /[&<>`\n]|\$\(/.test(part)) ? undefined : parts;
}
