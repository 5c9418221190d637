// The real Claude Agent SDK, and the real program it starts, talking to the scripted model.
import { loadHeavyHost, offline } from "./heavy.ts";
import { type MarkedProcesses, markedProcesses } from "./marked-processes.ts";
import type { Project } from "./project.ts";
import { Transcript } from "./transcript.ts";
import { within } from "./waiting.ts";

const END_DEADLINE = 10_000;

/** A message of the SDK: `type` and `subtype` say which fields it has. */
export interface ClaudeMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly [field: string]: unknown;
}

/** What the program offers under `/name`. */
export interface ClaudeCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  /** Built into the program. */
  readonly builtin?: boolean;
}

export interface ClaudeAgent {
  readonly name: string;
  readonly description: string;
}

export interface ClaudeOptions {
  /** More SDK options, which override ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
  /** Added to the program's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ClaudeAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly sessionId: string;
  readonly usage: { readonly input: number; readonly output: number };
}

/** What claude needs to know of the scripted model: a `ModelServer` fits. */
export interface ModelUrl {
  readonly url: string;
}

/**
 * Sends one prompt and collects what comes back. Every tool is allowed.
 *
 * ```ts
 * await using claude = await claudeQuery(project, model, "say hello");
 * expect((await claude.answer()).text).toBe("hello");
 * ```
 */
export async function claudeQuery(
  project: Project,
  model: ModelUrl,
  prompt: string,
  options: ClaudeOptions = {},
): Promise<ClaudeQuery> {
  const sdk = (await loadHeavyHost("claude")) as ClaudeSdk;
  const processes = await markedProcesses();
  const sdkOptions = {
    cwd: project.dir,
    model: "sonnet",
    settingSources: ["user", "project", "local"],
    // "bypassPermissions" would be shorter, but the program refuses it to root.
    permissionMode: "default",
    canUseTool: (_: string, input: Record<string, unknown>) => ({ behavior: "allow", updatedInput: input }),
    // Replaces the program's whole environment.
    env: {
      ...project.env,
      ...processes.env,
      ...offline,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      ...options.env,
    },
    ...options.sdk,
  };
  return new ClaudeQuery(sdk, prompt, sdkOptions, processes);
}

class ClaudeQuery {
  readonly #query: SdkQuery;
  readonly #transcript = new Transcript<ClaudeMessage>();
  readonly #abort = new AbortController();
  readonly #processes: MarkedProcesses;
  readonly #drained: Promise<void>;

  constructor(sdk: ClaudeSdk, prompt: string, options: Record<string, unknown>, processes: MarkedProcesses) {
    this.#processes = processes;
    this.#query = sdk.query({ prompt, options: { ...options, abortController: this.#abort } });
    this.#drained = this.#drain();
  }

  /** The end of the turn. */
  async answer(): Promise<ClaudeAnswer> {
    const result = await this.#transcript.waitFor("result of Claude", ({ type }) => type === "result");
    const usage = (result.usage ?? {}) as Record<string, number>;
    return {
      text: typeof result.result === "string" ? result.result : "",
      isError: result.is_error === true,
      sessionId: String(result.session_id),
      usage: { input: usage.input_tokens ?? 0, output: usage.output_tokens ?? 0 },
    };
  }

  async supportedCommands(): Promise<readonly ClaudeCommand[]> {
    return await this.#query.supportedCommands();
  }

  async supportedAgents(): Promise<readonly ClaudeAgent[]> {
    return await this.#query.supportedAgents();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // After its result the program saves the session and exits by itself; one that hangs is not awaited.
    const isDone = this.#transcript.entries.some(({ type }) => type === "result");
    if (isDone) await within(END_DEADLINE, this.#drained);
    this.#abort.abort();
    await this.#processes[Symbol.asyncDispose]();
    await this.#drained;
  }

  async #drain(): Promise<void> {
    try {
      for await (const message of this.#query) this.#transcript.add(message);
      this.#transcript.close("the program has ended");
    } catch (error) {
      // Pending waits fail with this error; nothing else needs it.
      this.#transcript.close(error instanceof Error ? error.message : String(error));
    }
  }
}

// The part of the SDK that is used here, declared by hand: the SDK's types are missing where it is not installed.
interface ClaudeSdk {
  query(request: { prompt: string; options: Record<string, unknown> }): SdkQuery;
}

interface SdkQuery extends AsyncIterable<ClaudeMessage> {
  supportedCommands(): Promise<readonly ClaudeCommand[]>;
  supportedAgents(): Promise<readonly ClaudeAgent[]>;
}
