// Where the prompt line keeps what it remembers: one file for all projects, outside of them, and only for you.
import { Buffer, isUtf8 } from "node:buffer";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import type { AtomicContext } from "../context.ts";
import { keptLines, lineOf, type MemoryLine, type MemoryRecord, readLine } from "./line/memory.ts";

export interface MemoryFile {
  readonly path: string;
  readonly records: readonly MemoryRecord[];
  /** Lines that are not records. */
  readonly unreadable: number;
}

export function readMemoryFile({ env, home }: Pick<AtomicContext, "env" | "home">): MemoryFile {
  const path = join(env.XDG_STATE_HOME || join(home, ".local", "state"), "atomic", "prompt", "history.jsonl");
  const lines = linesOf(readForEdit(path).bytes);
  const records = lines.flatMap(({ record }) => record ?? []);
  return { path, records, unreadable: lines.length - records.length };
}

interface FileLine extends MemoryLine {
  readonly bytes: Uint8Array;
}

/** One line that is not UTF-8 does not take the others with it. */
function linesOf(bytes: Uint8Array): readonly FileLine[] {
  const lines: FileLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(lineBreak, from);
    const to = end === -1 ? bytes.length : end;
    const line = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    const text = isUtf8(line) ? line.toString("utf8") : "not UTF-8";
    if (text.trim() !== "") lines.push({ ...readLine(text), bytes: line });
    from = to + 1;
  }
  return lines;
}

const lineBreak = 0x0a;

/** Another prompt line may be writing at the same moment: then this one reads again. */
const attempts = 5;

export async function remember({ path }: MemoryFile, record: MemoryRecord): Promise<void> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let left = attempts; ; left--) {
    const { bytes, hash } = readForEdit(path);
    const line = lineOf(record);
    const kept = keptLines([...linesOf(bytes), { ...line, bytes: Buffer.from(line.json) }]);
    const content = Buffer.concat(kept.flatMap((each) => [each.bytes, Buffer.of(lineBreak)]));
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
