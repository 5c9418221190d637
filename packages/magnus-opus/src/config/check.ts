// Only the invalid field is ignored, and it is reported with its position.
import { type JsonPath, nodeAt, showPath } from "@atomic/durable-files/jsonc/path";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import type { JsonDocument } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { didYouMean } from "@atomic/terminal/suggest";
import * as z from "zod/mini";
import { type Config, configSchema } from "./schema.ts";

export interface ConfigProblem {
  /** `file:line:col`. */
  readonly at: string;
  readonly message: string;
}

export interface Checked {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

/** The valid part of a file, and what was ignored. */
export function checkConfig(document: JsonDocument): Checked {
  const value: unknown = document.root === undefined ? {} : structuredClone(toValue(document.root));
  const problems: ConfigProblem[] = [];
  for (;;) {
    const result = z.safeParse(configSchema, value);
    if (result.success) return { config: result.data, problems };
    // One at a time, last one first, so list items keep their positions.
    const issue = result.error.issues.at(-1)!;
    const strange = issue.code === "unrecognized_keys" ? issue.keys.at(-1) : undefined;
    const path = [...(issue.path as JsonPath), ...(strange === undefined ? [] : [strange])];
    if (path.length === 0) return { config: {}, problems: [problemAt(document, path, explain(issue))] };
    const dropped = drop(value, path);
    const isWhole = path.length === dropped.length;
    const message = isWhole ? explain(issue) : `has no ${showPath(path.slice(dropped.length))}`;
    problems.unshift(problemAt(document, dropped, message));
  }
}

function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys": {
      const [best] = didYouMean(issue.keys.at(-1)!, settingsAt(issue.path as JsonPath));
      return `is not a setting${best === undefined ? "" : ` (did you mean ${best}?)`}`;
    }
    case "invalid_type": {
      const { expected } = issue;
      const known: Readonly<Record<string, string>> = {
        int: "a whole number",
        record: "an object",
        object: "an object",
        array: "a list",
      };
      return `is not ${known[expected] ?? `${/^[aeiou]/.test(expected) ? "an" : "a"} ${expected}`}`;
    }
    case "invalid_value":
      return `is not one of ${issue.values.join(", ")}`;
    case "invalid_union":
      return "must be allow, ask or deny, or patterns that map to one of them";
    case "too_small":
      return `is ${issue.origin === "array" ? "empty" : issue.inclusive ? `below ${issue.minimum}` : `not above ${issue.minimum}`}`;
    case "too_big":
      return `is above ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** Removes the value at the path, or the object it is missing from. Returns the path that was removed. */
function drop(root: unknown, path: JsonPath): JsonPath {
  const parents = path.slice(0, -1);
  let parent = root;
  for (const segment of parents) parent = (parent as Record<string | number, unknown>)[segment];
  const last = path.at(-1) as string | number;
  if (Array.isArray(parent)) parent.splice(last as number, 1);
  else if (Object.hasOwn(parent as object, last)) delete (parent as Record<string | number, unknown>)[last];
  else return drop(root, parents);
  return path;
}

function problemAt(document: JsonDocument, path: JsonPath, message: string): ConfigProblem {
  const node = nodeAt(document, path) ?? document.root;
  const at = node === undefined ? (document.file ?? "") : placeOf(document.text, node, document.file);
  return { at, message: `${showPath(path)} ${message}, so it is ignored` };
}

/** The names to suggest at a path; none where the schema names none. */
function settingsAt(path: JsonPath): readonly string[] {
  let schema: unknown = configSchema;
  for (const segment of path) {
    const { def } = unwrapped(schema);
    schema = def.type === "record" ? def.valueType : def.shape?.[segment as string];
    if (schema === undefined) return [];
  }
  return Object.keys(unwrapped(schema).def.shape ?? {});
}

interface Described {
  readonly def: {
    readonly type: string;
    readonly innerType?: unknown;
    readonly valueType?: unknown;
    readonly shape?: Readonly<Record<string, unknown>>;
  };
}

function unwrapped(schema: unknown): Described {
  const described = schema as Described;
  return described.def.type === "optional" ? unwrapped(described.def.innerType) : described;
}
