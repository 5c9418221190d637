// A project's runs: which run a session belongs to, and who drives it.
import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DurableError } from "@atomic/durable-files/errors";
import { type EventOf, journalVersion } from "../../run/event.ts";
import { isOver, lookUp, type MagnusState } from "../../run/state.ts";
import { JournalError, openRun, type ReadRun, type RunJournal, readRun, startRun } from "../../sessions/journal.ts";
import { runsByRoot } from "../../sessions/run-index.ts";
import { SerialQueue } from "../../sessions/serial-queue.ts";
import { runPlace, type Workplace } from "../../sessions/workplace.ts";
import { DrivenRun } from "./driven-run.ts";
import type { OpencodeApi } from "./opencode.ts";
import type { MagnusSettings } from "./settings.ts";

export type RunLookup =
  | { readonly kind: "driven"; readonly run: DrivenRun }
  /** Ended before this process started. */
  | { readonly kind: "over"; readonly state: MagnusState }
  /** Another process drives it, or it cannot be read. */
  | { readonly kind: "closed"; readonly id: string; readonly why: string; readonly hint: string };

/** OpenCode nests sessions one deep by default; no one configures this many. */
const deepest = 32;

export class MagnusRuns {
  readonly workplace: Workplace;
  readonly #opencode: OpencodeApi;
  readonly #settings: Pick<MagnusSettings, "names" | "commandNames">;
  readonly #opening = new SerialQueue();
  readonly #driven = new Map<string, DrivenRun>();
  readonly #over = new Map<string, MagnusState>();
  readonly #ofSession = new Map<string, string | undefined>();
  #onDisk: Map<string, string> | undefined;

  /** `settings`: the agents' names are known once OpenCode has merged all settings. */
  constructor(workplace: Workplace, opencode: OpencodeApi, settings: Pick<MagnusSettings, "names" | "commandNames">) {
    this.workplace = workplace;
    this.#opencode = opencode;
    this.#settings = settings;
  }

  /** The run that the session belongs to, if any. */
  async of(session: string): Promise<RunLookup | undefined> {
    const id = await this.idOf(session);
    return id === undefined ? undefined : await this.open(id);
  }

  /** The id of the run that the session, or the nearest one above it, began. */
  async idOf(session: string): Promise<string | undefined> {
    if (this.#ofSession.has(session)) return this.#ofSession.get(session);
    const roots = this.#roots();
    if (roots.size === 0) return undefined;
    let [id, above]: [string | undefined, string | undefined] = [undefined, session];
    for (let depth = 0; above !== undefined && depth < deepest; depth++) {
      id = roots.get(above);
      if (id !== undefined) break;
      above = (await this.#opencode.session(above))?.parentID;
    }
    this.#ofSession.set(session, id);
    return id;
  }

  /** The same from memory, without asking OpenCode. A session that has not done anything yet is unknown. */
  known(session: string): DrivenRun | undefined {
    const id = this.#ofSession.get(session);
    return id === undefined ? undefined : this.#driven.get(id);
  }

  /** Starts driving a run, unless another process drives it. */
  async open(id: string): Promise<RunLookup> {
    const driven = this.#driven.get(id);
    if (driven !== undefined) return { kind: "driven", run: driven };
    return await this.#opening.run(async (): Promise<RunLookup> => {
      const opened = this.#driven.get(id); // by an earlier call in the queue
      if (opened !== undefined) return { kind: "driven", run: opened };
      if (!this.#over.has(id)) {
        // An unsealed end is not trusted; opening the run checks it.
        const { state, isSealed = false } = this.#read(id) ?? {};
        if (isSealed && state !== undefined && isOver(state)) this.#over.set(id, state);
      }
      const over = this.#over.get(id);
      if (over !== undefined) return { kind: "over", state: over };
      try {
        const run = this.#live(await openRun(runPlace(this.workplace, id), { drive: true }));
        this.#driven.set(id, run);
        // After a restart, OpenCode knows what became of the run's sessions: the journal gets what no one saw.
        await run.record({ type: "run-opened", version: journalVersion });
        await this.#recordNames(run);
        const { root, state } = run;
        const wasOpen = Object.keys(state.sessions).filter((each) => each === root || state.sessions[each]!.isOpen);
        const children = await this.#opencode.children(root);
        const unseen = children.filter((each) => lookUp(state.sessions, each.id) === undefined);
        for (const child of unseen) await run.join({ session: child.id, parent: root, agent: child.agent ?? "" });
        const busy = await this.#opencode.busySessions();
        for (const session of [...wasOpen, ...unseen.map((each) => each.id)]) {
          for (const message of await this.#opencode.messages(session)) await run.recordUsage(message);
          if (!busy.has(session)) await run.end(session, "lost");
        }
        return { kind: "driven", run };
      } catch (error) {
        if (!(error instanceof DurableError || error instanceof JournalError)) throw error;
        return { kind: "closed", id, why: error.message.replace(/\.$/, ""), hint: error.hint ?? "" };
      }
    });
  }

  driven(id: string): DrivenRun | undefined {
    return this.#driven.get(id);
  }

  /** Undefined if it cannot be read. It does not matter who drives it. */
  stateOf(id: string): MagnusState | undefined {
    return this.#driven.get(id)?.state ?? this.#over.get(id) ?? this.#read(id)?.state;
  }

  /** Newest first. */
  ids(): readonly string[] {
    return [...new Set([...this.#driven.keys()].toReversed().concat([...this.#roots().values()]))];
  }

  async start(event: EventOf<"run-started">): Promise<DrivenRun> {
    return await this.#opening.run(async () => {
      const place = runPlace(this.workplace, event.run);
      // Checked before anything is written: half a run would be worse than none.
      for (const folder of [dirname(place.seal), dirname(place.journal)]) {
        mkdirSync(folder, { recursive: true, mode: 0o777 });
        accessSync(folder, constants.W_OK);
      }
      const run = this.#live(await startRun(place, event));
      this.#driven.set(event.run, run);
      this.#roots().set(event.session, event.run);
      this.#ofSession.clear();
      this.#ofSession.set(event.session, event.run);
      await this.#recordNames(run);
      await run.refreshWithFiles();
      return run;
    });
  }

  /** Drops a run whose folder is about to be removed. */
  async forget(id: string): Promise<void> {
    const run = this.#driven.get(id);
    this.#driven.delete(id);
    this.#over.delete(id);
    this.#ofSession.clear();
    this.#onDisk = undefined;
    await run?.close();
  }

  async close(): Promise<void> {
    await this.#opening.idle();
    for (const run of this.#driven.values()) await run.close();
    this.#driven.clear();
  }

  #live(journal: RunJournal): DrivenRun {
    return new DrivenRun(journal, this.workplace, (message) => this.#opencode.notify(message));
  }

  /** The user may have got an agent or a command with the name of one of ours since, or have removed it. */
  async #recordNames(run: DrivenRun): Promise<void> {
    const { names, commandNames: commands } = this.#settings;
    const isKnown = isDeepStrictEqual([names, commands], [run.state.names, run.state.commandNames]);
    if (!isKnown) await run.record({ type: "agents-named", names, commands });
  }

  #read(id: string): ReadRun | undefined {
    const { journal, seal } = runPlace(this.workplace, id);
    try {
      return readRun(journal, seal);
    } catch (error) {
      // Damaged, or gone.
      if (error instanceof DurableError) return undefined;
      throw error;
    }
  }

  #roots(): Map<string, string> {
    this.#onDisk ??= runsByRoot(this.workplace.directory);
    return this.#onDisk;
  }
}
