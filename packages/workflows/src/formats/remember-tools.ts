import type { NormalizedTools } from "../normalize/restrictions.ts";

type Values = Readonly<Record<string, unknown>>;
type ReadTools = (values: Values) => NormalizedTools;

/** Every key that says something about tools, in whichever format. */
const toolKeys = ["tools", "allowed-tools", "disallowed-tools", "disallowedTools", "permission"] as const;
const most = 1_000;

/**
 * The same reader, but what many files say in the same words is read once, and its result shared. Only texts, lists of texts
 * and maps of texts are remembered: for them, the same words are certainly the same value.
 */
export function rememberTools(read: ReadTools): ReadTools {
  const known = new Map<string, NormalizedTools>();
  return (values) => {
    const words = wordsOf(values);
    if (words === undefined) return read(values);
    const before = known.get(words);
    if (before !== undefined) return before;
    const result = read(values);
    if (known.size === most) known.clear();
    known.set(words, result);
    return result;
  };
}

function wordsOf(values: Values): string | undefined {
  let words = "";
  for (const key of toolKeys) {
    const value = values[key];
    if (value === undefined) words += "\0\0";
    else if (typeof value === "string" && !value.includes("\0")) words += `s${value}\0\0`;
    else if (isTexts(value)) words += `l${value.join("\0")}\0\0`;
    else if (isActions(value)) words += `m${Object.entries(value).flat().join("\0")}\0\0`;
    else return undefined;
  }
  return words;
}

/** An empty text in a list would be mistaken for the end of it, and NUL for a gap. */
function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isWord);
}

function isActions(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, item]) => isWord(key) && isWord(item));
}

function isWord(item: unknown): boolean {
  return typeof item === "string" && item !== "" && !item.includes("\0");
}
