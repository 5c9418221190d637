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

/**
 * Bounded, like everything here that looks for an end: an expression that runs to the end of the text from each of many
 * beginnings would take as long as their product.
 */
const TYPE = "(?::[^=]{1,500})?";
const VALUE = String.raw`\s+([\w$]+)\s*${TYPE}=\s*(?=["'\`\d[{]|true\b|false\b|null\b|new\b)`;
const VALUE_DECLARATION = new RegExp(String.raw`\b(?:(export)\s+)?(?:const|let|var)${VALUE}`, "g");
const EXPORT_LIST = /\bexport\s*\{([^{}]*)\}(\s*from\b)?/g;
/** An object with `server` is a plugin under any name. */
const SERVER_OBJECT = /\{[^}]{0,1000}?\bserver\b/y;

const ANY_DEFAULT =
  /\bexport\s+default\s+(?:(async\b|function\b|class\b|\(|[\w$]+\s*=>)|([\w$]+)\s*(?:;\s*)?(?:\n|$))?/;

/** Exports that are certainly not functions: OpenCode does not load a plugin with one next to a function. */
export function valueExports(text: string): ValueExport[] {
  const code = withoutComments(text);
  const listed = [...code.matchAll(EXPORT_LIST)].flatMap(({ 1: list = "", 2: from, index: start }) =>
    list.split(",").map((item) => {
      const [name = "", as, other] = item.trim().split(/\s+/, 3);
      return { name, start, isDefault: as === "as" && other === "default", isOwn: from === undefined };
    }),
  );
  // If the default export is an object with `id` or `server`, OpenCode ignores the others.
  const [, isFunction, named] = ANY_DEFAULT.exec(code) ?? [undefined, "none"];
  const defaultItem = listed.find(({ isDefault }) => isDefault);
  const name = defaultItem?.name ?? named;
  if (defaultItem !== undefined || isFunction === undefined) {
    const plain = escaped(name ?? "");
    const declaration = String.raw`\bfunction\s+${plain}\b|\b(?:const|let|var)\s+${plain}\s*${TYPE}=\s*(?:async\b|function\b|\(|[\w$]+\s*=>)`;
    const isName = name !== undefined && /^[\w$]+$/.test(name);
    if (!isName || !new RegExp(declaration).test(code)) return [];
  }
  const values = [...code.matchAll(VALUE_DECLARATION)].flatMap(({ 0: match, 1: exported, 2: name = "", index }) => {
    SERVER_OBJECT.lastIndex = index + match.length;
    return SERVER_OBJECT.test(code) ? [] : [{ name, start: index, isExported: exported !== undefined }];
  });
  const names = new Set(values.map(({ name }) => name));
  return [
    ...values.filter(({ isExported }) => isExported).map(({ name, start }) => ({ name, start })),
    ...listed.filter(({ name, isOwn }) => isOwn && names.has(name)).map(({ name, start }) => ({ name, start })),
  ];
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}

/** Whether a plugin's code keeps existing entities, as far as its text shows. */
export function usesDefineWorkflow(tree: PackageTree, { entry }: Pick<PluginEntries, "entry">): boolean {
  return entry !== undefined && /\bdefineWorkflow\s*\(/.test(textOf(tree, entry) ?? "");
}
