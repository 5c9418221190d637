// Follows one run for all pages that show it: new records, notes, and what the journal does not know.
import { isExplained } from "@atomic/durable-files/explained-error";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { JournalEntry, StepNote } from "@atomic/workflows/internal/run/events";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import { isFromProgram } from "../runs/run-setup.ts";
import { isTooLate, questionsOf } from "../view/questions.ts";
import { failsAgain, nextStep } from "../view/run-status.ts";
import type { PageMessage, RunNow } from "./draw/messages.ts";
import { lastNotes, thinEntry, thinStatus } from "./thin.ts";

/** A new record is on the page within this time. */
const everyMs = 200;
/** Whether a run's owner is still alive is asked less often: the whole journal is read for it. */
const aliveEveryMs = 2000;
/** So that a browser can draw in between. */
const mostEntries = 2000;

const owned: readonly string[] = ["running", "waiting", "paused", "cancelling"];

type Hear = (message: PageMessage) => void;

export class RunFeed {
  readonly #engine: LocalEngine;
  readonly #runId: string;
  readonly #now: () => number;
  readonly #pages = new Set<Hear>();
  readonly #entries: JournalEntry[] = [];
  /** All that its steps have said so far. */
  readonly notes: StepNote[] = [];
  #current: RunNow | undefined;
  #isFollowing = false;

  constructor(engine: LocalEngine, runId: string, now: () => number) {
    this.#engine = engine;
    this.#runId = runId;
    this.#now = now;
  }

  /** Tells a page all records after the one it knows, and then what happens, until the returned function is called. */
  listen(hear: Hear, after: number): () => void {
    if (this.#current !== undefined) {
      for (const message of this.#messages(after)) hear(message);
      if (this.notes.length > 0) hear({ type: "notes", notes: lastNotes(this.notes) });
    }
    this.#pages.add(hear);
    if (!this.#isFollowing) void this.#follow();
    return () => this.#pages.delete(hear);
  }

  async #follow(): Promise<void> {
    this.#isFollowing = true;
    this.notes.length = 0;
    try {
      const read = this.#engine.notes(this.#runId);
      let askedAt = 0;
      for (let seen: string | undefined; this.#pages.size > 0; ) {
        const began = performance.now();
        const stamp = await this.#engine.stamp(this.#runId);
        const fresh = await read();
        const isDue = began - askedAt > aliveEveryMs && owned.includes(this.#current?.status.kind ?? "");
        if (stamp !== seen || isDue) {
          askedAt = began;
          await this.#update();
        }
        seen = stamp;
        this.notes.push(...fresh);
        if (fresh.length > 0) this.#tell({ type: "notes", notes: lastNotes(fresh) });
        const pauseMs = Math.max(everyMs, 3 * (performance.now() - began));
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    } catch (error) {
      // Damaged, or removed: the page says so, and the others go on.
      if (!isExplained(error)) throw error;
      this.#tell({ type: "problem", message: error.message });
    } finally {
      this.#isFollowing = false;
    }
  }

  async #update(): Promise<void> {
    const after = this.#entries.at(-1)?.n ?? 0;
    for await (const entry of this.#engine.journal(this.#runId, { after })) this.#entries.push(thinEntry(entry));
    const before = JSON.stringify(this.#current);
    this.#current = nowOf(await this.#engine.state(this.#runId), this.#now());
    if ((this.#entries.at(-1)?.n ?? 0) === after && JSON.stringify(this.#current) === before) return;
    for (const message of this.#messages(after)) this.#tell(message);
  }

  *#messages(after: number): Generator<PageMessage> {
    const fresh = after === 0 ? this.#entries : this.#entries.filter(({ n }) => n > after);
    const now = this.#current;
    for (let at = 0; at + mostEntries < fresh.length; at += mostEntries) {
      yield { type: "entries", entries: fresh.slice(at, at + mostEntries) };
    }
    const rest = fresh.length === 0 ? [] : fresh.slice(Math.floor((fresh.length - 1) / mostEntries) * mostEntries);
    yield { type: "entries", entries: rest, ...(now !== undefined && { now }) };
  }

  #tell(message: PageMessage): void {
    for (const hear of this.#pages) hear(message);
  }
}

export function nowOf(state: RunState, now: number): RunNow {
  const { status, budget } = state;
  const isOpen = ["pending", "interrupted", "stopped"].includes(status.kind);
  const canRetry = status.kind === "failed" && !failsAgain(state);
  return {
    status: thinStatus(status),
    questions: questionsOf(state).map((each) => ({ ...each, isTooLate: isTooLate(state, each, now) })),
    budget,
    next: nextStep(state),
    canResume: (isOpen || canRetry) && !isFromProgram(state.workspace),
  };
}
