import { join } from "node:path";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { readTextFile } from "../../read-file.ts";
import { parseConfig } from "../opencode-config.ts";

/** The graphs that a package says it has: `workflows` in its workflow.json. Other code in the folder is its own affair. */
export function listedWorkflows(folder: string): readonly string[] {
  const path = join(folder, "workflow.json");
  const file = readTextFile(path);
  if (file.kind === "unreadable") return [];
  const config = parseConfig({ path, text: file.text });
  if (config.kind === "broken" || config.root?.kind !== "object") return [];
  const { workflows } = toValue(config.root) as Record<string, unknown>;
  return Array.isArray(workflows) ? workflows.filter((name) => typeof name === "string") : [];
}
