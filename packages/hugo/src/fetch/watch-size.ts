import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { HugoError } from "../errors.ts";
import { type SizeLimits, Tally } from "./limits.ts";

/** Between two looks, in milliseconds: an ordinary program is done before the second. */
const PAUSE = 100;

/**
 * Runs something that writes into a folder, and looks how much it is while it does. `guard` rejects as soon as it is too
 * much, for whoever can end the writer.
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
        await measure(folder, new Tally(what, limits));
        if (!isOver) timer = setTimeout(look, PAUSE);
      } catch (error) {
        reject(error);
      }
    };
    timer = setTimeout(look, PAUSE);
  });
  guard.catch((error: unknown) => {
    if (!(error instanceof HugoError)) throw error;
  });
  try {
    return await work(guard);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

async function measure(folder: string, tally: Tally): Promise<void> {
  const entries = await unlessGone(opendir(folder));
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await measure(path, tally);
    else tally.add((await unlessGone(stat(path)))?.size ?? 0);
  }
}

/** The writer is at work: what was there may have been renamed or removed. */
async function unlessGone<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
