// What the text of a plugin's entry shows about its exports. Only loading it shows everything.

import { type PackageTree, textOf } from "../tree.ts";
import type { PluginEntries } from "./package-json.ts";

/** Keeps the length, so positions stay the same. It also blanks text after a quoted `//`, which does not matter here. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?(?:\*\/|$)|(?<![:"'`])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));
}

const DEFAULT = /\bexport\s+default\s+(?:(\{)|([\w$]+)(?=\s*(?:;|\n|$)))/;

/**
 * Finds a default export `{ server }` without an `id`. OpenCode loads it from the registry, but not from a folder, and
 * only logs a line. Undefined if there is none, or if it cannot be determined.
 */
export function defaultWithoutId(text: string): number | undefined {
  const code = withoutComments(text);
  const found = DEFAULT.exec(code);
  if (found === null) return undefined;
  const [whole, brace, name = ""] = found;
  let start = found.index + whole.length - 1;
  if (brace === undefined) {
    const pattern = String.raw`\b(?:const|let|var)\s+${escaped(name)}\s*(?::[^={\n]{1,200})?=\s*(?=\{)`;
    const declared = new RegExp(pattern).exec(code);
    if (declared === null) return undefined;
    start = declared.index + declared[0].length;
  }
  const keys = keysOf(code, start);
  return keys?.has("server") === true && !keys.has("id") ? found.index : undefined;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?|\.\.\.|[\w$]+|[{}()[\],]/g;

/** The keys of an object literal; undefined if some come from elsewhere, or its end cannot be found. */
function keysOf(code: string, start: number): Set<string> | undefined {
  const keys = new Set<string>();
  let depth = 0;
  let isKey = false;
  for (const [token] of code.slice(start).matchAll(TOKEN)) {
    if (isKey && (token === "..." || token === "[")) return undefined;
    if (isKey && /^[\w$"']/.test(token) && token !== "async") {
      keys.add(token.replace(/^["']|["']$/g, ""));
      isKey = false;
    }
    if (/^[{([]$/.test(token)) depth += 1;
    if (/^[})\]]$/.test(token)) depth -= 1;
    if (depth === 0) return keys;
    if (depth === 1 && (token === "," || (token === "{" && keys.size === 0))) isKey = true;
  }
  return undefined;
}

export interface ValueExport {
  readonly name: string;
  readonly start: number;
}

const VALUE = String.raw`(?::[^=]+)?=\s*(?=["'\`\d[{]|true\b|false\b|null\b|new\b)`;
const VALUE_EXPORT = new RegExp(String.raw`\bexport\s+(?:const|let|var)\s+([\w$]+)\s*${VALUE}`, "g");
const EXPORT_LIST = /\bexport\s*\{([^}]*)\}(?!\s*from\b)/g;
/** An object with `server` is a plugin under any name. */
const SERVER_OBJECT = /^\{[^}]*\bserver\b/;

const ANY_DEFAULT = /\bexport\s+default\s+(?:(async\b|function\b|class\b|\(|[\w$]+\s*=>)|([\w$]+)\s*;?\s*(?:\n|$))?/;
const LISTED_DEFAULT = /\bexport\s*\{[^}]*?([\w$]+)\s+as\s+default\b/;

/** Exports that are certainly not functions: OpenCode does not load a plugin with one next to a function. */
export function valueExports(text: string): ValueExport[] {
  const code = withoutComments(text);
  // If the default export is an object with `id` or `server`, OpenCode ignores the others.
  const [, isFunction, named] = ANY_DEFAULT.exec(code) ?? [undefined, "none"];
  const listed = LISTED_DEFAULT.exec(code)?.[1];
  const name = listed ?? named;
  const plain = escaped(name ?? "");
  const declaredFunction = String.raw`\bfunction\s+${plain}\b|\b(?:const|let|var)\s+${plain}\s*(?::[^=]+)?=\s*(?:async\b|function\b|\(|[\w$]+\s*=>)`;
  const isDeclaredFunction = name !== undefined && new RegExp(declaredFunction).test(code);
  if ((listed !== undefined || isFunction === undefined) && !isDeclaredFunction) return [];
  const isValue = ({ index, 0: match }: RegExpMatchArray): boolean =>
    !SERVER_OBJECT.test(code.slice((index ?? 0) + match.length));
  const direct = [...code.matchAll(VALUE_EXPORT)].filter(isValue);
  return [
    ...direct.map(({ 1: name = "", index }) => ({ name, start: index })),
    ...[...code.matchAll(EXPORT_LIST)].flatMap(({ 1: list = "", index }) =>
      list.split(",").flatMap((item) => {
        const [name = ""] = item.trim().split(/\s/);
        if (!/^[\w$]+$/.test(name)) return [];
        const declared = new RegExp(String.raw`\b(?:const|let|var)\s+${escaped(name)}\s*${VALUE}`).exec(code);
        return declared !== null && isValue(declared) ? [{ name, start: index }] : [];
      }),
    ),
  ];
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}

/** Whether a plugin's code keeps existing entities, as far as its text shows. */
export function usesDefineWorkflow(tree: PackageTree, { entry }: Pick<PluginEntries, "entry">): boolean {
  return entry !== undefined && /\bdefineWorkflow\s*\(/.test(textOf(tree, entry) ?? "");
}
