// Which session began which run, from the first line of each journal: enough to know whose a session is after a restart.
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { readEvent } from "../run/event.ts";
import { journalName } from "../run/journal.ts";
import { Sessions } from "../sessions/sessions.ts";

/** No description is longer than this. */
const longestStart = 256 * 1024;

/** Ids of runs by their root session; of several, the newest. */
export function runsByRoot(directory: string): Map<string, string> {
  const runs = new Map<string, string>();
  const sessions = new Sessions(directory);
  if (!existsSync(sessions.folder)) return runs;
  for (const { id, folder } of sessions.list()) {
    const root = rootOf(join(folder, journalName));
    if (root !== undefined && !runs.has(root)) runs.set(root, id);
  }
  return runs;
}

function rootOf(journal: string): string | undefined {
  try {
    const { event } = JSON.parse(firstLine(journal)) as { readonly event?: unknown };
    const started = readEvent(event);
    return started?.type === "run-started" ? started.session : undefined;
  } catch (error) {
    // What does not begin with a run is none.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function firstLine(file: string): string {
  const fd = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(longestStart);
    const text = buffer.toString("utf8", 0, readSync(fd, buffer, 0, longestStart, 0));
    return text.slice(0, text.indexOf("\n"));
  } finally {
    closeSync(fd);
  }
}
