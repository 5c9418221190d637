import { watch } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import {
  busySession,
  type HostEvent,
  type HostSession,
  replay,
  type SendOptions,
  type SessionOptions,
} from "../host.ts";
import type { ClaudeSdk, TranscriptMessage } from "./sdk.ts";
import { askingSettings, toolOptions } from "./tools.ts";
import { attemptsAt, endedTurn, orIfMissing, promptId, readTranscript, uuidOf } from "./transcript.ts";
import { ClaudeTurn } from "./turn.ts";

export interface ClaudeSessionRequest {
  readonly id: string;
  readonly options: SessionOptions;
  readonly sdk: ClaudeSdk;
  /** SDK options that are the same for all sessions. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly configFolder: string;
  /** Whether the SDK would look for transcripts elsewhere. */
  readonly isElsewhere: boolean;
  /** The running turns of all the host's sessions. */
  readonly turns: Set<ClaudeTurn>;
  /** Claude does not know it yet, since nothing was sent. */
  readonly isNew: boolean;
}

export class ClaudeSession implements HostSession {
  readonly id: string;
  /** Claude's id for the session; see `#transcript`. */
  #claudeId: string;
  readonly #request: ClaudeSessionRequest;
  /** Whether Claude has a transcript of it; `unsure` if that has to be looked up. */
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
    if (this.#turn !== undefined) throw busySession("claude", this.id);
    let transcript: readonly TranscriptMessage[] = [];
    if (this.#state !== "new") {
      // Read once no other process writes it.
      transcript = await this.#transcript(async () => this.#state === "known" || (await this.#untilAlone(signal)));
      this.#state = transcript.length === 0 ? "new" : "known";
    }
    signal?.throwIfAborted();
    const { folder, model, system, agent, title, tools } = this.#request.options;
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
        ...(this.#state === "new" ? { sessionId: this.#claudeId } : { resume: this.#claudeId }),
      },
      folder,
      tools,
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

  /** Claude's transcript of the session. Empty while another process may still write it. */
  async #transcript(isAlone: () => Promise<boolean>): Promise<readonly TranscriptMessage[]> {
    const { sdk, options, configFolder, isElsewhere } = this.#request;
    const place = { folder: options.folder, configFolder, isElsewhere };
    while (await isAlone()) {
      const messages = await readTranscript(sdk, this.#claudeId, place);
      if (messages === undefined || messages.length > 0) return messages ?? [];
      // After a turn that was stopped very early, Claude has a file without messages: it neither starts nor resumes a session
      // with that id. The session continues under another id, which is the same each time it is resumed.
      this.#claudeId = uuidOf(`session after ${this.#claudeId}`);
    }
    return [];
  }

  /**
   * Resolves once no Claude works on this session any more; if the signal fires, ends the one that does. A Claude whose parent
   * was killed finishes its turn. Until then nothing else may continue the session: both would write the same transcript and
   * work in the same folder.
   */
  async #untilAlone(signal: AbortSignal | undefined): Promise<true> {
    const { configFolder } = this.#request;
    for (;;) {
      const running = await runningAgents(configFolder, this.#claudeId);
      if (running.length === 0) return true;
      if (signal?.aborted) for (const { pid } of running) signalled(pid, "SIGTERM");
      signal?.throwIfAborted();
      await new Promise<void>((resolve) => {
        const watcher = watch(join(configFolder, "sessions"), done);
        const timer = setTimeout(done, lookAgain);
        signal?.addEventListener("abort", done, { once: true });
        function done(): void {
          watcher.close();
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        }
      });
    }
  }
}

/** The part used here of the file that Claude keeps for each of its running programs. */
interface RunningAgent {
  readonly pid: number;
  readonly sessionId: string;
  readonly startedAt: number;
}

/** For changes without a file system event, such as a killed program. */
const lookAgain = 1_000;

/** The Claudes that work on a session. One can work for a while before it writes the first line of a transcript. */
async function runningAgents(configFolder: string, sessionId: string): Promise<readonly RunningAgent[]> {
  const folder = join(configFolder, "sessions");
  const names = (await orIfMissing(readdir(folder), [])).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(names.map((name) => orIfMissing(readFile(join(folder, name), "utf8"), "")));
  const notes = texts.flatMap((text): RunningAgent[] => {
    try {
      const note = JSON.parse(text) as Partial<RunningAgent>;
      if (typeof note.pid !== "number" || note.sessionId === undefined) return [];
      return [{ startedAt: 0, ...note } as RunningAgent];
    } catch (error) {
      // It is being written, or this version of Claude has another format.
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
  // The file stays when its program is killed, and after a reboot the pid may be another program's.
  const booted = Date.now() - uptime() * 1000;
  return notes.filter(
    (note) =>
      note.sessionId === sessionId && note.pid !== process.pid && note.startedAt >= booted && signalled(note.pid, 0),
  );
}

/** False if there is no such process. */
function signalled(pid: number, signal: "SIGTERM" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}
