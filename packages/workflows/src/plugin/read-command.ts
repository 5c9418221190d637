import { checkKeys, type Entry, isUsable, pick, readEntryFile } from "./entry-file.ts";
import type { CommandConfig } from "./opencode-config.ts";

const passed = ["description", "agent", "model", "variant", "subtask"];
// OpenCode has no use for a hint; other readers of the same file have.
const known = new Set([...passed, "name", "argument-hint"]);

/** A command in OpenCode's own format. */
export function readCommand(path: string, name: string): Entry<CommandConfig> {
  const file = readEntryFile(path);
  const diagnostics = [...file.diagnostics, ...checkKeys(file, { type: "command", name, known })];
  if (file.body === "" && isUsable(diagnostics)) {
    const message = "The command has no text, so there is nothing to send to the model.";
    const hint = "Write it below the frontmatter.";
    diagnostics.push({ severity: "error", code: "template-empty", message, path, hint });
  }
  if (!isUsable(diagnostics)) return { diagnostics };
  return { config: { template: file.body, ...pick(file.values, passed) }, diagnostics };
}
