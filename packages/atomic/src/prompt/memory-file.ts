// Where the prompt line keeps what it remembers: one file for all projects, outside of them, and only for you.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import type { AtomicContext } from "../context.ts";
import { type MemoryRecord, readMemory, writeMemory } from "./line/memory.ts";

export interface MemoryFile {
  readonly path: string;
  readonly records: readonly MemoryRecord[];
  /** Lines that are not records. */
  readonly unreadable: number;
}

export function readMemoryFile({ env, home }: Pick<AtomicContext, "env" | "home">): MemoryFile {
  const path = join(env.XDG_STATE_HOME || join(home, ".local", "state"), "atomic", "prompt", "history.jsonl");
  return { path, ...readMemory(readTextForEdit(path).text) };
}

/** Another prompt line may be writing at the same moment: then this one reads again. */
const attempts = 5;

export async function remember({ path }: MemoryFile, record: MemoryRecord): Promise<void> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let left = attempts; ; left--) {
    const { text, hash } = readTextForEdit(path);
    const content = writeMemory([...readMemory(text).records, record]);
    try {
      await transaction(join(folder, "changes"), [{ path, content, expect: hash, mode: 0o600 }], {
        purpose: "writing the prompt line's history",
      });
      return;
    } catch (error) {
      if (!(error instanceof DurableError && error.code === "changed" && left > 1)) throw error;
    }
  }
}
