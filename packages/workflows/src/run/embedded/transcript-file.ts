import * as fs from "node:fs";
import { join } from "node:path";
import { hashOf } from "@atomic/durable-files/files/plain-file";
import { systemCode } from "../../entities/system-error.ts";
import type { StepNote } from "../events.ts";
import type { Json } from "../json.ts";
import { longestTranscript } from "../transcript.ts";

/** Longer notes are kept under their hash, so that what is said again and again takes no further room. */
const longestLine = 4096;

/** A line of a transcript: the note itself, or the name of its file. */
type TranscriptLine = Pick<StepNote, "key" | "at"> & ({ readonly note: Json } | { readonly file: string });

/**
 * What the steps of a run reported, one note per line. It may be removed at any time: nothing that a run needs is in it. So it
 * is not flushed either, and what a crash leaves unfinished is skipped.
 */
export class TranscriptFile {
  readonly #path: string;
  readonly #folder: string;
  #bytes: number | undefined;

  constructor(runFolder: string) {
    ({ path: this.#path, folder: this.#folder } = transcriptPaths(runFolder));
  }

  /** Throws if it cannot be written. Nothing more is added once it is full. */
  add(told: StepNote): void {
    if (this.#bytes === undefined) {
      this.#bytes = transcriptBytes(this.#path, this.#folder);
      // A crash may have left half a line.
      if (this.#bytes > 0) fs.appendFileSync(this.#path, "\n");
    }
    if (this.#bytes >= longestTranscript) return;
    const { key, at, note } = told;
    let line: TranscriptLine = { key, at, note };
    const text = JSON.stringify(note);
    if (text.length > longestLine) {
      const bytes = Buffer.from(text);
      const file = `${hashOf(bytes).replace(":", "-")}.json`;
      line = { key, at, file };
      if (this.#keep(join(this.#folder, file), bytes)) this.#bytes += bytes.length;
    }
    const added = `${JSON.stringify(line)}\n`;
    fs.appendFileSync(this.#path, added);
    this.#bytes += added.length;
  }

  #keep(path: string, bytes: Uint8Array): boolean {
    fs.mkdirSync(this.#folder, { recursive: true });
    try {
      fs.writeFileSync(path, bytes, { flag: "wx" });
      return true;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      return false;
    }
  }
}

function transcriptPaths(runFolder: string): { readonly path: string; readonly folder: string } {
  return { path: join(runFolder, "transcript.jsonl"), folder: join(runFolder, "transcript") };
}

function transcriptBytes(path: string, folder: string): number {
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];
  return [path, ...files].reduce((sum, each) => sum + (fs.statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** A function that returns the notes since its last call; none if there is no transcript, or no longer. */
export function transcriptTail(runFolder: string): () => StepNote[] {
  const { path, folder } = transcriptPaths(runFolder);
  let offset = 0;
  return () => {
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= offset) return [];
    const bytes = Buffer.alloc(size - offset);
    const fd = fs.openSync(path, "r");
    try {
      fs.readSync(fd, bytes, 0, bytes.length, offset);
    } finally {
      fs.closeSync(fd);
    }
    const notes: StepNote[] = [];
    // A line that is still being written is read next time.
    const end = bytes.lastIndexOf("\n") + 1;
    for (const line of bytes.toString("utf8", 0, end).split("\n")) {
      const read = line === "" ? undefined : jsonOf<TranscriptLine>(line);
      if (read === undefined) continue;
      const note = "file" in read ? contentOf(join(folder, read.file)) : read.note;
      notes.push({ type: "step-note", key: read.key, note, at: read.at });
    }
    offset += end;
    return notes;
  };
}

function contentOf(path: string): Json {
  const text = fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "";
  const isWhole = path.endsWith(`${hashOf(Buffer.from(text)).replace(":", "-")}.json`);
  return (isWhole ? jsonOf<Json>(text) : undefined) ?? { isLost: true };
}

function jsonOf<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns how many bytes that freed. */
export function removeTranscript(runFolder: string, isDry: boolean): number {
  const { path, folder } = transcriptPaths(runFolder);
  const bytes = transcriptBytes(path, folder);
  if (!isDry) for (const each of [path, folder]) fs.rmSync(each, { recursive: true, force: true });
  return bytes;
}
