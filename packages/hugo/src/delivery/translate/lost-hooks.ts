import { isMap } from "./claude-format.ts";
import { AUTHOR, type KeyEdits } from "./key-edits.ts";
import type { Remark } from "./markdown-file.ts";

/** They run when something has happened already, so that they can forbid nothing. */
const AFTERWARDS = new Set(["PostToolUse", "PostToolUseFailure", "Notification", "SessionEnd", "SubagentStop", "Stop"]);

/** Hooks can forbid what the lists of tools allow, and OpenCode runs none of a file's. */
export function lostHooks(edits: KeyEdits): Remark | undefined {
  const { hooks } = edits.values;
  if (hooks === undefined || hooks === null) return undefined;
  const names = isMap(hooks) ? Object.keys(hooks) : ["hooks"];
  const forbidding = names.find((name) => !AFTERWARDS.has(name));
  if (forbidding !== undefined) {
    return edits.remark(
      "hooks",
      `Its hook ${JSON.stringify(forbidding)} may forbid things, and OpenCode does not run it`,
      AUTHOR,
    );
  }
  edits.remove("hooks");
  edits.note("hooks", "OpenCode does not run its hooks");
  return undefined;
}
