/** One entry of a list of tools, before it is matched to a tool. */
export interface ListedTool {
  readonly name: string;
  /** The text in parentheses. Never empty. */
  readonly pattern?: string;
}

export type ToolList = { readonly entries: readonly ListedTool[] } | { readonly problem: string };

/** Letters, digits and the punctuation of MCP servers, namespaces and wildcards, but nothing invisible. */
const TOOL_NAME = String.raw`^[\p{L}\p{N}_*][\p{L}\p{N}_.:/@*-]*$`;
/** The same for nearly all names, and ready at once: V8 is slow to compile Unicode classes. */
const ASCII_TOOL_NAME = /^[\w*][\w.:/@*-]*$/;
let madeToolName: RegExp | undefined;

export function isToolName(text: string): boolean {
  if (ASCII_TOOL_NAME.test(text)) return true;
  madeToolName ??= new RegExp(TOOL_NAME, "u");
  return madeToolName.test(text);
}

/** One name, or one name with a simple pattern: most of what files say. */
const SIMPLE_ENTRY = /^([A-Za-z]\w*)(?:\(([^\s"'()][^"'()]*)\))?$/;

/** Reads `Bash(git:*), Edit`: entries between commas or white space, each with an optional pattern in parentheses. */
export function parseToolList(text: string): ToolList {
  const simple = SIMPLE_ENTRY.exec(text);
  if (simple !== null) {
    const [, name = "", pattern] = simple;
    return { entries: [pattern === undefined ? { name } : { name, pattern }] };
  }
  const plain = parseReading(text, false);
  if (!/["']/.test(text)) return plain;
  const shielded = parseReading(text, true);
  if ("problem" in plain) return shielded;
  if ("problem" in shielded || JSON.stringify(plain) === JSON.stringify(shielded)) return plain;
  // `Bash(echo "a), Write(b")` is one entry or two, depending on what quotes mean. Never guess about permissions.
  return { problem: "a quote makes it unclear where a pattern ends" };
}

/** `quotesShield`: a parenthesis between quotes is part of the pattern. */
function parseReading(text: string, quotesShield: boolean): ToolList {
  const entries: ListedTool[] = [];
  let at = 0;
  while (at < text.length) {
    if (/[\s,]/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const end = endOfEntry(text, at, quotesShield);
    if (typeof end === "string") return { problem: end };
    const written = text.slice(at, end);
    at = end;
    const isQuoted = /^(["'])[\s\S]*\1$/.test(written);
    const entry = isQuoted ? written.slice(1, -1).trim() : written;
    // A quoted entry may contain anything, so look for its end again.
    const entryEnd = endOfEntry(entry, 0, quotesShield);
    if (typeof entryEnd === "string") return { problem: entryEnd };
    if (entryEnd !== entry.length) return { problem: `${excerpt(entry)} contains more than one tool` };
    const open = entry.indexOf("(");
    const name = open === -1 ? entry : entry.slice(0, open);
    if (!isToolName(name)) return { problem: `${excerpt(entry)} does not start with a tool name` };
    const pattern = open === -1 ? undefined : entry.slice(open + 1, -1);
    if (pattern === undefined) entries.push({ name });
    else if (name.includes("*")) return { problem: `${excerpt(entry)} has a pattern without a tool name` };
    else if (pattern.trim() === "") return { problem: `${excerpt(entry)} has nothing between its parentheses` };
    else entries.push({ name, pattern });
  }
  return { entries };
}

/** The index after the entry, or what is wrong with it. */
function endOfEntry(text: string, start: number, quotesShield: boolean): number | string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    const isQuote = char === '"' || char === "'";
    if (depth === 0 && /[\s,]/.test(char)) return at;
    if (isQuote && (at === start || (depth > 0 && quotesShield))) {
      at = text.indexOf(char, at + 1);
      if (at === -1) return `a quote is never closed in ${excerpt(text.slice(start))}`;
    } else if (char === "(") {
      depth += 1;
    } else if (char === ")") {
      depth -= 1;
      if (depth < 0) return `")" without "(" in ${excerpt(text.slice(start))}`;
      if (depth === 0 && !/^[\s,]?$/.test(text.charAt(at + 1)))
        return `unexpected text after ")" in ${excerpt(text.slice(start))}`;
    }
  }
  return depth === 0 ? text.length : `"(" is never closed in ${excerpt(text.slice(start))}`;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
