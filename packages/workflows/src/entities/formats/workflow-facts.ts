// What a workflow module says about itself in plain text. A module is code, and listing it must not run it.
import { type ArgumentJson, hintOfArguments } from "../workflow-arguments.ts";

export interface WorkflowFacts {
  readonly description?: string;
  /** As it is written, or else what follows from the arguments. */
  readonly argumentHint?: string;
}

/** What stands behind a key, as far as it can be read without running it. */
type Written =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Written> }
  | { readonly kind: "code" };

const begin = /\b(?:defineGraph|graph)\s*\(\s*(?=\{)/;
const token = /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[\w$]+|\S/g;

/**
 * The description and the hint of the first `defineGraph({ … })`, as far as they are written there and not computed.
 *
 * @example
 * workflowFacts('defineGraph({ name: "tidy", arguments: { path: { type: "rest" } } }, …)').argumentHint; // "[path]"
 */
export function workflowFacts(text: string): WorkflowFacts {
  const begun = begin.exec(text);
  if (begun === null) return {};
  const written = readObject(tokensOf(text.slice(begun.index + begun[0].length)));
  const description = textIn(written, "description");
  const argumentHint =
    textIn(written, "argumentHint") ?? (written.has("argumentHint") ? undefined : hintIn(written, text));
  return { ...(description !== undefined && { description }), ...(argumentHint !== undefined && { argumentHint }) };
}

function* tokensOf(text: string): Generator<string, void, undefined> {
  for (const [each] of text.matchAll(token)) if (!/^\/[/*]/.test(each)) yield each;
}

/**
 * The members from an opening brace to its closing one. What is not `key: value`, such as a spread, is a member whose
 * value is code. An object that never closes has the members that were complete.
 */
function readObject(tokens: Iterator<string, void>, isOpen = false): ReadonlyMap<string, Written> {
  const members = new Map<string, Written>();
  if (!isOpen) tokens.next();
  let parts: (string | Written)[] = [];
  let depth = 0;
  for (let next = tokens.next(); next.done !== true; next = tokens.next()) {
    const each = next.value;
    const isLast = depth === 0 && each === "}";
    if (isLast || (depth === 0 && each === ",")) {
      const [key, colon, value, ...more] = parts;
      const isPair = typeof key === "string" && colon === ":" && value !== undefined;
      const isPlain = more.length === 0 || more.join(" ") === "as const";
      if (isPair) members.set(plainText(key) ?? key, isPlain ? writtenAs(value) : { kind: "code" });
      else if (parts.length > 0) members.set(parts.join(""), { kind: "code" });
      parts = [];
      if (isLast) break;
    } else if (depth === 0 && each === "{" && parts.length === 2) {
      parts.push({ kind: "object", members: readObject(tokens, true) });
    } else {
      if (/^[{([]$/.test(each)) depth += 1;
      if (/^[})\]]$/.test(each)) depth -= 1;
      // What is inside brackets is code, however long: it need not be kept.
      if (parts.length < 5) parts.push(each);
    }
  }
  return members;
}

function writtenAs(value: string | Written): Written {
  if (typeof value !== "string") return value;
  const text = plainText(value);
  if (text !== undefined) return { kind: "text", text };
  return /^[\w$]+$/.test(value) ? { kind: "word", word: value } : { kind: "code" };
}

function textIn(members: ReadonlyMap<string, Written>, key: string): string | undefined {
  const written = members.get(key);
  return written?.kind === "text" ? written.text : undefined;
}

/** Undefined if what the hint depends on (each argument's name, type, value and whether it is required) is computed. */
function hintIn(members: ReadonlyMap<string, Written>, text: string): string | undefined {
  const given = members.get("arguments") ?? { kind: "code" };
  const declared = given.kind === "word" ? constantIn(text, given.word) : given;
  if (declared?.kind !== "object") return undefined;
  const all: [string, ArgumentJson][] = [];
  for (const [name, argument] of declared.members) {
    if (argument.kind !== "object") return undefined;
    const type = textIn(argument.members, "type");
    const value = argument.members.get("value") ?? ({ kind: "text", text: undefined } as const);
    const required = argument.members.get("required") ?? ({ kind: "word", word: "false" } as const);
    const isSpread = [...argument.members.keys()].some((key) => key.startsWith("..."));
    if (isSpread || value.kind !== "text" || required.kind !== "word") return undefined;
    if (type !== "string" && type !== "number" && type !== "boolean" && type !== "rest") return undefined;
    const term = value.text === undefined ? {} : { value: value.text };
    all.push([name, type === "boolean" ? { type } : { type, ...term, required: required.word === "true" }]);
  }
  return hintOfArguments(Object.fromEntries(all));
}

/** `const args = { … }` elsewhere in the file. */
function constantIn(text: string, name: string): Written | undefined {
  const begun = new RegExp(`^(?:export )?const ${name.replaceAll("$", "\\$")}(?::[^=]+)? =\\s*(?=\\{)`, "m").exec(text);
  if (begun === null) return undefined;
  return { kind: "object", members: readObject(tokensOf(text.slice(begun.index + begun[0].length))) };
}

function plainText(literal: string): string | undefined {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(literal) ?? [];
  if (quote === undefined || inner === undefined) return undefined;
  const json = quote === '"' ? inner : inner.replaceAll("\\'", "'").replaceAll('"', '\\"');
  try {
    return JSON.parse(`"${json}"`);
  } catch (error) {
    // The text has escapes that only JavaScript knows.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
