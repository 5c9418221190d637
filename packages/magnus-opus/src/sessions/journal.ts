// A run on disk. Several processes may write to it, one at a time (a person's shell and OpenCode); only one may drive it. If the
// journal was changed by anything else, the run pauses, and decisions that an agent may have added wait for a person's confirmation.

import { existsSync, renameSync, statSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import { ExplainedError } from "@atomic/durable-files/explained-error";
import { type Journal, openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { type FolderLock, lock } from "@atomic/durable-files/lock/lock";
import { count } from "@atomic/terminal/count";
import { type EventOf, isDecision, isPersonEvent, type MagnusEvent, readEvent } from "../run/event.ts";
import { agentsHadShell, decisionText, hold } from "../run/held.ts";
import { mayBeAppended } from "../run/person-actions.ts";
import { reduce } from "../run/reduce.ts";
import { type MagnusState, rootOf } from "../run/state.ts";
import { readSeal, type Seal, sealAfter, sealedCount, sealOf, unsealed, writeSeal } from "./seal.ts";
import { SerialQueue } from "./serial-queue.ts";
import { journalName } from "./workplace.ts";

export interface RunPlace {
  readonly journal: string;
  /** See sealPath() in seal.ts. */
  readonly seal: string;
}

export type JournalErrorCode =
  | "run-exists" // the session folder already contains a run
  | "run-not-found" // the session folder contains no run
  | "journal-unreadable"; // the journal is damaged, or a newer version wrote it

export class JournalError extends ExplainedError {
  override readonly name = "JournalError";
  declare readonly code: JournalErrorCode;
  declare readonly hint: string;

  constructor(code: JournalErrorCode, message: string, hint: string) {
    super(code, { message, hint });
  }

  override get exitCode(): number {
    return this.code === "run-not-found" ? 1 : 3;
  }
}

/** Starts a run, as its driver. */
export async function startRun(place: RunPlace, event: EventOf<"run-started">): Promise<RunJournal> {
  if (existsSync(place.journal)) {
    throw new JournalError(
      "run-exists",
      `${place.journal} already contains a run.`,
      "Resume it, or start a run with a different id.",
    );
  }
  const driver = await driverLock(place);
  const run = new RunJournal(place, driver);
  await run.append(event);
  return run;
}

/**
 * Opens a run. `drive`: as the one process that works on it until it closes the run; if another process does, a DurableError
 * `locked` names it. Otherwise for a person's action in a shell.
 */
export async function openRun(place: RunPlace, { drive }: { drive: boolean }): Promise<RunJournal> {
  if (!existsSync(place.journal))
    throw new JournalError("run-not-found", `There is no run in ${place.journal}.`, "Check the run's id.");
  const run = new RunJournal(place, drive ? await driverLock(place) : undefined);
  try {
    await run.load();
  } catch (error) {
    run.close();
    throw error;
  }
  return run;
}

export interface ReadRun {
  readonly events: readonly MagnusEvent[];
  readonly state: MagnusState | undefined;
  /** The journal matches its seal, or no agent has ever had a shell to change it with. */
  readonly isSealed: boolean;
}

/**
 * Reads a run for a timeline or a status, without changing anything. With the seal's path, decisions that another process has
 * added since are shown as the driver will treat them.
 */
export function readRun(journal: string, seal?: string): ReadRun {
  const found = readJournal(journal).records.map(({ event }) => event);
  const known = seal === undefined ? undefined : readSeal(seal);
  const ours = known && sealedCount(found, known);
  const { taken, foreign } = sort(undefined, found, ours ?? found.length, isNoDecision);
  const records = [...taken, ...heldOf(foreign, journal)];
  const state = records.reduce<MagnusState | undefined>(
    (before, each) => reduce(before, each as MagnusEvent),
    undefined,
  );
  return {
    events: records.flatMap((event) => readEvent(event) ?? []),
    state,
    isSealed: ours === found.length || state === undefined || !agentsHadShell(state),
  };
}

/** Whether a record counts even though it is not known to be ours; see below. */
type Counts = (event: MagnusEvent | undefined, state: MagnusState) => boolean;

/**
 * For a driver, which remembers its own records: a person's decision in a shell counts as long as no agent has had one, and so
 * does our program's refusal of an agent there.
 */
const isFromShell: Counts = (event, state) =>
  (event?.by.kind === "person" && event.by.how === "shell" && !agentsHadShell(state)) ||
  (event?.type === "call-refused" && event.gate === "record");

/** If only the seal remembers: the plugin may have recorded the rest just before a crash. */
const isNoDecision: Counts = (event, state) => event === undefined || !isPersonEvent(event) || !agentsHadShell(state);

function sort(state: MagnusState | undefined, records: readonly unknown[], ours: number, counts: Counts) {
  const [taken, foreign]: [unknown[], unknown[]] = [[], []];
  let now = state;
  for (const [index, record] of records.entries()) {
    const event = readEvent(record);
    // A hold says who made a decision and why it is doubtful, so only we may write it.
    const isTaken = index < ours || now === undefined || (event?.type !== "held" && counts(event, now));
    (isTaken ? taken : foreign).push(record);
    if (isTaken) now = reduce(now, record as MagnusEvent);
  }
  return { taken, foreign };
}

/** Holds decisions that another process wrote. What they claim about themselves is shown as a quotation. */
function heldOf(foreign: readonly unknown[], journal: string): MagnusEvent[] {
  // Programs cannot set this time, unlike a file's other times.
  const at = Math.trunc(statSync(journal, { throwIfNoEntry: false })?.ctimeMs ?? 0);
  return foreign.flatMap((record) => {
    const event = readEvent(record);
    if (event === undefined || !(event.type === "held" || isDecision(event))) return [];
    const [decision, claim, how] =
      event.type === "held"
        ? [event.decision, event.from, ""]
        : [event, event.by.name ?? "the user", ` (${event.by.how})`];
    const shown = JSON.stringify(claim.length > longestClaim ? `${claim.slice(0, longestClaim)}…` : claim);
    return [hold(decision, `it claims to come from ${shown}${how}`, "another process wrote it to the journal", at)];
  });
}

const longestClaim = 200;

async function driverLock({ journal }: RunPlace): Promise<FolderLock> {
  return await lock(`${journal}.driver`, { purpose: `driving the run in ${journal}`, deadlineMs: 0 });
}

export class RunJournal {
  readonly place: RunPlace;
  readonly #driver: FolderLock | undefined;
  #state: MagnusState | undefined;
  /** The records that we know are in the journal, and their seal. */
  #records: unknown[] = [];
  #seal: Seal = unsealed;
  readonly #queue = new SerialQueue();

  constructor(place: RunPlace, driver: FolderLock | undefined) {
    this.place = place;
    this.#driver = driver;
  }

  get state(): MagnusState {
    if (this.#state === undefined) {
      throw new JournalError(
        "journal-unreadable",
        `${this.place.journal} does not start with the event that begins a run.`,
        "It is not a Magnus Opus journal.",
      );
    }
    return this.#state;
  }

  /** The number of events. */
  get length(): number {
    return this.#records.length;
  }

  /** The events from this index on. */
  from(index: number): readonly MagnusEvent[] {
    return this.#records.slice(index).flatMap((record) => readEvent(record) ?? []);
  }

  /** Resolves once the events are on disk, with the new state. Only person-actions.ts creates a person's events. */
  async append(...events: readonly MagnusEvent[]): Promise<MagnusState> {
    const forged = events.find((event) => !mayBeAppended(event));
    if (forged !== undefined)
      throw new TypeError(
        `${forged.type} may only record the user's own decision, but the user did not make this one.`,
      );
    return await this.#queue.run(() => this.#visit(events));
  }

  /** Reads what a person has done in a shell since. */
  async refresh(): Promise<MagnusState> {
    return await this.#queue.run(() => this.#visit([]));
  }

  /** Loads the journal for the first time, when only the seal can vouch for it. */
  async load(): Promise<void> {
    const { journal, records, isDamaged } = await this.#open();
    const known = readSeal(this.place.seal);
    const ours = known && sealedCount(records, known);
    const { taken, foreign } = sort(undefined, records, ours ?? records.length, isNoDecision);
    this.#take(taken);
    if (this.#state === undefined) {
      journal?.close();
      throw new JournalError(
        "journal-unreadable",
        `${this.place.journal} contains no readable run.`,
        "The file was not changed. Start another run.",
      );
    }
    if (isDamaged) return await this.#restore("it was damaged", []);
    if (foreign.length > 0) {
      journal?.close();
      return await this.#restore(
        `${count(foreign.length, "event")} ${foreign.length === 1 ? "was" : "were"} added while OpenCode was not working on the run`,
        foreign,
      );
    }
    try {
      const isLost = known === undefined && this.#driver !== undefined && agentsHadShell(this.#state);
      if (isLost) this.#write(journal!, [this.#changed(`its seal is missing${decisionsIn(records)}`)]);
      if (known !== undefined && ours === undefined)
        this.#write(journal!, [this.#changed(`it is not the journal this plugin wrote${decisionsIn(records)}`)]);
    } finally {
      journal?.close();
    }
  }

  close(): void {
    this.#driver?.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.idle();
    this.close();
  }

  async #visit(events: readonly MagnusEvent[]): Promise<MagnusState> {
    this.#driver?.assertHeld();
    const { journal, records, isDamaged } = await this.#open();
    const isOurs = !isDamaged && sealOf(records.slice(0, this.#seal.n)).hash === this.#seal.hash;
    if (!isOurs) {
      journal?.close();
      const ours = new Set(this.#records.map((record) => JSON.stringify(record)));
      const strange = records.filter((record) => !ours.has(JSON.stringify(record)));
      await this.#restore(isDamaged ? "it was damaged" : "its earlier entries were changed", strange);
      return await this.#visit(events);
    }
    const added = records.slice(this.#seal.n);
    const { taken, foreign } = sort(this.#state, added, this.#driver ? 0 : added.length, isFromShell);
    this.#take(taken);
    if (foreign.length > 0) {
      journal?.close();
      await this.#restore(
        `${count(foreign.length, "event")} ${foreign.length === 1 ? "was" : "were"} added by another process`,
        foreign,
      );
      return await this.#visit(events);
    }
    try {
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

  /** Writes the journal again from memory. The changed file is kept beside it for a person to inspect; decisions in it are held. */
  async #restore(how: string, foreign: readonly unknown[]): Promise<void> {
    const { journal: path } = this.place;
    let aside = 1;
    while (existsSync(`${path}.changed-${aside}`)) aside += 1;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const decisions = heldOf(foreign, path);
    if (size > 0) renameSync(path, `${path}.changed-${aside}`);
    const records = this.#records;
    this.#records = [];
    this.#seal = unsealed;
    this.#state = undefined;
    const journal = await openJournal(path);
    try {
      await Promise.all(records.map((record) => journal.append(record))); // a single write
      this.#take(records);
      this.#write(journal, decisions);
      const kept = size > 0 ? `; see ${journalName}.changed-${aside}` : "";
      // Held decisions pause the run themselves, with more detail.
      if (decisions.length === 0 || decisions.length < foreign.length) {
        const names = new Set(
          foreign.map((record) => {
            const event = readEvent(record);
            if (event === undefined) return "something unknown";
            return isDecision(event) ? decisionText(event) : event.type;
          }),
        );
        const which = names.size === 0 ? "" : ` (${[...names].join(", ")})`;
        this.#write(journal, [this.#changed(`${how}${which}${kept}`)]);
      }
    } finally {
      journal.close();
    }
  }

  #write(journal: Journal, events: readonly unknown[]): void {
    if (events.length === 0) return;
    const { n, hash } = events.reduce<Seal>(sealAfter, this.#seal);
    // Sealed before it is written: otherwise a crash in between would leave an unsealed decision.
    const isDecided = events
      .map((record) => readEvent(record))
      .some((event) => event !== undefined && (event.type === "held" || isPersonEvent(event)));
    if (this.#state !== undefined && isDecided) {
      writeSeal(this.place.seal, { ...this.#seal, root: rootOf(this.#state), next: { n, hash } });
    }
    for (const event of events) journal.appendSync(event);
    this.#take(events);
    writeSeal(this.place.seal, { ...this.#seal, root: this.#state && rootOf(this.#state) });
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
}

/** The decisions that resuming the run would accept. */
function decisionsIn(records: readonly unknown[]): string {
  let state: MagnusState | undefined;
  const found: string[] = [];
  for (const record of records) {
    const event = readEvent(record);
    if (event !== undefined && isDecision(event) && state !== undefined && agentsHadShell(state)) {
      found.push(`${decisionText(event)}, as ${event.by.name ?? "the user"} (${event.by.how})`);
    }
    state = reduce(state, record as MagnusEvent);
  }
  return found.length === 0 ? "" : `. Resuming the run accepts these decisions as yours: ${found.join("; ")}`;
}
