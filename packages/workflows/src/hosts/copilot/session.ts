import { EventQueue } from "../event-queue.ts";
import {
  abortedTurn,
  busySession,
  HostError,
  type HostEvent,
  type HostSession,
  replay,
  type SendOptions,
} from "../host.ts";
import { EventReader, endedTurn, failureOf, keyLine } from "./events.ts";
import type { CopilotClient, CopilotPermission, PermissionDecision, SdkEvent, SdkSession } from "./sdk.ts";
import { permissionDetail, permissionTool } from "./tools.ts";

export interface CopilotSessionParts {
  readonly client: CopilotClient;
  readonly session: SdkSession;
  readonly gate: PermissionGate;
  /** The running turns of all the host's sessions. */
  readonly turns: Set<CopilotTurn>;
}

/** The turn that answers the runtime's questions. It exists before the session does. */
export interface PermissionGate {
  turn: CopilotTurn | undefined;
}

export class CopilotSession implements HostSession {
  readonly id: string;
  readonly #parts: CopilotSessionParts;

  constructor(parts: CopilotSessionParts) {
    this.id = parts.session.sessionId;
    this.#parts = parts;
  }

  async *send(prompt: string, { key, signal }: SendOptions = {}): AsyncGenerator<HostEvent, void> {
    const { client, session, gate, turns } = this.#parts;
    signal?.throwIfAborted();
    if (gate.turn !== undefined) throw busySession("copilot", this.id);
    const turn = new CopilotTurn(client, session);
    gate.turn = turn;
    turns.add(turn);
    try {
      if (key !== undefined) await session.log(keyLine(key));
      yield* turn.events(prompt, signal);
    } finally {
      gate.turn = undefined;
      turns.delete(turn);
    }
  }

  /**
   * The runtime ends with the process that started it, so no turn still runs, and that process has seen, and counted, all
   * that the turn used. The stored session does not say it again.
   */
  async reattach(prompt: string, { key }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    const events = endedTurn(await this.#parts.session.getEvents(), prompt, key);
    return events && replay(events);
  }

  async abort(): Promise<void> {
    await this.#parts.gate.turn?.stop();
  }

  async dispose(): Promise<void> {
    await this.abort();
    try {
      await this.#parts.session.disconnect();
    } catch (error) {
      // If the runtime is gone, so is the session.
      if (await isUp(this.#parts.client)) throw error;
    }
  }
}

const heartbeat = 2_000;
/** An error comes after its prompt, unless Copilot refuses the prompt itself: then it never says that it got one. */
const echoDeadline = 2_000;

/** One prompt and its turn. */
export class CopilotTurn {
  readonly #queue = new EventQueue<HostEvent>();
  readonly #reader = new EventReader();
  readonly #client: CopilotClient;
  readonly #session: SdkSession;
  /** Events that came before we knew our message's id, and so whether they belong to this turn. */
  readonly #early: SdkEvent[] = [];
  readonly #decisions = new Map<string, Promise<PermissionDecision>>();
  #messageId: string | undefined;
  #hasBegun = false;
  #isOver = false;
  #echo: NodeJS.Timeout | undefined;

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
      this.#queue.fail(runtimeFailure("Copilot's runtime exited in the middle of a turn"));
    }, heartbeat);
    try {
      this.#messageId = await this.#session.send({ prompt });
      // It was aborted while it was being sent.
      if (this.#isOver) await this.#abort();
      for (const event of this.#early) this.#take(event);
      yield* this.#queue;
    } finally {
      clearInterval(pulse);
      clearTimeout(this.#echo);
      signal?.removeEventListener("abort", abort);
      await this.stop();
      forget();
    }
  }

  /** Makes the events fail with the reason, unless the turn is over. */
  async stop(reason: unknown = abortedTurn("copilot")): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#abort();
    this.#queue.fail(reason);
  }

  /** Asks each question once. For a file outside the folder Copilot asks twice, for the place and for the file. */
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
    if (event.type === "user.message" && event.data.messageId === this.#messageId) {
      this.#hasBegun = true;
      clearTimeout(this.#echo);
    }
    if (this.#isOver) return;
    const failure = failureOf(event);
    if (!this.#hasBegun) {
      // Earlier events belong to a turn that was aborted, or say why there will be none.
      if (failure !== undefined) this.#echo ??= setTimeout(() => void this.stop(failure), echoDeadline);
      return;
    }
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
      // A runtime that is gone has nothing to abort.
      if (await isUp(this.#client)) throw error;
    }
  }
}

/** The SDK does not report that its runtime has died unless it is asked. */
export async function isUp(client: CopilotClient): Promise<boolean> {
  try {
    await client.ping();
    return true;
  } catch {
    // Whatever the reason, it does not answer.
    return false;
  }
}

export function runtimeFailure(what: string, cause?: unknown): HostError {
  return new HostError("host-failed", {
    host: "copilot",
    message: cause instanceof Error ? `${what}: ${cause.message}` : `${what}.`,
    hint: "Run `copilot` by hand in the same folder to check that it starts and that you are logged in.",
    cause,
  });
}
