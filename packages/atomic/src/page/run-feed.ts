// Follows one run for all pages that show it: new records, notes, and what the journal does not know.
import { isExplained } from "@atomic/durable-files/explained-error";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { JournalEntry, StepNote } from "@atomic/workflows/internal/run/events";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import { pauseAfterLook } from "../live/pause-after-look.ts";
import { isFromProgram } from "../runs/run-setup.ts";
import { isTooLate, questionsOf } from "../view/questions.ts";
import { failsAgain, nextStep } from "../view/run-status.ts";
import type { PageMessage, RunNow } from "./draw/messages.ts";
import { lastNotes, thinEntry, thinStatus } from "./thin.ts";

/** A new record is on the page within this time. */
const everyMs = 200;
/** How often a run is read although its journal is the same: its owner may have died, or a file may be readable again. */
const readEveryMs = 2000;
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
  #current: { readonly createdAt: number; readonly now: RunNow } | undefined;
  /** Why it cannot be shown. */
  #problem: string | undefined;
  #readNotes: (() => Promise<StepNote[]>) | undefined;

  constructor(engine: LocalEngine, runId: string, now: () => number) {
    this.#engine = engine;
    this.#runId = runId;
    this.#now = now;
  }

  /** A feed that has lost its last page is not used again. */
  get isHeard(): boolean {
    return this.#pages.size > 0;
  }

  /** Tells a page all that is known, and then what happens, until the returned function is called. */
  listen(hear: Hear): () => void {
    if (this.#problem !== undefined) hear({ type: "problem", message: this.#problem });
    else if (this.#current !== undefined) {
      for (const message of this.#messages(0, this.#current.now)) hear(message);
      if (this.notes.length > 0) hear({ type: "notes", notes: lastNotes(this.notes) });
    }
    this.#pages.add(hear);
    if (this.#pages.size === 1) void this.#follow();
    return () => this.#pages.delete(hear);
  }

  /** Until the last page has left. */
  async #follow(): Promise<void> {
    let seen: string | undefined | null = null;
    let readAt = 0;
    while (this.isHeard) {
      const began = performance.now();
      let stamp: string | undefined | null = null;
      try {
        stamp = await this.#engine.stamp(this.#runId);
        const changesAlone = this.#problem !== undefined || owned.includes(this.#current?.now.status.kind ?? "");
        if (stamp !== seen || (changesAlone && began - readAt > readEveryMs)) {
          readAt = began;
          await this.#update();
        }
        const fresh = (await this.#readNotes?.()) ?? [];
        this.notes.push(...fresh);
        if (fresh.length > 0) this.#tell({ type: "notes", notes: lastNotes(fresh) });
      } catch (error) {
        // Whatever the error, the server continues, and so do the other runs.
        const { message } = error as Error;
        this.#lose(isExplained(error) ? message : `The run cannot be read: ${message}`);
      }
      seen = stamp;
      const pauseMs = pauseAfterLook(performance.now() - began, everyMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
  }

  /** Damaged, removed or out of reach: what was known no longer counts. It is shown again when it is back. */
  #lose(message: string): void {
    this.#forget();
    if (message !== this.#problem) this.#tell({ type: "problem", message });
    this.#problem = message;
  }

  #forget(): void {
    this.#entries.length = 0;
    this.notes.length = 0;
    this.#current = undefined;
    this.#readNotes = undefined;
  }

  async #update(): Promise<void> {
    const state = await this.#engine.state(this.#runId);
    const { createdAt } = state;
    // Another run may have got the name of one that was removed.
    if (createdAt !== this.#current?.createdAt) this.#forget();
    const after = this.#entries.at(-1)?.n ?? 0;
    for await (const entry of this.#engine.journal(this.#runId, { after })) this.#entries.push(thinEntry(entry));
    const before = JSON.stringify(this.#current?.now);
    const now = nowOf(state, this.#now());
    this.#current = { createdAt, now };
    this.#problem = undefined;
    this.#readNotes ??= this.#engine.notes(this.#runId);
    if ((this.#entries.at(-1)?.n ?? 0) === after && JSON.stringify(now) === before) return;
    for (const message of this.#messages(after, now)) this.#tell(message);
  }

  *#messages(after: number, now: RunNow): Generator<PageMessage> {
    const fresh = after === 0 ? this.#entries : this.#entries.filter(({ n }) => n > after);
    for (let at = 0; at + mostEntries < fresh.length; at += mostEntries) {
      yield { type: "entries", entries: fresh.slice(at, at + mostEntries) };
    }
    const rest = fresh.length === 0 ? [] : fresh.slice(Math.floor((fresh.length - 1) / mostEntries) * mostEntries);
    yield { type: "entries", entries: rest, now };
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
