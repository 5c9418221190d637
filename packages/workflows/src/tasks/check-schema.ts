// The part of JSON Schema that our files need. It checks a tree with positions, so each problem knows its place in the text.
import { type JsonPath, showPath } from "@atomic/durable-files/jsonc/path";
import type { JsonNode } from "@atomic/durable-files/jsonc/tree";
import { didYouMean } from "@atomic/terminal/suggest";
import { present } from "../graph/json-value.ts";

export interface Schema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean";
  readonly const?: string;
  readonly enum?: readonly string[];
  /** Matches anywhere in a text. */
  readonly pattern?: string;
  readonly minimum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  /** Other keys are allowed. */
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface SchemaProblem {
  readonly node: JsonNode;
  readonly message: string;
  readonly hint?: string;
}

/** All problems with a value. */
export function checkSchema(
  schema: Schema,
  node: JsonNode,
  path: JsonPath = [],
  found: SchemaProblem[] = [],
): SchemaProblem[] {
  const expect = (expected: string, hint?: string): void => {
    const long = node.kind === "string" && node.value.length > 40;
    const value =
      node.kind === "string" ? JSON.stringify(long ? `${node.value.slice(0, 40)}…` : node.value) : undefined;
    const given =
      value ?? (node.kind === "array" || node.kind === "object" ? typeNames[node.kind] : String(node.value));
    found.push(present({ node, message: `${showPath(path)} must be ${expected}, not ${given}.`, hint }));
  };

  const { type } = schema;
  const isInteger = node.kind === "number" && Number.isInteger(node.value);
  if (type !== undefined && !(type === "integer" ? isInteger : node.kind === type)) {
    expect(typeNames[type], type === "string" && node.kind === "number" ? `Write "${node.value}".` : undefined);
    return found;
  }
  const text = node.kind === "string" ? node.value : undefined;
  if (schema.const !== undefined && text !== schema.const) expect(JSON.stringify(schema.const));
  if (schema.enum !== undefined && !schema.enum.includes(text ?? "")) {
    const [best] = didYouMean(text ?? "", schema.enum);
    const quoted = schema.enum.map((each) => `"${each}"`).join(", ");
    expect(quoted.replace(/, ([^,]*)$/, " or $1"), best === undefined ? undefined : `Did you mean "${best}"?`);
  }
  if (schema.pattern !== undefined && text !== undefined && !new RegExp(schema.pattern, "u").test(text)) {
    expect("text that is not blank");
  }
  if (node.kind === "number" && schema.minimum !== undefined && node.value < schema.minimum) {
    expect(`${schema.minimum} or more`);
  }
  if (node.kind === "array" && schema.items !== undefined) {
    for (const [index, item] of node.items.entries()) checkSchema(schema.items, item, [...path, index], found);
  }
  if (node.kind !== "object") return found;

  // If a key appears twice, the last one counts, as in every other JSON reader.
  const values = new Map(node.properties.map(({ key, value }) => [key.value, value]));
  for (const key of schema.required ?? []) {
    if (values.has(key)) continue;
    const unknown = [...values.keys()].filter((each) => schema.properties?.[each] === undefined);
    const [meant] = [...didYouMean(key, unknown), ...unknown.filter((each) => each === synonyms[key])];
    const only = schema.properties?.[key]?.const;
    let hint = only === undefined ? undefined : `Add "${key}": ${JSON.stringify(only)}.`;
    if (meant !== undefined) hint = `Rename "${meant}" to "${key}".`;
    const message = path.length === 0 ? `"${key}" is missing.` : `${showPath(path)} has no "${key}".`;
    found.push(present({ node, message, hint }));
  }
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    const value = values.get(key);
    if (value !== undefined) checkSchema(inner, value, [...path, key], found);
  }
  return found;
}

/** Names that other programs and models use instead. */
const synonyms: Readonly<Record<string, string>> = { name: "title", status: "state" };

const typeNames = {
  object: "an object",
  array: "a list",
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
} as const;
