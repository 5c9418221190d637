// Which session began which run, so a session's run is known after a restart. The seal knows it even if the journal is
// unreadable; such a run is closed, not forgotten.

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { readEvent } from "../run/event.ts";
import { readSeal, sealPath } from "./seal.ts";
import { Sessions } from "./sessions.ts";
import { journalName } from "./workplace.ts";

/** Longer than any first event. */
const longestStart = 256 * 1024;

/** Run ids by root session; the newest run if there are several. */
export function runsByRoot(directory: string): Map<string, string> {
  const runs = new Map<string, string>();
  const sessions = new Sessions(directory);
  if (!existsSync(sessions.folder)) return runs;
  for (const { id, folder } of sessions.list()) {
    const journal = join(folder, journalName);
    const root = readSeal(sealPath(journal))?.root ?? firstSession(journal);
    if (root !== undefined && !runs.has(root)) runs.set(root, id);
  }
  return runs;
}

/** The root session from the journal: older seals do not name it. */
function firstSession(journal: string): string | undefined {
  if (!existsSync(journal)) return undefined;
  const fd = openSync(journal, "r");
  const buffer = Buffer.alloc(longestStart);
  let line: string;
  try {
    const text = buffer.toString("utf8", 0, readSync(fd, buffer, 0, longestStart, 0));
    line = text.slice(0, text.indexOf("\n"));
  } finally {
    closeSync(fd);
  }
  try {
    const started = readEvent((JSON.parse(line) as { readonly event?: unknown }).event);
    return started?.type === "run-started" ? started.session : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A damaged first line still counts as a run.
    return /"run-started".*"session":"([^"]+)"/.exec(line)?.[1];
  }
}
