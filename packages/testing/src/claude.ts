// The real Claude Agent SDK, and the real program it starts, talking to the scripted model.
import { loadHeavyHost, offline } from "./heavy.ts";
import { type MarkedProcesses, markedProcesses } from "./marked-processes.ts";
import type { Project } from "./project.ts";
import { Transcript, type TranscriptWait } from "./transcript.ts";
import { deferred, within } from "./waiting.ts";

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
  /** Other names that it goes by. */
  readonly aliases?: readonly string[];
  /** It is the program's own. */
  readonly builtin?: boolean;
}

export interface ClaudeAgent {
  readonly name: string;
  readonly description: string;
}

type ToolDecision =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string };

export interface ClaudeOptions {
  /** Asked before a tool that could do harm; without it everything is allowed. */
  readonly canUseTool?: (tool: string, input: Record<string, unknown>) => ToolDecision | Promise<ToolDecision>;
  /** Continues an earlier session. */
  readonly resume?: string;
  /** Further options of the SDK, put on top of ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
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
 * Sends one prompt, or each as it comes, and collects what comes back.
 *
 * ```ts
 * await using claude = await claudeQuery(project, model, "say hello");
 * expect((await claude.answer()).text).toBe("hello");
 * ```
 */
export async function claudeQuery(
  project: Project,
  model: ModelUrl,
  prompt: string | AsyncIterable<string>,
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
    canUseTool:
      options.canUseTool ??
      ((_: string, input: Record<string, unknown>) => ({ behavior: "allow", updatedInput: input })),
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    // Replaces the environment of the program altogether.
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
    },
    ...options.sdk,
  };
  return new ClaudeQuery(sdk, prompt, sdkOptions, processes);
}

class ClaudeQuery {
  readonly #query: SdkQuery;
  readonly #transcript = new Transcript<ClaudeMessage>();
  readonly #abort = new AbortController();
  readonly #lastPrompt = deferred();
  readonly #processes: MarkedProcesses;
  readonly #drained: Promise<void>;

  constructor(
    sdk: ClaudeSdk,
    prompt: string | AsyncIterable<string>,
    options: Record<string, unknown>,
    processes: MarkedProcesses,
  ) {
    this.#processes = processes;
    this.#query = sdk.query({
      prompt: typeof prompt === "string" ? prompt : userMessages(prompt, this.#lastPrompt.promise),
      options: { ...options, abortController: this.#abort },
    });
    this.#drained = this.#drain();
  }

  /** Every message so far. */
  get messages(): readonly ClaudeMessage[] {
    return this.#transcript.entries;
  }

  /** The first message, past or future, that matches. */
  async waitFor(matches: (message: ClaudeMessage) => boolean, options?: TranscriptWait): Promise<ClaudeMessage> {
    return await this.#transcript.waitFor("such message of Claude", matches, options);
  }

  /** The end of the turn; of a later one with `{ after: messages.length }`. */
  async answer(options?: TranscriptWait): Promise<ClaudeAnswer> {
    const result = await this.#transcript.waitFor("result of Claude", ({ type }) => type === "result", options);
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

  /** Stops the turn as you would with Escape; the program keeps running. */
  async interrupt(): Promise<void> {
    await this.#query.interrupt();
  }

  /** Cancels the whole query. */
  abort(): void {
    this.#abort.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // After its result the program saves the session and ends by itself; a program that hangs is not awaited.
    this.#lastPrompt.resolve();
    const isDone = this.messages.some(({ type }) => type === "result");
    if (isDone) await within(END_DEADLINE, this.#drained);
    this.abort();
    await this.#processes[Symbol.asyncDispose]();
    await this.#drained;
  }

  async #drain(): Promise<void> {
    try {
      for await (const message of this.#query) this.#transcript.add(message);
      this.#transcript.close("the program has ended");
    } catch (error) {
      // Those who wait for a message get to read it; there is nothing else to do about it.
      this.#transcript.close(error instanceof Error ? error.message : String(error));
    }
  }
}

// The part of the SDK that is used here, in our own words: its types are absent where it is not installed.
interface ClaudeSdk {
  query(request: { prompt: string | AsyncIterable<TypedPrompt>; options: Record<string, unknown> }): SdkQuery;
}

interface SdkQuery extends AsyncIterable<ClaudeMessage> {
  supportedCommands(): Promise<readonly ClaudeCommand[]>;
  supportedAgents(): Promise<readonly ClaudeAgent[]>;
  interrupt(): Promise<unknown>;
}

/** A message of a person, as the SDK wants it. */
export interface TypedPrompt {
  readonly type: "user";
  readonly session_id: string;
  readonly parent_tool_use_id: null;
  readonly message: { readonly role: "user"; readonly content: string };
}

/** One message a prompt, until there are no more or `ended`: the program waits for the next one as long as it may. */
export async function* userMessages(prompts: AsyncIterable<string>, ended: Promise<void>): AsyncGenerator<TypedPrompt> {
  const iterator = prompts[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), ended]);
    if (!next || next.done) return;
    const message = { role: "user", content: next.value } as const;
    yield { type: "user", session_id: "", parent_tool_use_id: null, message };
  }
}
