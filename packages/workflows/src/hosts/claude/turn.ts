// One prompt and what Claude makes of it. Claude is a program that runs for one turn and then ends.
import { type ChildProcess, spawn } from "node:child_process";
import { EventQueue } from "../event-queue.ts";
import type { HostEvent } from "../host.ts";
import { HostError } from "../host-error.ts";
import { brokenTurn, failedTurn, longRateLimit, subscriptionResets } from "./failure.ts";
import { gateHooks, type ToolCall } from "./gate.ts";
import { MessageReader } from "./messages.ts";
import type {
  ClaudeProgram,
  ClaudeQuery,
  ClaudeSdk,
  ResultMessage,
  SdkMessage,
  ToolDecision,
  UserMessage,
} from "./sdk.ts";
import { canonicalTool, detailOf, isAllowed } from "./tools.ts";

/** How long Claude may take to stop after it was asked to. The SDK gives it another two seconds before it is killed. */
const stopDeadline = 1_500;
const longestStderr = 2_000;
/** How long to wait for what an ended program has said. */
const lastWords = 500;

export interface TurnRequest {
  readonly message: UserMessage;
  readonly options: Readonly<Record<string, unknown>>;
  /** The folder that the agent works in. */
  readonly folder: string;
  /** Canonical names of the tools that may be used. */
  readonly tools: readonly string[] | undefined;
}

export class ClaudeTurn {
  readonly #queue = new EventQueue<HostEvent>();
  readonly #reader = new MessageReader();
  readonly #kill = new AbortController();
  readonly #query: ClaudeQuery;
  readonly #over: Promise<void>;
  /** The program itself. The SDK stops listening some time before a program that it kills has ended. */
  #program: Promise<void> | undefined;
  readonly #tools: readonly string[] | undefined;
  /** What was decided, by the call: Claude may ask a second time. */
  readonly #decisions = new Map<string, Promise<ToolDecision>>();
  #stopped: { readonly reason: unknown } | undefined;
  #stderr = "";

  constructor(sdk: ClaudeSdk, { message, options, folder, tools }: TurnRequest) {
    this.#tools = tools;
    this.#query = sdk.query({
      prompt: once(message),
      options: {
        ...options,
        abortController: this.#kill,
        hooks: gateHooks(folder, (call) => this.#decide(call), options.hooks as Record<string, readonly unknown[]>),
        canUseTool: (name: string, input: Record<string, unknown>, { toolUseID: id }: { toolUseID: string }) =>
          this.#decide({ id, name, input }),
        spawnClaudeCodeProcess: options.spawnClaudeCodeProcess ?? ((program: ClaudeProgram) => this.#spawn(program)),
      },
    });
    this.#over = this.#run();
  }

  /** Until the program has ended: who has read the last event can start the next turn. */
  async *events(signal?: AbortSignal): AsyncGenerator<HostEvent, void> {
    const abort = () => void this.stop(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      yield* this.#queue;
    } finally {
      signal?.removeEventListener("abort", abort);
      await this.stop(abortedTurn());
    }
  }

  /** The events fail with the reason, unless the turn is over. */
  async stop(reason: unknown = abortedTurn()): Promise<void> {
    this.#stopped ??= { reason };
    const deadline = setTimeout(() => this.#kill.abort(), stopDeadline);
    try {
      await Promise.race([this.#query.interrupt(), this.#over]);
    } catch {
      // There is nobody to talk to: it has not started, or is about to end.
      this.#kill.abort();
    }
    await this.#over;
    clearTimeout(deadline);
  }

  async #run(): Promise<void> {
    let result: ResultMessage | undefined;
    let resumeAt: number | undefined;
    let broken: unknown;
    try {
      for await (const message of this.#query) {
        this.#read(message);
        resumeAt = subscriptionResets(message) ?? resumeAt;
        if (message.type === "result") result = message as ResultMessage;
      }
    } catch (error) {
      // The SDK also throws after a result that says the same.
      broken = error;
    }
    await this.#program;
    if (this.#stopped !== undefined) return this.#queue.fail(this.#stopped.reason);
    if (result === undefined) return this.#queue.fail(brokenTurn(broken, this.#stderr));
    this.#queue.push({ type: "usage", usage: this.#reader.used(result) });
    if (result.is_error) return this.#queue.fail(failedTurn(result, resumeAt));
    this.#queue.push({ type: "end", text: result.result ?? "" });
    this.#queue.end();
  }

  #spawn({ command, args, cwd, env, signal }: ClaudeProgram): ChildProcess {
    const child = spawn(command, args, { cwd, env, signal, stdio: "pipe", windowsHide: true });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-longestStderr);
    });
    this.#program = new Promise((resolve) => {
      // What it has started may keep its output open.
      child.once("exit", () => void setTimeout(resolve, lastWords).unref());
      child.once("close", () => resolve());
      child.once("error", () => child.pid === undefined && resolve());
    });
    return child;
  }

  #read(message: SdkMessage): void {
    for (const event of this.#reader.live(message)) this.#queue.push(event);
    const limit = longRateLimit(message);
    if (limit !== undefined && this.#stopped === undefined) void this.stop(limit);
  }

  /** Somebody else's hook may have changed the call since it was asked about: then it is another one. */
  #decide(call: ToolCall): Promise<ToolDecision> {
    const key = JSON.stringify([call.id, call.input]);
    const decision = this.#decisions.get(key) ?? this.#ask(call);
    this.#decisions.set(key, decision);
    return decision;
  }

  #ask({ id, name, input }: ToolCall): Promise<ToolDecision> {
    const tool = canonicalTool(name);
    if (!isAllowed(tool, this.#tools)) {
      return Promise.resolve({ behavior: "deny", message: `"${tool}" is not among the tools of this step.` });
    }
    return new Promise((resolve) => {
      this.#queue.push({
        type: "permission",
        id,
        tool,
        detail: detailOf(input),
        answer: async (answer, reason = "This is not allowed.") =>
          resolve(
            answer === "allow" ? { behavior: "allow", updatedInput: input } : { behavior: "deny", message: reason },
          ),
      });
    });
  }
}

async function* once(message: UserMessage): AsyncGenerator<UserMessage> {
  yield message;
}

function abortedTurn(): HostError {
  return new HostError("aborted", { host: "claude", message: "The turn was aborted." });
}
