// One prompt and what Copilot makes of it.
import { EventQueue } from "../event-queue.ts";
import type { HostEvent } from "../host.ts";
import { HostError } from "../host-error.ts";
import { EventReader, failureOf } from "./events.ts";
import { isUp, runtimeFailure } from "./runtime.ts";
import type { CopilotClient, PermissionDecision, PermissionRequest, SdkEvent, SdkSession } from "./sdk.ts";
import { permissionDetail, permissionTool } from "./tools.ts";

const heartbeat = 2_000;

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
    const pulse = setInterval(() => void this.#feelPulse(), heartbeat);
    try {
      await this.#send(prompt);
      yield* this.#queue;
    } finally {
      clearInterval(pulse);
      signal?.removeEventListener("abort", abort);
      await this.stop();
      forget();
    }
  }

  /** The events fail with the reason, unless the turn is over. */
  async stop(reason: unknown = abortedTurn()): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#abort();
    this.#queue.fail(reason);
  }

  /** For a file outside of the folder Copilot asks twice, once for the place and once for the file. */
  permission(request: PermissionRequest): Promise<PermissionDecision> {
    const { kind, toolCallId: call = `call-${this.#decisions.size}` } = request;
    const detail = permissionDetail(request);
    const id = JSON.stringify([call, kind, detail]);
    const decision = this.#decisions.get(id) ?? this.#ask(call, permissionTool(request, this.#reader.called), detail);
    this.#decisions.set(id, decision);
    return decision;
  }

  #ask(id: string, tool: string, detail: string): Promise<PermissionDecision> {
    return new Promise((resolve) => {
      this.#queue.push({
        type: "permission",
        id,
        tool,
        detail,
        answer: async (answer, feedback = "This is not allowed.") =>
          resolve(answer === "allow" ? { kind: "approve-once" } : { kind: "reject", feedback }),
      });
    });
  }

  async #send(prompt: string): Promise<void> {
    this.#messageId = await this.#session.send({ prompt });
    // It was aborted before it was there.
    if (this.#isOver) await this.#abort();
    for (const event of this.#early) this.#take(event);
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
    if (event.type === "session.idle") this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#queue.push({ type: "end", text: this.#reader.text });
    this.#queue.end();
  }

  async #feelPulse(): Promise<void> {
    if (await isUp(this.#client)) return;
    this.#isOver = true;
    this.#queue.fail(runtimeFailure("The runtime of Copilot has ended in the middle of a turn"));
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

function abortedTurn(): HostError {
  return new HostError("aborted", { host: "copilot", message: "The turn was aborted." });
}
