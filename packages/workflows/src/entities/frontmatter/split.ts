import type { Diagnostic } from "../diagnostic.ts";

/**
 * Where a file's frontmatter and body are. Offsets count UTF-16 units, including a byte order mark. `broken` means that
 * the file has something like frontmatter that cannot be trusted, so its restrictions are unknown.
 */
export type FrontmatterSplit = { readonly bodyStart: number; readonly diagnostics: readonly Diagnostic[] } & (
  | { readonly kind: "absent" | "broken" }
  | { readonly kind: "present"; readonly yaml: string; readonly yamlStart: number }
);

// Any white space may follow the dashes: Claude Code and OpenCode accept all of it.
const OPENING = /---[^\S\r\n]*\r?\n/y;
const LANGUAGE = /---(?!-)[^\S\r\n]*(\S[^\r\n]*)(?:\r\n?|\n)/y;
const OLD_MAC = /---[^\S\r\n]*\r(?!\n)/y;
const NOTHING_TO_SEE = /[\s\p{Cf}]+/uy;
const FENCE = /---(?!-)[^\r\n]*(?:\r\n?|\n)/y;
const YAML_LANGUAGE = /^ya?ml\s*$/i;
const BLANK_OR_COMMENT = /^\s*(?:#|$)/;
// A string, because V8 is slow to compile Unicode classes in a regular expression literal.
const FIRST_OF_A_MAP = String.raw`^\s*(?:[{?&!%]|(?:"[^"]*"|'[^']*'|[\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*:)`;
const NONE: readonly Diagnostic[] = Object.freeze([]);

/**
 * Splits a Markdown file into frontmatter and body without reading either.
 *
 * The block starts on line 1 with `---` and ends at the next line that is only `---`. White space after the dashes, CRLF
 * and a byte order mark are fine. `---js` and the like are never evaluated.
 *
 * @example
 * const split = splitFrontmatter("---\nname: x\n---\nBody");
 * // { kind: "present", yaml: "name: x\n", bodyStart: 16, … }
 */
export function splitFrontmatter(text: string): FrontmatterSplit {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const yamlStart = text.startsWith("---\n", start) ? start + 4 : matchEnd(OPENING, text, start);
  if (yamlStart === -1) {
    const problem = brokenOpening(text, start);
    if (problem === undefined) return { kind: "absent", bodyStart: start, diagnostics: NONE };
    return { kind: "broken", bodyStart: start, diagnostics: [problem] };
  }
  const closing = findClosing(text, yamlStart);
  // Claude Code takes the whole file as the prompt, OpenCode takes it all as YAML, Copilot drops the file.
  // They all differ, and the block may contain a restriction, so this is an error and not a guess.
  if (closing === undefined) {
    const message = "The frontmatter that starts on line 1 has no closing `---` line.";
    const hint =
      "Add a line containing only `---` before the body. If the first `---` is meant as a horizontal rule, put a blank line above it.";
    const position = { line: 1, column: 1 };
    const diagnostics = [{ severity: "error", code: "frontmatter-unterminated", message, ...position, hint }] as const;
    return { kind: "broken", bodyStart: start, diagnostics };
  }
  const yaml = text.slice(yamlStart, closing.start);
  const fence = yaml.indexOf("---");
  let diagnostics = NONE;
  if (fence !== -1) {
    const before = yaml.slice(0, fence);
    const message = "Claude Code ends the frontmatter at any `---`, so it does not see any keys after this point.";
    const position = { line: before.split("\n").length + 1, column: fence - before.lastIndexOf("\n") };
    const hint = "Use two dashes, or a different kind of dash, inside the frontmatter.";
    diagnostics = [{ severity: "warning", code: "frontmatter-inner-fence", message, ...position, hint }];
  }
  return { kind: "present", yaml, yamlStart, bodyStart: closing.end, diagnostics };
}

/** The first line at or after `from` that is only `---`: the offset of its start and of the next line. */
function findClosing(text: string, from: number): { start: number; end: number } | undefined {
  for (let newline = text.indexOf("\n---", from - 1); newline !== -1; newline = text.indexOf("\n---", newline + 4)) {
    let at = newline + 4;
    if (text.charCodeAt(at) === 0x0a) return { start: newline + 1, end: at + 1 };
    while (text[at] === " " || text[at] === "\t") at += 1;
    if (at === text.length) return { start: newline + 1, end: at };
    if (text[at] === "\r" && (text[at + 1] === "\n" || at + 1 === text.length)) at += 1;
    if (text[at] === "\n" || at === text.length) return { start: newline + 1, end: Math.min(at + 1, text.length) };
  }
  return undefined;
}

/** Why a file that does not start with `---` may still be intended to have frontmatter. */
function brokenOpening(text: string, start: number): Diagnostic | undefined {
  LANGUAGE.lastIndex = start;
  const language = LANGUAGE.exec(text)?.[1];
  const rest = LANGUAGE.lastIndex;
  // OpenCode reads `---yaml` up to the end of the file if necessary, and ends a block at any line that starts with dashes.
  if (language !== undefined && (YAML_LANGUAGE.test(language) || hasFence(text, rest) || startsLikeMap(text, rest))) {
    const message = `The frontmatter starts with \`---${language.trim().slice(0, 20)}\`; only YAML after a bare \`---\` is read.`;
    const hint =
      "Write the keys as YAML, and remove everything after `---` on the first line. Nothing in the block was evaluated.";
    return { severity: "error", code: "frontmatter-language", message, line: 1, column: 4, hint };
  }
  if (matchEnd(OLD_MAC, text, start) !== -1) {
    const message = "Line 1 ends with a bare carriage return, so no tool can find the end of the frontmatter.";
    const hint = "Save the file with LF or CRLF line endings.";
    return { severity: "error", code: "frontmatter-line-endings", message, line: 1, column: 4, hint };
  }
  const dashes = matchEnd(NOTHING_TO_SEE, text, start);
  const from = dashes === -1 ? -1 : matchEnd(FENCE, text, dashes);
  if (from === -1 || !hasFence(text, from) || !startsLikeMap(text, from)) return undefined;
  const message = "Invisible characters come before the first `---`, so tools read the frontmatter as body text.";
  const hint = "Make `---` the first three characters of the file.";
  return { severity: "error", code: "frontmatter-misplaced", message, line: 1, column: 1, hint };
}

/** Whether a later line starts with dashes, whatever follows them. */
function hasFence(text: string, from: number): boolean {
  return text.includes("\n---", from - 1) || text.includes("\r---", from - 1);
}

/** Whether the first line that is not blank or a comment could start a YAML map. */
function startsLikeMap(text: string, from: number): boolean {
  const lines = text.slice(from).split(/\r\n?|\n/);
  return new RegExp(FIRST_OF_A_MAP, "u").test(lines.find((line) => !BLANK_OR_COMMENT.test(line)) ?? "");
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
