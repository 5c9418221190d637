// What OpenCode reports about its sessions: their cost, their end, prompts shown to a person, and Esc.
import type { Magnus } from "../live/magnus.ts";
import type { MessageInfo } from "../live/opencode.ts";
import type { HookEvent } from "./opencode-hooks.ts";

interface Properties {
  readonly sessionID?: string;
  readonly info?: MessageInfo & { readonly id: string };
  /** For a prompt: the call that asked for it. */
  readonly tool?: { readonly callID?: string };
  readonly error?: { readonly name?: string };
}

/** OpenCode also reports every word a model says; those events are not queued. */
export const handledEvents: ReadonlySet<string> = new Set([
  "message.updated",
  "session.idle",
  "session.deleted",
  "session.error",
  "permission.asked",
]);

/** Not queued, because a person may type as soon as a call is over. */
export function closeEndedCall({ calls, programs }: Magnus, { type, properties }: HookEvent): void {
  if (type !== "message.part.updated") return;
  const { part } = (properties ?? {}) as { readonly part?: ToolPart };
  const status = part?.state?.status;
  const isOver = part?.type === "tool" && (status === "completed" || status === "error");
  if (!isOver || !calls.isOpen(part.callID)) return;
  calls.end(part.sessionID, part.callID);
  programs.remember((call) => calls.isOpen(call));
}

interface ToolPart {
  readonly type: string;
  readonly sessionID: string;
  readonly callID: string;
  readonly state?: { readonly status?: string };
}

export async function onEvent(magnus: Magnus, { type, properties }: HookEvent): Promise<void> {
  const { sessionID, info, error, tool } = (properties ?? {}) as Properties;
  const session = sessionID ?? info?.sessionID ?? (type === "session.deleted" ? info?.id : undefined);
  const run = session === undefined ? undefined : magnus.runs.known(session);
  if (run === undefined || session === undefined) return;
  switch (type) {
    case "message.updated":
      if (info !== undefined) await run.recordUsage(info);
      return;
    case "permission.asked":
      if (tool?.callID !== undefined) magnus.prompts.add(tool.callID);
      return;
    case "session.idle":
      magnus.calls.endAll(session); // an error does not end them: a program can cause one by sending OpenCode nonsense
      return await run.end(session, "idle");
    case "session.deleted":
      return await run.end(session, "lost");
    case "session.error":
      await run.end(session, "error");
      if (error?.name !== "MessageAbortedError" || magnus.stoppedHere.delete(session)) return;
      if (run.state.status.kind === "running")
        await run.record({ type: "paused", reason: "abort", detail: "the user stopped the agents" });
      return;
  }
}
