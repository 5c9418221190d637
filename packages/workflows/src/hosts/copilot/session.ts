import type { HostEvent, HostSession, SendOptions } from "../host.ts";
import { HostError } from "../host-error.ts";
import { endedTurn, keyLine } from "./history.ts";
import type { CopilotClient, PermissionDecision, PermissionRequest, SdkSession } from "./sdk.ts";
import { isOwnFile } from "./tools.ts";
import { CopilotTurn } from "./turn.ts";

export class CopilotSession implements HostSession {
  readonly #client: CopilotClient;
  readonly #session: SdkSession;
  readonly #desk: PermissionDesk;
  #turn: CopilotTurn | undefined;

  constructor(client: CopilotClient, session: SdkSession, desk: PermissionDesk) {
    this.#client = client;
    this.#session = session;
    this.#desk = desk;
  }

  get id(): string {
    return this.#session.sessionId;
  }

  async *send(prompt: string, { key, signal }: SendOptions = {}): AsyncGenerator<HostEvent, void> {
    signal?.throwIfAborted();
    if (this.#turn !== undefined) throw busy(this.id);
    this.#turn = new CopilotTurn(this.#client, this.#session);
    this.#desk.turn = this.#turn;
    try {
      if (key !== undefined) await this.#session.log(keyLine(key));
      yield* this.#turn.events(prompt, signal);
    } finally {
      this.#turn = undefined;
      this.#desk.turn = undefined;
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
    await this.#session.disconnect();
  }
}

/** Where a runtime asks. It has to be there before the session is. */
export class PermissionDesk {
  turn: CopilotTurn | undefined;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async ask(request: PermissionRequest): Promise<PermissionDecision> {
    if (isOwnFile(request, this.#folder)) return { kind: "approve-once" };
    return this.turn?.permission(request) ?? { kind: "reject", feedback: "Nobody is there to answer." };
  }
}

async function* replay(events: readonly HostEvent[]): AsyncGenerator<HostEvent, void> {
  yield* events;
}

function busy(id: string): HostError {
  return new HostError("host-failed", {
    host: "copilot",
    message: `The session ${id} is in the middle of a turn.`,
    hint: "Read the events of one prompt to the end before you send the next one.",
  });
}
