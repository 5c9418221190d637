import { existsSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { type JsonPart, jsonObjectIn } from "@atomic/durable-files/jsonc/part";
import type { Diagnostic } from "../entities/diagnostic.ts";
import { readTextFile } from "../entities/read-file.ts";

/** What a package's `workflow.json` lists: what Hugo showed to the user, and all that may be loaded. */
export interface ListedNames {
  readonly agents: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
  readonly skills: ReadonlySet<string>;
}

const nothing: ListedNames = { agents: new Set(), commands: new Set(), skills: new Set() };

/** Undefined without a `workflow.json`. One that cannot be read lists nothing. */
export function readListedNames(folder: string): { names: ListedNames | undefined; diagnostics: Diagnostic[] } {
  const path = join(folder, "workflow.json");
  if (!existsSync(path)) return { names: undefined, diagnostics: [] };
  const file = readTextFile(path);
  if (file.kind === "unreadable") return { names: nothing, diagnostics: [file.diagnostic] };
  const hint = "Run `hugo build` in the workflow package to write it again.";
  try {
    const root = jsonObjectIn(file.text, {
      file: "workflow.json",
      hint,
      error: (refusal) => new DurableError("shape", refusal),
    });
    const namesIn = (list: JsonPart): Set<string> => new Set(list.items().map((item) => item.string()));
    const [agents, commands, skills] = ["agents", "commands", "skills"].map((key) => namesIn(root.get(key)));
    return { names: { agents: agents!, commands: commands!, skills: skills! }, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const { message } = error;
    const diagnostic: Diagnostic = { severity: "error", code: "workflow-json-invalid", message, path, hint };
    return { names: nothing, diagnostics: [diagnostic] };
  }
}
