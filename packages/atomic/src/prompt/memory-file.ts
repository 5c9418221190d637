// Where the prompt line keeps what it remembers: one file for all projects, outside of them, and only for you.
import { Buffer, isUtf8 } from "node:buffer";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
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
  return { path, ...readMemory(textOf(readForEdit(path).bytes)) };
}

/** One line that is not UTF-8 does not take the others with it. */
function textOf(bytes: Uint8Array): string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(all)) return all.toString("utf8");
  const lines = all
    .toString("latin1")
    .split("\n")
    .map((line) => Buffer.from(line, "latin1"));
  return lines.map((line) => (isUtf8(line) ? line.toString("utf8") : "not UTF-8")).join("\n");
}

/** Another prompt line may be writing at the same moment: then this one reads again. */
const attempts = 5;

export async function remember({ path }: MemoryFile, record: MemoryRecord): Promise<void> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let left = attempts; ; left--) {
    const { bytes, hash } = readForEdit(path);
    const content = writeMemory([...readMemory(textOf(bytes)).records, record]);
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
