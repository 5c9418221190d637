import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Refusal } from "@atomic/terminal/refusal";
import type { Script, ScriptedAnswer } from "@atomic/workflows/hosts/scripted";

/** What the scripted host answers: a list as JSON, or a module with a function. */
export async function readScript(path: string): Promise<Script | readonly ScriptedAnswer[]> {
  const script = await contentOf(path);
  if (typeof script === "function") return script as Script;
  if (Array.isArray(script) && script.every(isAnswer)) return script;
  throw new Refusal("script-invalid", { message: `${path} is not a script`, at: path, hint, exitCode: 3 });
}

const hint =
  "It is JSON, [{ prompt, reply }], or a JavaScript module whose default export is a function from a prompt to a reply.";

/** Whatever is wrong with the file is its author's to know. */
async function contentOf(path: string): Promise<unknown> {
  try {
    if (path.endsWith(".json")) return JSON.parse(readFileSync(path, "utf8"));
    return ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal("script-invalid", {
      message: `the script ${path} cannot be read: ${why}`,
      at: path,
      hint,
      cause,
      exitCode: 3,
    });
  }
}

function isAnswer(value: unknown): value is ScriptedAnswer {
  const { prompt, reply } = (value ?? {}) as Partial<ScriptedAnswer>;
  return typeof prompt === "string" && typeof reply === "string";
}
