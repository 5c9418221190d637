// What a tool left behind is seen at once, so that the next decision knows it.

import { kindOf } from "../../run/tool-kind.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ToolAfter } from "./opencode-hooks.ts";

export async function afterTool(
  magnus: Magnus,
  { tool, sessionID }: ToolAfter["input"],
  { metadata, output }: ToolAfter["output"],
): Promise<void> {
  const run = magnus.runs.known(sessionID);
  if (run === undefined) return;
  // Our programs refuse an agent that decides for a person. The person should know that it tried; `magnus-opus` records
  // that itself, whatever becomes of its output.
  const tried = /^.* needs a person's decision, but .* is running this command/m.exec(String(output ?? ""))?.[0];
  if (tried !== undefined && !tried.includes("magnus-opus ")) {
    const agent = magnus.agents.get(sessionID) ?? "";
    await run.record({ type: "call-refused", session: sessionID, agent, tool, gate: "record", missing: tried });
  }
  const child = (metadata as { readonly sessionId?: unknown } | undefined)?.sessionId;
  if (tool === "task" && typeof child === "string") await run.end(child, "idle");
  if (kindOf(tool, run.state.options.readOnlyTools) !== "read") await run.look();
}
