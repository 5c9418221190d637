import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SizeCounter, type SizeLimits } from "./limits.ts";

/** Milliseconds between two checks: most programs finish before the second. */
const PAUSE = 100;

/**
 * Runs something that writes into a folder, and watches the folder's size meanwhile. `guard` rejects as soon as it is too
 * large, so the caller can stop the writer.
 */
export async function watchingSize<Value>(
  folder: string,
  what: string,
  limits: SizeLimits,
  work: (guard: Promise<never>) => Promise<Value>,
): Promise<Value> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const guard = new Promise<never>((_resolve, reject) => {
    const look = async (): Promise<void> => {
      try {
        await measure(folder, new SizeCounter(what, limits));
        if (!isOver) timer = setTimeout(look, PAUSE);
      } catch (error) {
        reject(error);
      }
    };
    timer = setTimeout(look, PAUSE);
  });
  // Promise.race reports it; a rejection after the race does not matter.
  guard.catch(() => undefined);
  try {
    return await work(guard);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

async function measure(folder: string, counter: SizeCounter): Promise<void> {
  for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await measure(path, counter);
    else counter.add((await unlessGone(stat(path)))?.size ?? 0);
  }
}

/** The writer is still working: a file may have been renamed or removed. */
async function unlessGone<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
