import * as z from "zod/mini";
import { expiredSessions, SessionError, Sessions } from "../../sessions/sessions.ts";
import { listSessions, whyStillNeeded } from "../commands/cleanup.ts";
import type { MagnusTool } from "./tool.ts";

const actions = ["list", "archive", "delete"] as const;
const given = z.object({ action: z.enum(actions), session: z.optional(z.string()) });

export const magnusSessions: MagnusTool = {
  name: "magnus_sessions",
  schema: {
    type: "object",
    properties: { action: { type: "string", enum: actions }, session: { type: "string" } },
    required: ["action"],
  },
  async run(magnus, args) {
    const read = z.safeParse(given, args);
    if (!read.success) return `\`magnus_sessions\` needs an action: ${actions.join(", ")}.`;
    const { action, session = "" } = read.data;
    if (action === "list") return listSessions(magnus);
    try {
      const sessions = new Sessions(magnus.workplace.directory);
      const { id } = sessions.find(session);
      const why = whyStillNeeded(magnus, id);
      if (why !== undefined) return why;
      // Only people delete sessions, unless their settings say how long one is kept.
      const expired = expiredSessions(sessions.list(), magnus.settings.config.sessionSettings, Date.now());
      if (action === "delete" && !expired.some((each) => each.id === id)) {
        return `${id} is not old enough to be deleted by an agent. The user can: \`/cleanup ${id}\`.`;
      }
      await magnus.runs.forget(id);
      if (action === "archive") return `Archived ${id} to ${await sessions.archive(id)}.`;
      await sessions.remove(id);
      return `Deleted ${id}.`;
    } catch (error) {
      if (error instanceof SessionError) return `${error.message} ${error.hint}`;
      throw error;
    }
  },
};
