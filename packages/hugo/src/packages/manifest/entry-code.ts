// What the text of a plugin's entry shows of its exports. Only loading it shows everything.

import { type PackageTree, textOf } from "../tree.ts";

/** Of the same length, so that places stay what they are. A quoted `//` loses its rest, and with it nothing we look for. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?(?:\*\/|$)|(?<![:"'`])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));
}

const DEFAULT = /\bexport\s+default\s+(?:(\{)|([\w$]+)(?=\s*(?:;|\n|$)))/;

/**
 * Where a default export `{ server }` without an `id` stands. From the registry OpenCode loads it all the same; out of a
 * folder it does not, with no more than a line in its log. Undefined if there is none, or nobody can say.
 */
export function defaultWithoutId(text: string): number | undefined {
  const code = withoutComments(text);
  const found = DEFAULT.exec(code);
  if (found === null) return undefined;
  const [whole, brace, name = ""] = found;
  const start = brace === undefined ? declaredObject(code, name) : found.index + whole.length - 1;
  const keys = start === undefined ? undefined : keysOf(code, start);
  return keys?.has("server") === true && !keys.has("id") ? found.index : undefined;
}

function declaredObject(code: string, name: string): number | undefined {
  const declared = new RegExp(String.raw`\b(?:const|let|var)\s+${escaped(name)}\s*(?::[^={\n]{1,200})?=\s*(?=\{)`);
  const found = declared.exec(code);
  return found === null ? undefined : found.index + found[0].length;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?|\.\.\.|[\w$]+|[{}()[\],]/g;

/** The keys of an object as it is written; undefined if some come from elsewhere, or its end cannot be found. */
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

/** Exports that are certainly no functions: one of them beside a function, and OpenCode does not load the plugin. */
export function valueExports(text: string): ValueExport[] {
  const code = withoutComments(text);
  if (mayDefaultToObject(code)) return [];
  const direct = [...code.matchAll(VALUE_EXPORT)].filter((match) => isValue(code, match));
  return [
    ...direct.map(({ 1: name = "", index }) => ({ name, start: index })),
    ...[...code.matchAll(EXPORT_LIST)].flatMap(({ 1: list = "", index }) =>
      list.split(",").flatMap((item) => {
        const [name = ""] = item.trim().split(/\s/);
        return isDeclaredValue(code, name) ? [{ name, start: index }] : [];
      }),
    ),
  ];
}

function isValue(code: string, { index, 0: text }: RegExpMatchArray): boolean {
  return !SERVER_OBJECT.test(code.slice((index ?? 0) + text.length));
}

function isDeclaredValue(code: string, name: string): boolean {
  if (!/^[\w$]+$/.test(name)) return false;
  const declared = new RegExp(String.raw`\b(?:const|let|var)\s+${escaped(name)}\s*${VALUE}`).exec(code);
  return declared !== null && isValue(code, declared);
}

const ANY_DEFAULT = /\bexport\s+default\s+(?:(async\b|function\b|class\b|\(|[\w$]+\s*=>)|([\w$]+)\s*;?\s*(?:\n|$))?/;
const LISTED_DEFAULT = /\bexport\s*\{[^}]*?([\w$]+)\s+as\s+default\b/;

/** Beside an object with `id` or `server` as the default export OpenCode looks at no other. */
function mayDefaultToObject(code: string): boolean {
  const listed = LISTED_DEFAULT.exec(code)?.[1];
  if (listed !== undefined) return !isDeclaredFunction(code, listed);
  const found = ANY_DEFAULT.exec(code);
  if (found === null) return false;
  const [, isFunction, name] = found;
  if (isFunction !== undefined) return false;
  return name === undefined || !isDeclaredFunction(code, name);
}

function isDeclaredFunction(code: string, name: string): boolean {
  const declared = new RegExp(
    String.raw`\bfunction\s+${escaped(name)}\b|\b(?:const|let|var)\s+${escaped(name)}\s*(?::[^=]+)?=\s*(?:async\b|function\b|\(|[\w$]+\s*=>)`,
  );
  return declared.test(code);
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}

/** Whether the code of a plugin leaves alone what is there already, as far as its text shows. */
export function usesDefineWorkflow(tree: PackageTree, entry: string): boolean {
  return /\bdefineWorkflow\s*\(/.test(textOf(tree, entry) ?? "");
}
