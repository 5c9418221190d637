import type { HostEvent, HostSession, SendOptions, SessionOptions } from "../host.ts";
import { HostError } from "../host-error.ts";
import { askingSettings } from "./gate.ts";
import { runningAgents, untilAlone } from "./running-agent.ts";
import type { ClaudeSdk, TranscriptMessage } from "./sdk.ts";
import { toolOptions } from "./tools.ts";
import { attemptsAt, endedTurn, nextSessionId, promptId, readTranscript } from "./transcript.ts";
import { ClaudeTurn } from "./turn.ts";

export interface ClaudeSessionRequest {
  readonly id: string;
  readonly options: SessionOptions;
  readonly sdk: ClaudeSdk;
  /** Options of the SDK that are the same for all sessions. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly configFolder: string;
  /** Whether the SDK would look for transcripts elsewhere. */
  readonly isElsewhere: boolean;
  /** Those that run, of all sessions. */
  readonly turns: Set<ClaudeTurn>;
  /** Not known to Claude: nothing was sent yet. */
  readonly isNew: boolean;
}

export class ClaudeSession implements HostSession {
  readonly id: string;
  /** Under which Claude has the session; see `nextSessionId`. */
  #claudeId: string;
  readonly #request: ClaudeSessionRequest;
  /** What Claude has of it: nothing, surely something, or that is to be looked up. */
  #state: "new" | "known" | "unsure";
  #turn: ClaudeTurn | undefined;

  constructor(request: ClaudeSessionRequest) {
    this.id = request.id;
    this.#claudeId = request.id;
    this.#request = request;
    this.#state = request.isNew ? "new" : "unsure";
  }

  async *send(prompt: string, { key, signal }: SendOptions = {}): AsyncGenerator<HostEvent, void> {
    signal?.throwIfAborted();
    if (this.#turn !== undefined) throw busy(this.id);
    const transcript = await this.#settled(signal);
    signal?.throwIfAborted();
    const uuid = promptId(key, key === undefined ? 0 : attemptsAt(key, transcript));
    const turn = new ClaudeTurn(this.#request.sdk, {
      message: {
        type: "user",
        uuid,
        session_id: "",
        parent_tool_use_id: null,
        message: { role: "user", content: prompt },
      },
      options: {
        ...this.#options(),
        ...(this.#state === "new" ? { sessionId: this.#claudeId } : { resume: this.#claudeId }),
      },
      folder: this.#request.options.folder,
      tools: this.#request.options.tools,
    });
    this.#turn = turn;
    this.#request.turns.add(turn);
    this.#state = "unsure";
    try {
      yield* turn.events(signal);
      this.#state = "known";
    } finally {
      this.#turn = undefined;
      this.#request.turns.delete(turn);
    }
  }

  async reattach(prompt: string, { key, signal }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    if (this.#state === "new") return undefined;
    const transcript = await this.#transcript(() => this.#untilAlone(signal));
    const events = endedTurn(transcript, prompt, key);
    return events && replay(events);
  }

  async abort(): Promise<void> {
    await this.#turn?.stop();
  }

  async dispose(): Promise<void> {
    await this.abort();
  }

  async exists(): Promise<boolean> {
    let isRunning = false;
    const transcript = await this.#transcript(async () => {
      isRunning = (await runningAgents(this.#request.configFolder, this.#claudeId)).length > 0;
      return !isRunning;
    });
    return isRunning || transcript.length > 0;
  }

  /** What Claude has written down, under the id that it has the session under. Empty as long as somebody else may write it. */
  async #transcript(isAlone: () => Promise<boolean>): Promise<readonly TranscriptMessage[]> {
    const { sdk, options, configFolder, isElsewhere } = this.#request;
    const place = { folder: options.folder, configFolder, isElsewhere };
    while (await isAlone()) {
      const messages = await readTranscript(sdk, this.#claudeId, place);
      if (messages === undefined || messages.length > 0) return messages ?? [];
      this.#claudeId = nextSessionId(this.#claudeId);
    }
    return [];
  }

  async #untilAlone(signal: AbortSignal | undefined): Promise<true> {
    await untilAlone(this.#request.configFolder, this.#claudeId, signal);
    return true;
  }

  /** The transcript, once nobody else writes it. */
  async #settled(signal: AbortSignal | undefined): Promise<readonly TranscriptMessage[]> {
    if (this.#state === "new") return [];
    const transcript = await this.#transcript(async () => this.#state === "known" || this.#untilAlone(signal));
    this.#state = transcript.length === 0 ? "new" : "known";
    return transcript;
  }

  #options(): Record<string, unknown> {
    const { folder, model, system, agent, title } = this.#request.options;
    return {
      cwd: folder,
      permissionMode: "default",
      settings: askingSettings,
      includePartialMessages: true,
      systemPrompt: { type: "preset", preset: "claude_code", ...(system !== undefined && { append: system }) },
      ...toolOptions(this.#request.options),
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title }),
      ...(agent !== undefined && {
        agent: agent.name,
        agents: { [agent.name]: { description: agent.description, prompt: agent.prompt } },
      }),
      ...this.#request.shared,
    };
  }
}

async function* replay(events: readonly HostEvent[]): AsyncGenerator<HostEvent, void> {
  yield* events;
}

function busy(id: string): HostError {
  return new HostError("host-failed", {
    host: "claude",
    message: `The session ${id} is in the middle of a turn.`,
    hint: "Read the events of one prompt to the end before you send the next one.",
  });
}
