// One file of npm settings, read as npm itself reads it.
import { readFileSync, statSync } from "node:fs";
import { HugoError } from "../../errors.ts";

/** The settings in a file, without variables filled in; empty if there is no file. */
export function readNpmrc(file: string): Map<string, string> {
  let why = "it is not a regular file";
  let cause: unknown;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return new Map();
    // Reading from a FIFO would wait forever.
    if (stats.isFile()) return parseNpmrc(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return new Map();
    if (code !== "EACCES") throw error;
    [why, cause] = [code, error];
  }
  throw new HugoError("setting-invalid", {
    message: `${file} cannot be read (${why})`,
    at: file,
    hint: "It contains npm settings: make it a readable file, or remove it.",
    cause,
  });
}

/** Later lines win over earlier ones; the items of a list (`ca[]=…`) are separated by an empty line. Keys keep their spelling. */
export function parseNpmrc(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  const lists = new Set<string>();
  for (const line of text.split(/[\r\n]+/)) {
    if (/^\s*(?:[;#]|$)/.test(line)) continue;
    // What follows belongs to a section, and npm has no settings in sections.
    if (/^\[[^\]]*\]\s*$/.test(line)) break;
    const at = line.indexOf("=");
    if (at === 0) continue;
    const name = unquoted(at === -1 ? line : line.slice(0, at));
    const key = name.length > 2 && name.endsWith("[]") ? name.slice(0, -2) : name;
    const value = at === -1 ? "true" : unquoted(line.slice(at + 1));
    if (key !== name) lists.add(key);
    const before = lists.has(key) ? settings.get(key) : undefined;
    settings.set(key, before === undefined ? value : `${before}\n\n${value}`);
  }
  return settings;
}

/** Without quotes, or up to a comment; a backslash keeps `;` and `#`. */
function unquoted(text: string): string {
  const value = text.trim();
  if (/^(?:".*"|'.*'|["'])$/s.test(value)) {
    const inner = value.startsWith("'") ? value.slice(1, -1) : value;
    try {
      const parsed: unknown = JSON.parse(inner);
      return typeof parsed === "object" ? inner : String(parsed);
    } catch (error) {
      if (error instanceof SyntaxError) return inner;
      throw error;
    }
  }
  const [, plain = ""] = /^((?:\\.|[^\\;#]|\\$)*)/s.exec(value) ?? [];
  return plain.replace(/\\([\\;#])/g, "$1").trim();
}

const VARIABLE = /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/g;

/** Fills in `${NAME}` and `${NAME?}`. What `lookUp` does not know stays as it is, or is empty with the question mark. */
export function expandVariables(value: string, lookUp: (name: string) => string | undefined): string {
  return value.replace(VARIABLE, (whole, escapes: string, name: string, optional: string | undefined) => {
    if (escapes.length % 2 === 1) return whole.slice((escapes.length + 1) / 2);
    return escapes.slice(escapes.length / 2) + (lookUp(name) ?? (optional === undefined ? `\${${name}}` : ""));
  });
}

/** The variables that would be filled in. */
export function variablesIn(value: string): string[] {
  return [...value.matchAll(VARIABLE)].flatMap(([, escapes = "", name = ""]) => (escapes.length % 2 === 1 ? [] : name));
}
