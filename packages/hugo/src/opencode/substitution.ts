// OpenCode fills in {env:…} and {file:…} before it parses a config, so they may stand where no JSON can.

import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { HugoError } from "../errors.ts";
import { type JsonSource, readJsonConfig } from "../packages/json-part.ts";

const STRING_COMMENT_OR_TOKEN = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\{(?:env|file):[^}]+\}/g;

const hintWithTokens =
  "It has {env:…} or {file:…} outside of a string, and Hugo does not know what OpenCode makes of it: put it inside one. Nothing was changed.";

/** Reads a config with `null` wherever OpenCode would fill in a value; all positions stay. */
export function readConfigToFillIn(text: string, origin: JsonSource): JsonPart {
  const readable = withNulls(text);
  return readJsonConfig(readable, readable === text ? origin : { ...origin, hint: hintWithTokens });
}

/** An edit cannot be checked if nobody knows what the text will be. */
export function refuseToFillIn(file: string, text: string): void {
  if (withNulls(text) === text) return;
  throw new HugoError("config-unsafe", {
    message: `${file}: Hugo cannot edit it safely, as it only is JSON once OpenCode has filled in {env:…} or {file:…}`,
    at: file,
    hint: "Put it inside a string, or change the plugin array by hand. Nothing was changed.",
  });
}

function withNulls(text: string): string {
  if (!/\{(?:env|file):/.test(text)) return text;
  return text.replace(STRING_COMMENT_OR_TOKEN, (part) => (part.startsWith("{") ? "null".padEnd(part.length) : part));
}
