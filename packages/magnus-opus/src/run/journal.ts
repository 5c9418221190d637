// A run on disk: the one place in this folder that is not pure. Several processes may write (a person's shell beside OpenCode),
// one at a time; only one may drive the run. A journal that is not as we left it pauses the run.
import { existsSync, renameSync, statSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import { type Journal, openJournal } from "@atomic/durable-files/journal";
import { type Lock, lock } from "@atomic/durable-files/lock";
import { readJournal } from "@atomic/durable-files/read-journal";
import { type EventOf, type MagnusEvent, readEvent } from "./event.ts";
import { mayBeAppended } from "./person-actions.ts";
import { accessIn } from "./phases.ts";
import { reduce } from "./reduce.ts";
import { readSeal, type Seal, sealAfter, unsealed, writeSeal } from "./seal.ts";
import { type RunState, rootOf } from "./state.ts";

export const journalName = "journal.jsonl";

export interface RunPlace {
  readonly journal: string;
  /** See sealPath() in seal.ts. */
  readonly seal: string;
}

export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Begins a run, as its driver. */
export async function startRun(place: RunPlace, event: EventOf<"run-started">): Promise<RunJournal> {
  if (existsSync(place.journal)) {
    throw new JournalError(`There is a run in ${place.journal} already.`, "Resume it, or start one with another id.");
  }
  const driver = await driverLock(place);
  const run = new RunJournal(place, driver);
  await run.append(event);
  return run;
}

/**
 * Takes up a run. `drive`: as the one process that works on it, until it is closed; if another does, a DurableError `locked` names it.
 * Otherwise for a person's act from a shell.
 */
export async function openRun(place: RunPlace, { drive }: { drive: boolean }): Promise<RunJournal> {
  if (!existsSync(place.journal))
    throw new JournalError(`There is no run in ${place.journal}.`, "Check the id of the run.");
  const run = new RunJournal(place, drive ? await driverLock(place) : undefined);
  try {
    await run.load();
  } catch (error) {
    run.close();
    throw error;
  }
  return run;
}

/** All that happened, without touching anything: for a timeline or a status. */
export function readRun(journal: string): { events: readonly MagnusEvent[]; state: RunState | undefined } {
  const events = readJournal(journal).records.flatMap(({ event }) => readEvent(event) ?? []);
  return { events, state: events.reduce<RunState | undefined>(reduce, undefined) };
}

async function driverLock({ journal }: RunPlace): Promise<Lock> {
  return await lock(`${journal}.driver`, { purpose: `driving the run in ${journal}`, deadlineMs: 0 });
}

export class RunJournal {
  readonly place: RunPlace;
  readonly #driver: Lock | undefined;
  #state: RunState | undefined;
  /** All that we know to be in the journal, and how that ends. */
  #records: unknown[] = [];
  #seal: Seal = unsealed;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(place: RunPlace, driver: Lock | undefined) {
    this.place = place;
    this.#driver = driver;
  }

  get state(): RunState {
    if (this.#state === undefined) {
      throw new JournalError(`${this.place.journal} does not begin with a run.`, "It is not a journal of Magnus Opus.");
    }
    return this.#state;
  }

  /** Resolves once the event is on disk, with the state after it. Events by a person come from person-actions.ts. */
  async append(...events: readonly MagnusEvent[]): Promise<RunState> {
    const forged = events.find((event) => !mayBeAppended(event));
    if (forged !== undefined) throw new TypeError(`${forged.type} is an event of a person, but no person made it.`);
    return await this.#inTurn(() => this.#visit(events));
  }

  /** Looks for what a person did in a shell meanwhile. */
  async refresh(): Promise<RunState> {
    return await this.#inTurn(() => this.#visit([]));
  }

  /** For the first time: there is no memory to compare with, only the seal. */
  async load(): Promise<void> {
    const known = readSeal(this.place.seal);
    const { journal, records, isDamaged } = await this.#open();
    this.#take(records);
    if (isDamaged && this.#state !== undefined) return await this.#restore("it was damaged");
    if (this.#state === undefined) {
      journal?.close();
      throw new JournalError(`No run can be read in ${this.place.journal}.`, "It is left as it is. Start another run.");
    }
    try {
      if (known === undefined || sealOf(records.slice(0, known.n)).hash === known.hash) return;
      this.#write(journal!, [this.#changed("it is not the one that this plugin wrote")]);
    } finally {
      journal?.close();
    }
  }

  close(): void {
    this.#driver?.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.catch(() => undefined); // told to whoever appended
    this.close();
  }

  async #visit(events: readonly MagnusEvent[]): Promise<RunState> {
    this.#driver?.assertHeld();
    const { journal, records, isDamaged } = await this.#open();
    const isOurs = !isDamaged && sealOf(records.slice(0, this.#seal.n)).hash === this.#seal.hash;
    if (!isOurs) {
      journal?.close();
      await this.#restore(isDamaged ? "it was damaged" : "what was written before is different now");
      return await this.#visit(events);
    }
    try {
      const added = records.slice(this.#seal.n);
      const wasFree = this.#state !== undefined && hadFreeShell(this.#state);
      this.#take(added);
      if (added.length > 0 && this.#driver && (wasFree || !added.every(isFromShell))) {
        this.#write(journal!, [this.#changed(`${added.length} events were added by another process`)]);
      }
      this.#write(journal!, events);
    } finally {
      journal?.close();
    }
    return this.state;
  }

  async #open(): Promise<{ journal: Journal | undefined; records: unknown[]; isDamaged: boolean }> {
    const records: unknown[] = [];
    try {
      const journal = await openJournal(this.place.journal, { replay: ({ event }) => void records.push(event) });
      return { journal, records, isDamaged: false };
    } catch (error) {
      if (!(error instanceof DurableError && error.code === "damaged")) throw error;
      return { journal: undefined, records, isDamaged: true };
    }
  }

  /** What we remember is the truth. The changed file is kept beside it for a person to look at. */
  async #restore(how: string): Promise<void> {
    const { journal: path } = this.place;
    let aside = 1;
    while (existsSync(`${path}.changed-${aside}`)) aside += 1;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0) renameSync(path, `${path}.changed-${aside}`);
    const records = this.#records;
    this.#records = [];
    this.#seal = unsealed;
    this.#state = undefined;
    const journal = await openJournal(path);
    try {
      this.#write(journal, records);
      const kept = size > 0 ? `; see ${journalName}.changed-${aside}` : "";
      this.#write(journal, [this.#changed(how + kept)]);
    } finally {
      journal.close();
    }
  }

  #write(journal: Journal, events: readonly unknown[]): void {
    if (events.length === 0) return;
    for (const event of events) journal.appendSync(event);
    this.#take(events);
    const root = this.#state && rootOf(this.#state);
    writeSeal(this.place.seal, { ...this.#seal, ...(root !== undefined && { root }) });
  }

  #take(events: readonly unknown[]): void {
    for (const event of events) {
      this.#records.push(event);
      this.#seal = sealAfter(this.#seal, event);
      this.#state = reduce(this.#state, event as MagnusEvent);
    }
  }

  #changed(how: string): MagnusEvent {
    const at = this.#state?.at ?? 0;
    return { type: "paused", at, by: { kind: "plugin" }, reason: "journal-changed", detail: `the journal: ${how}` };
  }

  async #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(act, act);
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }
}

/** Once agents had a shell, whatever comes from one may be theirs. */
function hadFreeShell(state: RunState): boolean {
  return state.visits.some(({ phase }) =>
    Object.values(accessIn(state, phase)).some((access) => access === "build" || access === "try"),
  );
}

function isFromShell(record: unknown): boolean {
  const by = readEvent(record)?.by;
  return by?.kind === "person" && by.how === "shell";
}

function sealOf(records: readonly unknown[]): Seal {
  return records.reduce<Seal>(sealAfter, unsealed);
}
