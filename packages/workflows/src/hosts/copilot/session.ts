import { EventQueue } from "../event-queue.ts";
import { abortedTurn, busySession, type HostEvent, type HostSession, replay, type SendOptions } from "../host.ts";
import { isInside } from "../own-files.ts";
import { EventReader, endedTurn, failureOf, keyLine } from "./events.ts";
import { isUp, runtimeFailure } from "./runtime.ts";
import type { CopilotClient, CopilotPermission, PermissionDecision, SdkEvent, SdkSession } from "./sdk.ts";
import { permissionDetail, permissionTool } from "./tools.ts";

export interface CopilotSessionParts {
  readonly client: CopilotClient;
  readonly session: SdkSession;
  readonly gate: PermissionGate;
  /** Those that run, of all sessions. */
  readonly turns: Set<CopilotTurn>;
}

export class CopilotSession implements HostSession {
  readonly #client: CopilotClient;
  readonly #session: SdkSession;
  readonly #gate: PermissionGate;
  readonly #turns: Set<CopilotTurn>;
  #turn: CopilotTurn | undefined;

  constructor({ client, session, gate, turns }: CopilotSessionParts) {
    this.#client = client;
    this.#session = session;
    this.#gate = gate;
    this.#turns = turns;
  }

  get id(): string {
    return this.#session.sessionId;
  }

  async *send(prompt: string, { key, signal }: SendOptions = {}): AsyncGenerator<HostEvent, void> {
    signal?.throwIfAborted();
    if (this.#turn !== undefined) throw busySession("copilot", this.id);
    const turn = new CopilotTurn(this.#client, this.#session);
    this.#turn = turn;
    this.#gate.turn = turn;
    this.#turns.add(turn);
    try {
      if (key !== undefined) await this.#session.log(keyLine(key));
      yield* turn.events(prompt, signal);
    } finally {
      this.#turn = undefined;
      this.#gate.turn = undefined;
      this.#turns.delete(turn);
    }
  }

  /** The runtime ends with the process that has started it, so there is no turn that still runs. */
  async reattach(prompt: string, { key }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    const events = endedTurn(await this.#session.getEvents(), prompt, key);
    return events && replay(events);
  }

  async abort(): Promise<void> {
    await this.#turn?.stop();
  }

  async dispose(): Promise<void> {
    await this.abort();
    try {
      await this.#session.disconnect();
    } catch (error) {
      // With its runtime the session is gone, too.
      if (await isUp(this.#client)) throw error;
    }
  }
}

/** Where a runtime asks. It must exist before the session does. */
export class PermissionGate {
  turn: CopilotTurn | undefined;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async ask(request: CopilotPermission): Promise<PermissionDecision> {
    // Copilot asks about every file that it reads. In its own working folder we do not ask: the other hosts do not ask there either.
    const { kind, path } = request;
    if (kind === "read" && path !== undefined && (await isInside(this.#folder, path))) return { kind: "approve-once" };
    return this.turn?.permission(request) ?? { kind: "reject", feedback: "No one is available to answer." };
  }
}

const heartbeat = 2_000;

/** One prompt and what Copilot makes of it. */
export class CopilotTurn {
  readonly #queue = new EventQueue<HostEvent>();
  readonly #reader = new EventReader();
  readonly #client: CopilotClient;
  readonly #session: SdkSession;
  /** Events that came before we knew the id of our message, and so whether they are of this turn. */
  readonly #early: SdkEvent[] = [];
  readonly #decisions = new Map<string, Promise<PermissionDecision>>();
  #messageId: string | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(client: CopilotClient, session: SdkSession) {
    this.#client = client;
    this.#session = session;
  }

  async *events(prompt: string, signal?: AbortSignal): AsyncGenerator<HostEvent, void> {
    signal?.throwIfAborted();
    const forget = this.#session.on((event) => this.#take(event));
    const abort = () => void this.stop(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const pulse = setInterval(async () => {
      if (await isUp(this.#client)) return;
      this.#isOver = true;
      this.#queue.fail(runtimeFailure("Copilot's runtime ended in the middle of a turn"));
    }, heartbeat);
    try {
      this.#messageId = await this.#session.send({ prompt });
      // It was aborted before it was there.
      if (this.#isOver) await this.#abort();
      for (const event of this.#early) this.#take(event);
      yield* this.#queue;
    } finally {
      clearInterval(pulse);
      signal?.removeEventListener("abort", abort);
      await this.stop();
      forget();
    }
  }

  /** The events fail with the reason, unless the turn is over. */
  async stop(reason: unknown = abortedTurn("copilot")): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#abort();
    this.#queue.fail(reason);
  }

  /** For a file outside of the folder Copilot asks twice, once for the place and once for the file. */
  permission(request: CopilotPermission): Promise<PermissionDecision> {
    const { kind, toolCallId: call = `call-${this.#decisions.size}` } = request;
    const detail = permissionDetail(request);
    const id = JSON.stringify([call, kind, detail]);
    const known = this.#decisions.get(id);
    if (known !== undefined) return known;
    const decision = new Promise<PermissionDecision>((resolve) => {
      this.#queue.push({
        type: "permission",
        id: call,
        tool: permissionTool(request, this.#reader.called),
        detail,
        answer: async (answer, feedback = "This is not allowed.") =>
          resolve(answer === "allow" ? { kind: "approve-once" } : { kind: "reject", feedback }),
      });
    });
    this.#decisions.set(id, decision);
    return decision;
  }

  #take(event: SdkEvent): void {
    if (this.#messageId === undefined) return void this.#early.push(event);
    // What comes before is of a turn that was aborted.
    if (event.type === "user.message" && event.data.messageId === this.#messageId) this.#hasBegun = true;
    if (!this.#hasBegun || this.#isOver) return;
    const failure = failureOf(event);
    if (failure !== undefined) return void this.stop(failure);
    const said = this.#reader.live(event);
    if (said !== undefined) this.#queue.push(said);
    if (event.type !== "session.idle") return;
    this.#isOver = true;
    this.#queue.push({ type: "end", text: this.#reader.text });
    this.#queue.end();
  }

  async #abort(): Promise<void> {
    try {
      await this.#session.abort();
    } catch (error) {
      // A runtime that is gone does not work on anything.
      if (await isUp(this.#client)) throw error;
    }
  }
}
