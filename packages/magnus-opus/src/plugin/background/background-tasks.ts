// Background tasks inside OpenCode: what OpenCode reports goes into the pure core, its records go to disk, its actions to OpenCode.
import { advance } from "../../background/advance.ts";
import { apply } from "../../background/apply.ts";
import type { BackgroundEvent, Found } from "../../background/event.ts";
import { type BackgroundAction, dueNotices } from "../../background/next.ts";
import { type BackgroundRecord, stateOf } from "../../background/records.ts";
import {
  answerMs,
  type BackgroundLimits,
  type BackgroundState,
  type BackgroundTask,
  isOpen,
  nothingYet,
  type TaskStart,
  tasksOf,
} from "../../background/task.ts";
import { dueAt } from "../../background/time.ts";
import { lookUp } from "../../run/state.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ModelName } from "../live/opencode.ts";
import { HeardTurns } from "./heard-turns.ts";
import { partId } from "./part-id.ts";
import { deliveryIn, type TaskClient, type TaskMessage, type TaskPrompt, type TaskSpeaker } from "./task-client.ts";
import type { RestoredTasks, TaskJournals } from "./task-journals.ts";
import { endedWords, interruptedWords, resultsWords } from "./task-words.ts";
import { longestTimer, Waiters } from "./waiters.ts";

/** Without the time, which is added here. */
type NewEvent = BackgroundEvent extends infer Each ? (Each extends BackgroundEvent ? Omit<Each, "at"> : never) : never;

interface Properties {
  readonly sessionID?: string;
  readonly status?: { readonly type?: string };
  readonly error?: { readonly name?: string; readonly data?: { readonly message?: string } };
  readonly info?: { readonly id?: string; readonly sessionID?: string };
  readonly part?: TaskMessage["parts"][number] & { readonly sessionID?: string };
}

/** A user message as OpenCode is about to store it. */
interface SpokenMessage {
  readonly id?: string;
  readonly agent?: string;
  readonly model?: ModelName & { readonly variant?: string };
}

const anyChange = "any change";
/** Signs of life are not news more often than this. */
const heardEveryMs = 1_000;

