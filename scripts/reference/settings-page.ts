// The page of settings, from the JSON Schemas that are published for editors, and the variables that the sources read.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { code, prose, table } from "./markdown.ts";

/** The part of JSON Schema that ours use. */
interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Our own variables. `test/reference.test.ts` compares this list with what the sources read. */
export const variables: readonly (readonly [name: string, means: string, otherwise: string])[] = [
  ["HUGO_MINIMUM_RELEASE_AGE", "how many minutes old a registry release must be; 0 accepts all", "1440, a day"],
  ["HUGO_FETCH_TIMEOUT", "how many seconds a request or git may take", "300"],
  [
    "HUGO_OPENCODE",
    "the OpenCode that `hugo health`, `hugo build --check` and an installed plugin's check start",
    "the one on the PATH",
  ],
  ["ATOMIC_HOST", "the host that executes prompts: `opencode`, `claude`, `copilot` or `scripted`", "`opencode`"],
  ["ATOMIC_OPENCODE_URL", "a running OpenCode server to use", "OpenCode is started for the run"],
  [
    "ATOMIC_ENGINE",
    "the database that stores runs, as `--engine` does; a password only through `PGPASSWORD` or `~/.pgpass`",
    "`engine` in `.atomic/config.json`, else the folder `.atomic/runs`",
  ],
  ["ATOMIC_REDUCED_MOTION", "stops everything that moves in the prompt line", "things move"],
];

export function settingsPage(root: string): string {
  const read = (file: string): JsonSchema => JSON.parse(readFileSync(join(root, file), "utf8"));
  return [
    "# Settings",
    "Everything works without settings. They are in four places: environment variables, `hugo-settings.json`, `.atomic/config.json` and `magnus-opus.json`. The last section is the format of `tasks.json`.",
    "## Environment variables",
    table(
      ["variable", "means", "without it"],
      variables.map(([name, ...texts]) => [code(name), ...texts]),
    ),
    "All programs also follow `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` ([the command line](command-line.md#environment-variables)), and the variables that move the home folders of other tools: `XDG_CONFIG_HOME`, `XDG_CACHE_HOME`, `XDG_STATE_HOME`, `XDG_DATA_HOME`, `OPENCODE_CONFIG_DIR`, `CLAUDE_CONFIG_DIR`. Registries, logins and proxies come from npm's own settings: `npm_config_…`, `~/.npmrc` and `HTTPS_PROXY`.",
    "## Hugo: `hugo-settings.json`",
    'In `.opencode` (for the project) or `~/.config/opencode` (for you); the project\'s entries win, name by name. `models` maps the model names in files for Claude Code to yours, for packages that are installed by copy: `{ "models": { "opus": "provider/model" } }`.',
    "## Atomic: `.atomic/config.json`",
    "`engine` is the URL of the database that stores this project's runs ([guide](../guide/from-one-machine-to-many.md)). `--engine` and `ATOMIC_ENGINE` win over it. A URL in this file never receives your `PGPASSWORD`.",
    "## Magnus Opus: `magnus-opus.json`",
    "In `~/.config/opencode` (for you) or `.opencode` (for the project), also as `.jsonc`. The project's settings win, field by field; what is disabled in one place stays disabled. If a field is invalid, only that field is ignored, and it is reported with file, line and column in a toast and in `/magnus-help config`. Settings are read when OpenCode starts; a run keeps the settings it started with. Magnus Opus never writes these files. The package contains the JSON Schema for your editor, `schema/magnus-opus.schema.json`.",
    schemaTable(read("packages/magnus-opus/schema/magnus-opus.schema.json")),
    "## `tasks.json`",
    "The tasks of a loop ([guide](../guide/loops.md)). `@atomic/workflows/schema/tasks.schema.json` is the JSON Schema.",
    schemaTable(read("packages/workflows/schema/tasks.schema.json")),
  ].join("\n\n");
}

function schemaTable(schema: JsonSchema): string {
  return table(["setting", "value", "means"], rowsOf(schema, ""));
}

/** One row for every setting; an object's own settings follow it. */
function rowsOf(schema: JsonSchema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = `${prefix}${name}`;
    return [[code(path), typeOf(inner), prose(inner.description ?? "")], ...below(inner, path)];
  });
}

function below(schema: JsonSchema, path: string): string[][] {
  const { items, additionalProperties: each } = schema;
  if (schema.properties !== undefined) return rowsOf(schema, `${path}.`);
  if (items?.properties !== undefined) return rowsOf(items, `${path}[].`);
  return typeof each === "object" && each.properties !== undefined ? rowsOf(each, `${path}.<name>.`) : [];
}

function typeOf(schema: JsonSchema): string {
  const { type, items, additionalProperties: each, minimum, exclusiveMinimum, maximum } = schema;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ");
  if (type === "array") return items?.properties === undefined ? `list of ${plural(items)}` : "list";
  if (type === "object")
    return typeof each === "object" && each.properties === undefined ? `names with ${typeOf(each)}` : "object";
  if (type === "boolean") return "true or false";
  if (type !== "number" && type !== "integer") return "text";
  const whole = type === "integer" ? "whole number" : "number";
  if (exclusiveMinimum !== undefined) return `${whole} above ${exclusiveMinimum}`;
  if (minimum === undefined) return whole;
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? `${whole} from ${minimum}`
    : `${whole} from ${minimum} to ${maximum}`;
}

function plural(schema: JsonSchema | undefined): string {
  return schema === undefined || schema.type === "string" ? "texts" : `${typeOf(schema)}s`;
}
