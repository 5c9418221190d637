import type { HostEvent, HostSession, SendOptions } from "../host.ts";
import { HostError } from "../host-error.ts";
import { isInside } from "../own-files.ts";
import { endedTurn, keyLine } from "./history.ts";
import { isUp } from "./runtime.ts";
import type { CopilotClient, PermissionDecision, PermissionRequest, SdkSession } from "./sdk.ts";
import { CopilotTurn } from "./turn.ts";

export interface CopilotSessionParts {
  readonly client: CopilotClient;
  readonly session: SdkSession;
  readonly desk: PermissionDesk;
  /** Those that run, of all sessions. */
  readonly turns: Set<CopilotTurn>;
}

export class CopilotSession implements HostSession {
  readonly #client: CopilotClient;
  readonly #session: SdkSession;
  readonly #desk: PermissionDesk;
  readonly #turns: Set<CopilotTurn>;
  #turn: CopilotTurn | undefined;

  constructor({ client, session, desk, turns }: CopilotSessionParts) {
    this.#client = client;
    this.#session = session;
    this.#desk = desk;
    this.#turns = turns;
  }

  get id(): string {
    return this.#session.sessionId;
  }

  async *send(prompt: string, { key, signal }: SendOptions = {}): AsyncGenerator<HostEvent, void> {
    signal?.throwIfAborted();
    if (this.#turn !== undefined) throw busy(this.id);
    const turn = new CopilotTurn(this.#client, this.#session);
    this.#turn = turn;
    this.#desk.turn = turn;
    this.#turns.add(turn);
    try {
      if (key !== undefined) await this.#session.log(keyLine(key));
      yield* turn.events(prompt, signal);
    } finally {
      this.#turn = undefined;
      this.#desk.turn = undefined;
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

/** Where a runtime asks. It has to be there before the session is. */
export class PermissionDesk {
  turn: CopilotTurn | undefined;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async ask(request: PermissionRequest): Promise<PermissionDecision> {
    // Copilot asks about every file that it reads. In the folder that it works in this is no question: the others do not ask.
    const { kind, path } = request;
    if (kind === "read" && path !== undefined && (await isInside(this.#folder, path))) return { kind: "approve-once" };
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
