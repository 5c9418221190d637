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
  const known = memoryOf(read);
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

/** Formats share readers, and so what these remember. */
const memories = new WeakMap<ReadTools, Map<string, NormalizedTools>>();

function memoryOf(read: ReadTools): Map<string, NormalizedTools> {
  const known = memories.get(read) ?? new Map<string, NormalizedTools>();
  memories.set(read, known);
  return known;
}

function wordsOf(values: Values): string | undefined {
  let words = "";
  // Here and below by index: in a process that just started, an iterator costs more than what is done with its values.
  for (let at = 0; at < toolKeys.length; at += 1) {
    const key = toolKeys[at]!;
    const value = values[key];
    if (value === undefined) continue;
    if (typeof value === "string" && !value.includes("\0")) words += `${key}:${value}\0\0`;
    else if (isTexts(value)) words += `${key}[${value.join("\0")}\0\0`;
    else if (isActions(value)) words += `${key}{${wordsOfMap(value)}\0\0`;
    else return undefined;
  }
  return words;
}

/** An empty text in a list would be mistaken for the end of it, and NUL for a gap. */
function isTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let at = 0; at < value.length; at += 1) if (!isWord(value[at])) return false;
  return true;
}

function isActions(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const key of Object.keys(value)) if (!isWord(key) || !isWord((value as Values)[key])) return false;
  return true;
}

function wordsOfMap(map: Readonly<Record<string, string>>): string {
  let words = "";
  for (const key of Object.keys(map)) words += `${key}\0${map[key]}\0`;
  return words;
}

function isWord(item: unknown): boolean {
  return typeof item === "string" && item !== "" && !item.includes("\0");
}
