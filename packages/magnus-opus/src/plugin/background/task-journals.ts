// What background tasks have to remember, on disk: one journal for each session that a person uses, outside the project. It is
// removed when nothing in it is open, so nothing is left to read at the next start.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { type Journal, openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { type BackgroundRecord, readBackgroundRecord } from "../../background/records.ts";

const version = 1;
const heading = { type: "background-tasks", version };

/** Journals of this process, which outlive a reload of the plugin. */
const openedHere = new Set<string>();

export interface RestoredTasks {
  readonly records: readonly BackgroundRecord[];
  readonly isSameProcess: boolean;
}

export class TaskJournals {
  readonly #folder: string;
  readonly #notify: (message: string) => void;
  readonly #open = new Map<string, Journal>();

  constructor(folder: string, notify: (message: string) => void) {
    this.#folder = folder;
    this.#notify = notify;
  }

  /** What earlier processes left behind, except where another one is still at work. */
  async restore(): Promise<readonly RestoredTasks[]> {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => name.endsWith(".jsonl")) : [];
    const found: RestoredTasks[] = [];
    for (const name of names) {
      const root = name.slice(0, -".jsonl".length);
      try {
        const isSameProcess = openedHere.has(this.#path(root));
        found.push({ records: await this.open(root), isSameProcess });
      } catch (error) {
        // Locked: the other process takes care of it.
        if (!(error instanceof DurableError)) throw error;
        if (error.code !== "locked") this.#notify(`${error.message}. Its background tasks are not restored.`);
      }
    }
    return found;
  }

  /** Opens a session's journal and returns what is in it. Fails if another process works with it. */
  async open(root: string): Promise<readonly BackgroundRecord[]> {
    if (this.#open.has(root)) return [];
    const path = this.#path(root);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const read: unknown[] = [];
    let journal: Journal;
    try {
      journal = await openJournal(path, { deadlineMs: 0, replay: ({ event }) => void read.push(event) });
    } catch (error) {
      if (!(error instanceof DurableError && error.code === "damaged")) throw error;
      renameSync(path, `${path}.damaged-${Date.now()}`);
      this.#notify(`${error.message}. It was set aside; what its background tasks did is in their sessions.`);
      return await this.open(root);
    }
    const [first, ...rest] = read;
    const records = rest.map((each) => readBackgroundRecord(each));
    const isKnown = first === undefined || (first as typeof heading).version === version;
    if (!isKnown || records.includes(undefined)) {
      journal.close();
      const message = `${path} was written by a newer version of Magnus Opus`;
      throw new DurableError("shape", { message, at: path, hint: "Update Magnus Opus." });
    }
    if (first === undefined) journal.appendSync(heading);
    this.#open.set(root, journal);
    openedHere.add(path);
    return records as BackgroundRecord[];
  }

  /** What is on disk about a session; nothing unless this process works with its journal. */
  read(root: string): readonly BackgroundRecord[] {
    if (!this.#open.has(root)) return [];
    const { records } = readJournal(this.#path(root));
    return records.flatMap(({ event }) => readBackgroundRecord(event) ?? []);
  }

  /** Resolves once the records are on disk. */
  async append(root: string, records: readonly BackgroundRecord[]): Promise<void> {
    const journal = this.#open.get(root);
    if (journal === undefined) return;
    await Promise.all(records.map((record) => journal.append(record)));
  }

  /** Closes a session's journal; `isSettled`: nothing in it matters any more. */
  close(root: string, isSettled: boolean): void {
    const journal = this.#open.get(root);
    if (journal === undefined) return;
    this.#open.delete(root);
    const path = this.#path(root);
    if (isSettled) rmSync(path, { force: true });
    journal.close();
    if (!isSettled) return;
    openedHere.delete(path);
    rmSync(`${path}.lock`, { recursive: true, force: true });
  }

  get roots(): readonly string[] {
    return [...this.#open.keys()];
  }

  #path(root: string): string {
    return join(this.#folder, `${root.replace(/[^\w.-]/g, "_")}.jsonl`);
  }
}
