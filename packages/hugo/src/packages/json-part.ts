import { type JsonPart, jsonConfigIn, jsonObjectIn } from "@atomic/durable-files/jsonc/part";
import { HugoError, type HugoErrorCode } from "../errors.ts";
import { type PackageTree, textOf } from "./tree.ts";

export interface JsonSource {
  /** Named in every refusal. */
  readonly file: string;
  /** The code of every refusal. */
  readonly code: HugoErrorCode;
  readonly hint: string;
}

/** The whole text, which must be an object without duplicate keys. */
export function readJsonObject(text: string, { file, code, hint }: JsonSource): JsonPart {
  return jsonObjectIn(text, { file, hint, error: (refusal) => new HugoError(code, refusal) });
}

/** The same for a package's file; undefined if the package has none. */
export function readJsonFile(tree: PackageTree, file: string, hint: string): JsonPart | undefined {
  const text = textOf(tree, file);
  return text === undefined ? undefined : readJsonObject(text, { file, code: "manifest-invalid", hint });
}

/** The whole text, which may be empty, or an object with keys that Hugo does not know. */
export function readJsonConfig(text: string, { file, code, hint }: JsonSource): JsonPart {
  return jsonConfigIn(text, { file, hint, error: (refusal) => new HugoError(code, refusal) });
}
