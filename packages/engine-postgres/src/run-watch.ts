import { type Database, isAway } from "./database.ts";
import type { ConnectionMode } from "./engine-url.ts";

const pollMs = 200;

interface Watched {
  readonly callbacks: Readonly<Record<"journal" | "inbox", Set<() => void>>>;
  lastN: string;
  messages: string;
}

/**
 * Calls back when runs change. Notifications tell of messages; journals, and behind a pooler also messages, are looked at
 * with one question for all runs.
 */
export class RunWatch {
  readonly #database: Database;
  readonly #mode: ConnectionMode;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, mode: ConnectionMode) {
    this.#database = database;
    this.#mode = mode;
  }

  add(run: string, what: "journal" | "inbox", callback: () => void): () => void {
    const watched = this.#watched.get(run) ?? {
      callbacks: { journal: new Set(), inbox: new Set() },
      lastN: "",
      messages: "",
    };
    this.#watched.set(run, watched);
    watched.callbacks[what].add(callback);
    this.#schedule();
    return () => {
      watched.callbacks[what].delete(callback);
      if (watched.callbacks.journal.size + watched.callbacks.inbox.size === 0) this.#watched.delete(run);
    };
  }

  changed(run: string, what: "journal" | "inbox"): void {
    for (const callback of [...(this.#watched.get(run)?.callbacks[what] ?? [])]) callback();
  }

  /** Notifications may have been missed. */
  wakeAll(): void {
    for (const run of [...this.#watched.keys()]) this.changed(run, "inbox");
  }

  close(): void {
    this.#watched.clear();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#polled().length === 0) return;
    this.#timer = setTimeout(() => void this.#look(), pollMs);
  }

  #polled(): string[] {
    return [...this.#watched].flatMap(([run, { callbacks }]) =>
      callbacks.journal.size > 0 || this.#mode === "pooled" ? run : [],
    );
  }

  async #look(): Promise<void> {
    const { schema } = this.#database.url;
    try {
      const rows = await this.#database.query<{ id: string; last_n: string; messages: string }>(
        `select id, last_n, messages from ${schema}.run where id = any($1)`,
        [this.#polled()],
      );
      for (const { id, last_n, messages } of rows) {
        const watched = this.#watched.get(id);
        if (watched === undefined) continue;
        const isLonger = watched.lastN !== last_n;
        const isFuller = watched.messages !== messages;
        watched.lastN = last_n;
        watched.messages = messages;
        if (isLonger) this.changed(id, "journal");
        if (isFuller) this.changed(id, "inbox");
      }
    } catch (error) {
      // Each watcher that is woken asks the database, and reports that it does not answer.
      if (!isAway(error)) for (const run of [...this.#watched.keys()]) this.changed(run, "journal");
    } finally {
      this.#timer = undefined;
      this.#schedule();
    }
  }
}
