import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isExplained } from "@atomic/durable-files/explained-error";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { Refusal } from "@atomic/terminal/refusal";
import type { Script, ScriptedAnswer } from "@atomic/workflows/internal/hosts/scripted";

const hint =
  "A script is JSON, [{ prompt, reply }], or a JavaScript module whose default export is a function from a prompt to a reply.";

/** What the scripted host answers: a list as JSON, or a module with a function. */
export async function readScript(path: string): Promise<Script | readonly ScriptedAnswer[]> {
  let script: unknown;
  try {
    if (path.endsWith(".json")) {
      const { root } = parseJsonc(readFileSync(path, "utf8"), { file: path, empty: "refuse" });
      script = root && toValue(root);
    } else script = ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default;
  } catch (cause) {
    // Whatever is wrong with the file is reported to its author.
    if (!existsSync(path)) {
      throw new Refusal("script-missing", { message: `${path} does not exist`, at: path, hint, cause, exitCode: 1 });
    }
    if (isExplained(cause)) {
      const { message, at = path } = cause;
      throw new Refusal("script-invalid", { message, at, hint: cause.hint ?? hint, cause, exitCode: 3 });
    }
    const message = `the script ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new Refusal("script-invalid", { message, at: path, hint, cause, exitCode: 3 });
  }
  if (typeof script === "function") return script as Script;
  const isAnswer = (value: unknown): value is ScriptedAnswer => {
    const { prompt, reply } = (value ?? {}) as Partial<ScriptedAnswer>;
    return typeof prompt === "string" && typeof reply === "string";
  };
  if (Array.isArray(script) && script.every(isAnswer)) return script;
  throw new Refusal("script-invalid", { message: `${path} is not a valid script`, at: path, hint, exitCode: 3 });
}
