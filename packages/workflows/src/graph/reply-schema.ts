// What an agent's reply must look like, by a schema of any library that implements Standard Schema: zod, valibot, arktype, …
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../modules/package-root.ts";
import type { Json } from "../run/json.ts";
import { jsonOf } from "./json-value.ts";
import { promptFile } from "./prompt-file.ts";

/** The part of [Standard Schema](https://standardschema.dev) that is needed here. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Only some libraries can describe their schemas. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => unknown };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A reply that fits, or what is wrong with it and the prompt that says so. */
export type ReplyReading = { readonly value: Json } | { readonly problems: readonly string[]; readonly again: string };

/** Adds to a prompt what the reply must look like. */
export function askForJson(schema: StandardSchema): (prompt: string) => string {
  return (prompt) => {
    const described = describeSchema(schema);
    const request =
      described === undefined
        ? promptFile(builtinPrompt("json.md"))({})
        : promptFile(builtinPrompt("json-with-schema.md"), () => ({ schema: described }))({});
    return `${prompt}\n\n${request.trimEnd()}`;
  };
}

export function readReply(id: string, schema: StandardSchema): (reply: string) => Promise<ReplyReading> {
  return async (reply) => {
    const found = jsonIn(reply);
    const result = "value" in found ? await schema["~standard"].validate(found.value) : found;
    if (result.issues === undefined) return { value: jsonOf(result.value, `The output of the node "${id}"`) };
    const problems = result.issues.slice(0, mostProblems).map(describeIssue);
    const left = result.issues.length - problems.length;
    if (left > 0) problems.push(`${left} more`);
    const list = problems.map((problem) => `- ${problem}`).join("\n");
    return { problems, again: promptFile(builtinPrompt("json-again.md"), () => ({ problems: list }))({}).trimEnd() };
  };
}

const mostProblems = 10;

function builtinPrompt(name: string): URL {
  return pathToFileURL(join(packageRoot(), "builtin/prompts", name));
}

/** Undefined if the library cannot express the schema as JSON Schema: then the prompt has to say what is wanted. */
function describeSchema(schema: StandardSchema): string | undefined {
  const { jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) return undefined;
  try {
    return JSON.stringify(jsonSchema.input({ target: "draft-2020-12" }), undefined, 2);
  } catch (error) {
    // Libraries throw errors of their own for what JSON Schema cannot express, such as a transformation.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The reply itself, or else what is in a code fence or between the outermost brackets. */
function jsonIn(reply: string): { readonly value: unknown } | { readonly issues: readonly SchemaIssue[] } {
  const fenced = Array.from(reply.matchAll(/^```\w*\n([\s\S]*?)^```/gm), ([, text = ""]) => text);
  const last = Math.max(reply.lastIndexOf("]"), reply.lastIndexOf("}"));
  const between = reply.slice(Math.max(reply.search(/[[{]/), 0), last + 1);
  let first: SyntaxError | undefined;
  for (const text of [reply, ...fenced.reverse(), between]) {
    try {
      return { value: JSON.parse(text) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      first ??= error;
    }
  }
  return { issues: [{ message: `it is not JSON (${first?.message})` }] };
}

function describeIssue({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const at = keys
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
  // Some libraries name the place themselves.
  return at === "" || message.startsWith(at) ? message : `${at}: ${message}`;
}
