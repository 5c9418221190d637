// A Claude whose parent was killed finishes its turn. Until then nobody else may go on with its session: both would write
// the same transcript, and work in the same folder.
import { watch } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";

/** How Claude notes down its running programs, one file each: what is of use here. */
export interface RunningAgent {
  readonly pid: number;
  readonly sessionId: string;
  readonly startedAt: number;
}

/** Without an event of the file system, for instance when the program is killed. */
const lookAgain = 1_000;

/** Resolves once no Claude works on this session any more. If the signal fires, the one that does is ended. */
export async function untilAlone(configFolder: string, sessionId: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const running = await runningAgents(configFolder, sessionId);
    if (running.length === 0) return;
    if (signal?.aborted) for (const { pid } of running) signalled(pid, "SIGTERM");
    signal?.throwIfAborted();
    await changed(notesFolder(configFolder), signal);
  }
}

/** Their notes. Claude works on a session some time before it writes anything down of it. */
export async function runningAgents(configFolder: string, sessionId: string): Promise<readonly RunningAgent[]> {
  const all = await notes(notesFolder(configFolder));
  return all.filter((note) => note.sessionId === sessionId && isAlive(note));
}

function notesFolder(configFolder: string): string {
  return join(configFolder, "sessions");
}

async function notes(folder: string): Promise<RunningAgent[]> {
  const names = await orIfMissing(readdir(folder), []);
  const texts = names
    .filter((name) => name.endsWith(".json"))
    .map((name) => orIfMissing(readFile(join(folder, name), "utf8"), ""));
  return (await Promise.all(texts)).flatMap(parse);
}

function parse(text: string): RunningAgent[] {
  try {
    const note = JSON.parse(text) as Partial<RunningAgent>;
    return typeof note.pid === "number" && note.sessionId !== undefined
      ? [{ startedAt: 0, ...note } as RunningAgent]
      : [];
  } catch (error) {
    // It is being written, or Claude has another way of noting things down.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** A note stays when its program is killed. After a restart of the machine the number may be somebody else's. */
function isAlive({ pid, startedAt }: RunningAgent): boolean {
  if (pid === process.pid || startedAt < Date.now() - uptime() * 1000) return false;
  return signalled(pid, 0);
}

/** Whether there was such a process. */
function signalled(pid: number, signal: "SIGTERM" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

function changed(folder: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, done);
    const timer = setTimeout(done, lookAgain);
    signal?.addEventListener("abort", done, { once: true });
    function done(): void {
      watcher.close();
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

async function orIfMissing<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