export class BackgroundTasks {
  readonly limits: BackgroundLimits;
  readonly client: TaskClient;
  readonly #magnus: Magnus;
  readonly #journals: TaskJournals;
  readonly #prompts = new Map<string, TaskPrompt>();
  /** Who speaks in a parent, since it last was prompted. */
  readonly #speakers = new Map<string, TaskSpeaker>();
  readonly #heard = new HeardTurns();
  /** For the end of a task, by its id, and for any change. */
  readonly #waiters = new Waiters();
  readonly #performing = new Set<Promise<void>>();
  /** Performance time does not jump; the difference makes it a date. */
  readonly #epoch = Date.now() - performance.now();
  #state: BackgroundState = nothingYet;
  #writing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(magnus: Magnus, client: TaskClient, journals: TaskJournals, limits: BackgroundLimits) {
    this.#magnus = magnus;
    this.client = client;
    this.#journals = journals;
    this.limits = limits;
  }

  get state(): BackgroundState {
    return this.#state;
  }

  /** Continues what an earlier process, or this one before a reload, has left. */
  async restore(): Promise<void> {
    const found = await this.#journals.restore();
    for (const each of found) this.#adopt(each);
    const lost = interruptedWords([...this.#state.tasks.values()]);
    if (lost !== "" && found.some(({ isSameProcess }) => !isSameProcess)) this.client.toast(lost, "warning");
    this.dispatch({ type: "time-passed" });
  }

  /** Queues a task. Its prompt is sent when there is room. */
  async launch(
    task: TaskStart,
    prompt: TaskPrompt,
    { isAwaited, by }: { isAwaited: boolean; by: TaskSpeaker },
  ): Promise<void> {
    const records = await this.#journals.open(task.root);
    if (records.length > 0) {
      // Another process had it until now.
      this.#adopt({ records, isSameProcess: false });
      this.dispatch({ type: "spoke", session: task.parent });
    }
    this.#prompts.set(task.id, prompt);
    this.#magnus.stoppedHere.delete(task.id);
    this.#speakers.set(task.parent, by);
    this.dispatch({ type: "launched", task, isAwaited });
    await this.#writing;
  }

  /** The task once it is over; undefined if it takes longer, or the call is aborted. */
  async ended(id: string, signal: AbortSignal, ms?: number): Promise<BackgroundTask | undefined> {
    const known = this.#state.tasks.get(id);
    if (known !== undefined && !isOpen(known)) return known;
    await this.#waiters.wait(id, { signal, ms });
    const task = this.#state.tasks.get(id);
    return task !== undefined && !isOpen(task) ? task : undefined;
  }

  /** The tasks that are no longer in memory, from the journal of the session at the top. */
  earlier(root: string): readonly BackgroundTask[] {
    const { tasks } = stateOf(this.#journals.read(root), this.limits);
    return [...tasks.values()].filter(({ id }) => !this.#state.tasks.has(id));
  }

  /** What OpenCode reports. Cheap for sessions that have nothing to do with tasks. */
  onEvent(type: string, properties: unknown): void {
    const { sessionID, status, error, info, part } = (properties ?? {}) as Properties;
    const session = sessionID ?? part?.sessionID ?? info?.sessionID ?? info?.id ?? "";
    const task = this.#state.tasks.get(session);
    const parent = this.#state.parents.get(session);
    if (task === undefined && parent === undefined) return;
    this.#heard.onEvent(session, type, properties as object);
    const why = error?.data?.message ?? error?.name ?? "unknown error";
    if (type === "session.idle") this.dispatch({ type: "idle", session });
    else if (type === "session.deleted") this.dispatch({ type: "deleted", session });
    else if (type === "session.status" && status?.type === "busy") this.dispatch({ type: "busy", session });
    else if (type === "session.error" && error?.name === "MessageAbortedError")
      this.dispatch({ type: "aborted", session });
    else if (type === "session.error") this.dispatch({ type: "errored", session, why });
    else if (type === "permission.asked" || type === "question.asked") this.dispatch({ type: "prompted", session });
    else if (type.startsWith("message.") || type === "todo.updated") {
      if (type === "message.part.updated" && parent !== undefined && part !== undefined)
        this.#acknowledge(session, part);
      const heardAt = Math.max(task?.heardAt ?? 0, parent?.heardAt ?? 0);
      const isNews = task?.stage.kind === "starting" || task?.waitsForPerson === true;
      if (isNews || this.#now() - heardAt >= heardEveryMs) this.dispatch({ type: "heard", session });
    }
  }

  /** A message in a session. If a person wrote it, results that wait for the session go along. */
  async onMessage(session: string, message: SpokenMessage, parts: object[]): Promise<void> {
    const isParent = this.#state.parents.has(session);
    if (!isParent && !this.#state.tasks.has(session)) return;
    const { agent, model } = message;
    if (isParent && agent !== undefined && model !== undefined) {
      const { providerID, modelID, variant } = model;
      this.#speakers.set(session, { agent, model: { providerID, modelID }, variant });
    }
    const stage = this.#state.tasks.get(session)?.stage.kind;
    const isOurs = stage === "starting" || parts.every((part) => (part as { synthetic?: boolean }).synthetic === true);
    if (isOurs) {
      for (const part of parts) {
        const delivery = deliveryIn(part as TaskMessage["parts"][number]);
        if (delivery !== undefined) this.dispatch({ type: "carried", delivery });
      }
      this.dispatch({ type: "busy", session });
      return;
    }
    this.dispatch({ type: "spoke", session });
    await this.#restored(session);
    const due = dueNotices(this.#state, session);
    if (due.length === 0 || message.id === undefined) return;
    const delivery = `${session}.${this.#state.deliveries + 1}`;
    this.dispatch({ type: "handed", parent: session, delivery, tasks: due.map(({ id }) => id) });
    await this.#writing;
    const text = resultsWords(delivery, due, tasksOf(this.#state, session));
    parts.push({ id: partId(), messageID: message.id, sessionID: session, type: "text", synthetic: true, text });
  }

  dispatch(event: NewEvent): void {
    if (this.#isClosed) return;
    const before = this.#state;
    const { state, records, actions } = advance(before, { ...event, at: this.#now() } as BackgroundEvent, this.limits);
    this.#state = state;
    this.#arm();
    this.#waiters.release(anyChange);
    for (const parent of before.parents.keys()) if (!state.parents.has(parent)) this.#speakers.delete(parent);
    if (records.length === 0 && actions.length === 0) return;
    const written = this.#write(records);
    this.#writing = written;
    const done = written.then(async () => {
      // The actions first: a toast is another request, and a result should not wait for it.
      const performed = actions.map((action) => this.#perform(action));
      for (const record of records) if (record.type === "ended") await this.#settle(record.id);
      await Promise.all(performed);
      for (const record of records) if (record.type === "ended") this.#announce(record.id);
    });
    this.#performing.add(done);
    void done
      .catch((error: unknown) => this.#magnus.opencode.notify(`a background task failed: ${error}`))
      .finally(() => this.#performing.delete(done));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#performing);
    this.#isClosed = true;
    this.#waiters.close();
    for (const root of this.#journals.roots) {
      const tasks = [...this.#state.tasks.values()].filter((task) => task.root === root);
      this.#journals.close(
        root,
        tasks.every((task) => !isOpen(task) && task.notice.kind === "given"),
      );
    }
  }

  #adopt({ records, isSameProcess }: RestoredTasks): void {
    const at = this.#now();
    const left = apply(stateOf(records, this.limits), { type: "restarted", at, isSameProcess }, this.limits);
    this.#state = {
      at: Math.max(this.#state.at, left.at),
      tasks: new Map([...left.tasks, ...this.#state.tasks]),
      parents: new Map([...left.parents, ...this.#state.parents]),
      deliveries: Math.max(this.#state.deliveries, left.deliveries),
    };
  }

  /** Resolves when it is known what became of a session's tasks after a restart, or when OpenCode takes too long to say. */
  async #restored(session: string): Promise<void> {
    const isOut = (): boolean =>
      tasksOf(this.#state, session).some(({ stage }) => stage.kind === "checking" && stage.because === "restart");
    const deadline = this.#now() + answerMs;
    while (isOut() && this.#now() < deadline && !this.#isClosed) {
      await this.#waiters.wait(anyChange, { ms: deadline - this.#now() });
    }
  }

  #now(): number {
    return Math.round(this.#epoch + performance.now());
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const due = dueAt(this.#state, this.limits);
    if (due === undefined) return;
    const ms = Math.max(0, due - this.#now());
    this.#timer = setTimeout(() => this.dispatch({ type: "time-passed" }), Math.min(ms, longestTimer));
    this.#timer.unref();
  }

  /** By the session that a person uses. If the disk is full, the tasks continue without their journal. */
  async #write(records: readonly BackgroundRecord[]): Promise<void> {
    const byRoot = new Map<string, BackgroundRecord[]>();
    for (const record of records) {
      const of =
        record.type === "launched"
          ? record.task.id
          : record.type === "ended"
            ? record.id
            : record.type === "stopped"
              ? ""
              : record.tasks[0]!;
      const found = record.type === "stopped" ? tasksOf(this.#state, record.session)[0] : this.#state.tasks.get(of);
      if (found !== undefined) byRoot.set(found.root, [...(byRoot.get(found.root) ?? []), record]);
    }
    for (const [root, own] of byRoot) {
      try {
        await this.#journals.append(root, own);
      } catch (error) {
        this.#magnus.opencode.notify(`${(error as Error).message}. Background results would not survive a crash.`);
        this.#journals.close(root, false);
      }
    }
  }

  /** The task's run learns that it is over, and then those that wait for it. */
  async #settle(id: string): Promise<void> {
    const task = this.#state.tasks.get(id);
    if (task?.stage.kind !== "over") return;
    this.#prompts.delete(id);
    this.#heard.forget(id);
    try {
      const found = await this.#magnus.runs.of(id);
      if (found?.kind === "driven") await found.run.end(id, task.stage.outcome.kind === "completed" ? "idle" : "error");
    } finally {
      this.#waiters.release(id);
    }
  }

  #announce(id: string): void {
    const task = this.#state.tasks.get(id);
    if (task?.stage.kind !== "over") return;
    const { outcome } = task.stage;
    const open = tasksOf(this.#state, task.parent).filter(isOpen).length;
    const more = open === 0 ? "" : ` (${open} still open, /magnus-stop stops them)`;
    const variant = outcome.kind === "completed" && outcome.text !== "" ? "success" : "warning";
    this.client.toast(`${endedWords(task)}${more}`, variant);
  }

  async #perform(action: BackgroundAction): Promise<void> {
    switch (action.do) {
      case "start": {
        const { id, turn } = action;
        this.#heard.begin(id);
        const why = await this.#whyNotStart(id);
        const refused = why ?? (await this.client.prompt(id, this.#prompts.get(id)!))?.why;
        if (refused !== undefined) this.dispatch({ type: "refused", id, turn, why: refused });
        return;
      }
      case "look": {
        const { id, turn } = action;
        const { stage, after = "" } = this.#state.tasks.get(id) ?? {};
        const heard = stage?.kind === "checking" && stage.because === "idle" ? this.#heard.found(id) : undefined;
        const found =
          heard ??
          (await this.client.look(id, after).catch((error: unknown): Found => {
            this.#magnus.opencode.notify(`${error}`); // asked again, and given up after that
            return { kind: "unknown" };
          }));
        this.dispatch({ type: "looked", id, turn, found });
        return;
      }
      case "abort":
        this.#magnus.stoppedHere.add(action.id);
        await this.client.abort(action.id);
        return;
      case "wake":
        await this.#wake(action.parent, action.delivery, action.tasks);
        return;
      case "find": {
        const { parent, delivery } = action;
        const isThere = await this.client.has(parent, delivery);
        this.dispatch({ type: "searched", parent, delivery, isThere });
        return;
      }
      case "look-at-parent": {
        const { parent: session } = action;
        const isThere = (await this.client.session(session)) !== undefined;
        const is = isThere ? ((await this.client.isBusy(session)) ? "busy" : "idle") : "gone";
        this.dispatch({ type: "parent-seen", session, is });
      }
    }
  }

  /** A queued task starts only in the phase, and in the run, that it was launched in. */
  async #whyNotStart(id: string): Promise<string | undefined> {
    const found = await this.#magnus.runs.of(id);
    if (found === undefined) return undefined;
    if (found.kind !== "driven") return "its run has ended, or another process drives it";
    const { status, phase, sessions, run } = found.run.state;
    if (status.kind !== "running") return `the run ${run} is ${status.kind}`;
    const member = lookUp(sessions, id);
    return member?.phase === phase ? undefined : `the run ${run} has moved on to the ${phase} phase`;
  }

  /** The parent keeps its agent and its model. */
  async #wake(parent: string, delivery: string, ids: readonly string[]): Promise<void> {
    const found = await this.#magnus.runs.of(parent);
    const isPaused = found?.kind === "driven" && found.run.state.status.kind === "paused";
    // After a restart, nothing is known about the parent yet; later, events say when it is busy.
    const known = this.#speakers.get(parent);
    const isBusy = known === undefined && (await this.client.isBusy(parent));
    const speaker = known ?? (await this.client.speaker(parent));
    const because = speaker === undefined ? "gone" : isPaused ? "held" : isBusy ? "busy" : undefined;
    if (because !== undefined) {
      this.dispatch({ type: "unsent", parent, delivery, because });
      return;
    }
    const tasks = ids.flatMap((id) => this.#state.tasks.get(id) ?? []);
    const text = resultsWords(delivery, tasks, tasksOf(this.#state, parent));
    const refused = await this.client.prompt(parent, { ...speaker, parts: [{ type: "text", text, synthetic: true }] });
    if (refused === undefined) this.dispatch({ type: "carried", delivery });
    else this.dispatch({ type: "unsent", parent, delivery, because: refused.isGone ? "gone" : "failed" });
  }

  /** A delivery that OpenCode has stored counts as arrived. */
  #acknowledge(parent: string, part: TaskMessage["parts"][number]): void {
    const delivery = part.type === "tool" ? part.callID : deliveryIn(part);
    const isSending = tasksOf(this.#state, parent).some(
      ({ notice }) => notice.kind === "sending" && notice.delivery === delivery,
    );
    if (delivery === undefined || !isSending) return;
    if (deliveryIn(part) === delivery) this.dispatch({ type: "arrived", delivery });
    else if (part.state?.status === "error") this.dispatch({ type: "unsent", parent, delivery, because: "failed" });
  }
}
