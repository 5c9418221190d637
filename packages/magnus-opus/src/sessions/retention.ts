import type { Config } from "../config/schema.ts";
import type { SessionSummary } from "./sessions.ts";

const usualDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** Sessions that are over and old enough to go, if the settings want that. One whose state is unknown stays. */
export function expiredSessions(
  sessions: readonly SessionSummary[],
  settings: Config["sessionSettings"],
  now: number,
): readonly SessionSummary[] {
  if (!settings?.autoCleanup) return [];
  const oldest = now - (settings.retentionDays ?? usualDays) * dayMs;
  return sessions.filter(({ meta }) => {
    const isOver = meta !== undefined && meta.status !== "active" && meta.status !== "paused";
    return isOver && Date.parse(meta.updatedAt) < oldest;
  });
}
