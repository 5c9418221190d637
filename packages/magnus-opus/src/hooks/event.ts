// What OpenCode tells of its sessions: what they cost, when they end, and that a person pressed Esc.
import type { Magnus } from "../live/magnus.ts";
import type { MessageInfo } from "../live/opencode.ts";
import type { OpencodeEvent } from "./opencode-hooks.ts";

interface Properties {
  readonly sessionID?: string;
  readonly info?: MessageInfo & { readonly id: string };
  readonly error?: { readonly name?: string };
}

/** OpenCode tells of every word that a model says; nobody has to queue for that. */
export const heard: ReadonlySet<string> = new Set([
  "message.updated",
  "session.idle",
  "session.deleted",
  "session.error",
]);

export async function hear(magnus: Magnus, { type, properties }: OpencodeEvent): Promise<void> {
  const { sessionID, info, error } = (properties ?? {}) as Properties;
  const session = sessionID ?? info?.sessionID ?? (type === "session.deleted" ? info?.id : undefined);
  const run = session === undefined ? undefined : magnus.runs.known(session);
  if (run === undefined || session === undefined) return;
  switch (type) {
    case "message.updated":
      if (info !== undefined) await run.use(info);
      return;
    case "session.idle":
      return await run.end(session, "idle");
    case "session.deleted":
      return await run.end(session, "lost");
    case "session.error":
      await run.end(session, "error");
      if (error?.name === "MessageAbortedError") await run.pause("abort", "a person stopped the agents");
      return;
  }
}
