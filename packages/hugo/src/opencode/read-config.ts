import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { HugoError } from "../errors.ts";
import { type JsonSource, readJsonConfig } from "../packages/json-part.ts";
import type { ConfigState } from "./config-files.ts";

/** One plugin that a config file names. */
export interface PluginEntry {
  readonly file: string;
  /** Its position in that file's array. */
  readonly index: number;
  /** As it is written: `name`, `name@1.2.3`, a path, a git address. */
  readonly spec: string;
  /** Written as an array: `["name"]` or `["name", { … }]`. */
  readonly isTuple: boolean;
  readonly options?: JsonValue;
}

export interface ConfigDocument extends ConfigState {
  readonly text: string;
  readonly plugins: readonly PluginEntry[];
}

const hint = "Fix it by hand; OpenCode probably rejects it as well. Nothing was changed.";

/**
 * Reads one OpenCode config file; `undefined` means that the file is missing. What OpenCode would refuse is
 * refused here too, with its position, so no edit is a guess.
 */
export function readOpencodeConfig(file: string, text: string | undefined): ConfigDocument {
  const root = readConfigToFillIn(text ?? "", { file, code: "config-invalid", hint });
  const arrays = root.entries().filter(([key]) => key === "plugin");
  const [array, second] = arrays.map(([, part]) => part);
  if (second !== undefined)
    throw second.refuse("appears more than once", "Keep only one of them. Nothing was changed.");
  return {
    file,
    text: text ?? "",
    exists: text !== undefined,
    hasPlugins: array !== undefined,
    ...(root.entries().some(([key]) => ["theme", "keybinds", "tui"].includes(key)) && { hasTuiSettings: true }),
    plugins:
      array?.items().map((part, index) => {
        if (part.node?.kind === "string") return { file, index, spec: part.string(), isTuple: false };
        if (part.node?.kind !== "array") throw part.refuse('must be "plugin" or ["plugin", { options }]');
        const [spec, options, ...more] = part.items();
        if (spec === undefined || more.length > 0) throw part.refuse('must have the form ["plugin", { options }]');
        if (options !== undefined && options.node?.kind !== "object")
          throw options.refuse("must be an object with options");
        const value = options?.value();
        return { file, index, spec: spec.string(), isTuple: true, ...(value !== undefined && { options: value }) };
      }) ?? [],
  };
}

// OpenCode fills in {env:…} and {file:…} before it parses a config, so they may be where JSON does not allow them.
const STRING_COMMENT_OR_TOKEN = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\{(?:env|file):[^}]+\}/g;

const hintWithTokens =
  "The file contains {env:…} or {file:…} outside a string, and Hugo does not know what OpenCode will replace it with. Put it inside a string. Nothing was changed.";

/** Reads a config with `null` wherever OpenCode would fill in a value; positions stay the same. */
export function readConfigToFillIn(text: string, origin: JsonSource): JsonPart {
  const readable = withNulls(text);
  return readJsonConfig(readable, readable === text ? origin : { ...origin, hint: hintWithTokens });
}

/** An edit cannot be checked if the resulting text is unknown. */
export function refuseToFillIn(file: string, text: string): void {
  if (withNulls(text) === text) return;
  throw new HugoError("config-unsafe", {
    message: `${file}: Hugo cannot edit it safely, because it is valid JSON only after OpenCode fills in {env:…} or {file:…}`,
    at: file,
    hint: "Put the placeholder inside a string, or edit the plugin array by hand. Nothing was changed.",
  });
}

function withNulls(text: string): string {
  if (!/\{(?:env|file):/.test(text)) return text;
  return text.replace(STRING_COMMENT_OR_TOKEN, (part) => (part.startsWith("{") ? "null".padEnd(part.length) : part));
}
