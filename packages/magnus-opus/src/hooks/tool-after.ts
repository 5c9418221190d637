// What a tool left behind is seen at once, so that the next decision knows it.
import type { Magnus } from "../live/magnus.ts";
import { kindOf } from "../run/tool-kind.ts";
import type { ToolAfter } from "./opencode-hooks.ts";

export async function afterTool(
  magnus: Magnus,
  { tool, sessionID }: ToolAfter["input"],
  metadata: unknown,
): Promise<void> {
  const run = magnus.runs.known(sessionID);
  if (run === undefined) return;
  const child = (metadata as { readonly sessionId?: unknown } | undefined)?.sessionId;
  if (tool === "task" && typeof child === "string") await run.end(child, "idle");
  if (kindOf(tool, run.state.options.readOnlyTools) !== "read") await run.look();
}
