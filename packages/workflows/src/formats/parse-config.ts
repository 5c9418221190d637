import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import type { JsonNode } from "@atomic/durable-files/jsonc/tree";
import type { Diagnostic } from "../diagnostic.ts";

/** A config file that is JSON with comments: its tree, of which an empty file has none, or why it cannot be read. */
export type ParsedConfig =
  | { readonly kind: "parsed"; readonly root: JsonNode | undefined }
  | { readonly kind: "broken"; readonly diagnostic: Diagnostic };

export function parseConfig({ path, text }: { readonly path: string; readonly text: string }): ParsedConfig {
  try {
    return { kind: "parsed", root: parseJsonc(text).root };
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { kind: "broken", diagnostic: syntaxProblem(error, path) };
  }
}

function syntaxProblem({ message, at, hint }: DurableError, path: string): Diagnostic {
  const [, line, column] = /:(\d+):(\d+)$/.exec(at ?? "") ?? [];
  return {
    severity: "error",
    code: "config-syntax",
    // A diagnostic carries its place beside the message.
    message: message.replace(`${at}: `, ""),
    path,
    ...(line !== undefined && { line: Number(line), column: Number(column) }),
    ...(hint !== undefined && { hint }),
  };
}
