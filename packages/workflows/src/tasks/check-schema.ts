// The part of JSON Schema that our files need, over a tree with positions: each problem knows its place in the text.
import { type JsonPath, showPath } from "@atomic/durable-files/jsonc/path";
import type { JsonNode, ObjectNode } from "@atomic/durable-files/jsonc/tree";
import { didYouMean } from "@atomic/terminal/suggest";

export interface Schema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean";
  readonly const?: string;
  readonly enum?: readonly string[];
  /** Of a text: found anywhere in it. */
  readonly pattern?: string;
  readonly minimum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  /** Keys that are not listed may be there, too. */
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface Misfit {
  readonly node: JsonNode;
  readonly message: string;
  readonly hint?: string;
}

/** All that is wrong with a value. */
export function checkSchema(schema: Schema, node: JsonNode): Misfit[] {
  return [...check(schema, node, [])];
}

function* check(schema: Schema, node: JsonNode, path: JsonPath): Iterable<Misfit> {
  if (schema.type !== undefined && !isOfType(node, schema.type)) {
    yield misfit(node, path, articles[schema.type], schema.type === "string" ? asText(node) : undefined);
    return;
  }
  yield* checkWord(schema, node, path);
  if (node.kind === "number" && schema.minimum !== undefined && node.value < schema.minimum) {
    yield misfit(node, path, `${schema.minimum} or more`);
  }
  if (node.kind === "array" && schema.items !== undefined) {
    for (const [index, item] of node.items.entries()) yield* check(schema.items, item, [...path, index]);
  }
  if (node.kind === "object") yield* checkProperties(schema, node, path);
}

function* checkWord(schema: Schema, node: JsonNode, path: JsonPath): Iterable<Misfit> {
  const value = node.kind === "string" ? node.value : undefined;
  if (schema.const !== undefined && value !== schema.const) yield misfit(node, path, JSON.stringify(schema.const));
  if (schema.enum !== undefined && !schema.enum.includes(value ?? "")) {
    const [best] = didYouMean(value ?? "", schema.enum);
    const hint = best === undefined ? undefined : `Did you mean "${best}"?`;
    yield misfit(
      node,
      path,
      schema.enum
        .map((each) => `"${each}"`)
        .join(", ")
        .replace(/, ([^,]*)$/, " or $1"),
      hint,
    );
  }
  if (schema.pattern !== undefined && value !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    yield misfit(node, path, "more than white space");
  }
}

function* checkProperties(schema: Schema, node: ObjectNode, path: JsonPath): Iterable<Misfit> {
  // Of a key that stands twice the last one counts, as for everybody who reads the file.
  const found = new Map(node.properties.map(({ key, value }) => [key.value, value]));
  for (const key of schema.required ?? []) {
    if (found.has(key)) continue;
    const unknown = [...found.keys()].filter((each) => schema.properties?.[each] === undefined);
    const [meant] = [...didYouMean(key, unknown), ...unknown.filter((each) => each === synonyms[key])];
    const message = path.length === 0 ? `"${key}" is missing.` : `${showPath(path)} has no "${key}".`;
    const only = schema.properties?.[key]?.const;
    const hint = only === undefined ? undefined : `Add "${key}": ${JSON.stringify(only)}.`;
    yield { node, message, ...withHint(meant === undefined ? hint : `Rename "${meant}" to "${key}".`) };
  }
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    const value = found.get(key);
    if (value !== undefined) yield* check(inner, value, [...path, key]);
  }
}

/** What others call it, and models write. */
const synonyms: Readonly<Record<string, string>> = { name: "title", status: "state" };

const articles = {
  object: "an object",
  array: "a list",
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
} as const;

function isOfType(node: JsonNode, type: NonNullable<Schema["type"]>): boolean {
  if (type === "integer") return node.kind === "number" && Number.isInteger(node.value);
  return node.kind === type;
}

function misfit(node: JsonNode, path: JsonPath, expected: string, hint?: string): Misfit {
  return { node, message: `${showPath(path)} must be ${expected}, not ${named(node)}.`, ...withHint(hint) };
}

function withHint(hint: string | undefined): { hint?: string } {
  return hint === undefined ? {} : { hint };
}

function asText(node: JsonNode): string | undefined {
  return node.kind === "number" ? `Write "${node.value}".` : undefined;
}

function named(node: JsonNode): string {
  if (node.kind === "array") return "a list";
  if (node.kind === "object") return "an object";
  if (node.kind !== "string") return String(node.value);
  return JSON.stringify(node.value.length > 40 ? `${node.value.slice(0, 40)}…` : node.value);
}
