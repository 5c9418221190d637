import { readdir, readFile } from "node:fs/promises";

/**
 * Kills a program that leads a session of its own, as one on a pty does, with all that it started in it, and waits until
 * they are gone.
 */
export async function killSession(leader: number, deadline = 5000): Promise<void> {
  if (process.platform !== "linux") return kill(-leader);
  const end = performance.now() + deadline;
  // More than once, because a process may have started another one while we were looking.
  for (let members = await livingMembers(leader); members.length > 0; members = await livingMembers(leader)) {
    if (performance.now() > end) throw new Error(`Processes ${members.join(", ")} do not end when killed.`);
    for (const pid of members) kill(pid);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A shell with job control puts every job into its own group, so looking for the leader's group is not enough. */
async function livingMembers(leader: number): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const states = await Promise.all(pids.map(readState));
  return pids.filter((_, index) => states[index]?.session === leader && !states[index].isZombie);
}

async function readState(pid: number): Promise<{ session: number; isZombie: boolean } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may hold anything; then come state, parent, group and session.
    const [state, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { session: Number(session), isZombie: state === "Z" || state === "X" };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ESRCH" || code === "ENOENT";
}
