// One prompt and its turn. Claude is a program that runs for one turn and then ends.
import { type ChildProcess, spawn } from "node:child_process";
import { RateLimitError } from "../../run/step-errors.ts";
import { EventQueue } from "../event-queue.ts";
import { abortedTurn, HostError, type HostEvent, isRefusal } from "../host.ts";
import { MessageReader } from "./messages.ts";
import type { ClaudeProgram, ClaudeQuery, ClaudeSdk, ResultMessage, ToolDecision, UserMessage } from "./sdk.ts";
import { type ClaudeToolCall, canonicalTool, detailOf, gateHooks, isAllowed } from "./tools.ts";

/** How long Claude may take to stop when asked. The SDK waits another two seconds before it kills it. */
const stopDeadline = 1_500;
const longestStderr = 2_000;
/** How long to wait for the rest of an ended program's output. */
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
  /** Resolves when the program has ended. The SDK stops listening before a program that it kills has ended. */
  #program: Promise<void> | undefined;
  readonly #tools: readonly string[] | undefined;
  /** The decision for each call, since Claude may ask twice. */
  readonly #decisions = new Map<string, Promise<ToolDecision>>();
  #stopped: { readonly reason: unknown } | undefined;
  #stderr = "";

  constructor(sdk: ClaudeSdk, { message, options, folder, tools }: TurnRequest) {
    this.#tools = tools;
    this.#query = sdk.query({
      prompt: (async function* () {
        yield message;
      })(),
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

  /** The turn's events. They end with the program, so the next turn can start after the last one. */
  async *events(signal?: AbortSignal): AsyncGenerator<HostEvent, void> {
    const abort = () => void this.stop(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      yield* this.#queue;
    } finally {
      signal?.removeEventListener("abort", abort);
      await this.stop(abortedTurn("claude"));
    }
  }

  /** Makes the events fail with the reason, unless the turn is over. */
  async stop(reason: unknown = abortedTurn("claude")): Promise<void> {
    this.#stopped ??= { reason };
    const deadline = setTimeout(() => this.#kill.abort(), stopDeadline);
    try {
      await Promise.race([this.#query.interrupt(), this.#over]);
    } catch {
      // No process is listening: it has not started, or is about to end.
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
        for (const event of this.#reader.live(message)) this.#queue.push(event);
        const { subtype, error, rate_limit_info: info } = message;
        const retryAfterMs = message.retry_delay_ms ?? aMinute;
        const isLimit = subtype === "api_retry" && error === "rate_limit" && retryAfterMs > longestHandledWait;
        if (isLimit && this.#stopped === undefined) {
          void this.stop(new RateLimitError("Claude hit a rate limit.", { retryAfterMs }));
        } else if (subtype === "api_retry") this.#queue.push({ type: "retrying", reason: error ?? "unknown error" });
        // When a subscription's limit ends.
        if (info?.status === "rejected" && info.resetsAt !== undefined) resumeAt = info.resetsAt * 1000;
        if (message.type === "result") result = message as ResultMessage;
      }
    } catch (error) {
      // The SDK also throws after a result that reports the same error.
      broken = error;
    }
    await this.#program;
    if (this.#stopped !== undefined) return this.#queue.fail(this.#stopped.reason);
    if (result === undefined) {
      const why = broken instanceof Error ? broken.message : "it ended without a result";
      const said = this.#stderr === "" ? "" : `\n${this.#stderr}`;
      const message = `Claude stopped in the middle of a turn: ${why}${said}`;
      const hint = "Run `claude` by hand in the same folder to check that it starts and that you are logged in.";
      return this.#queue.fail(new HostError("host-failed", { host: "claude", message, hint, cause: broken }));
    }
    this.#queue.push({ type: "usage", usage: this.#reader.used(result) });
    if (result.is_error) {
      const message = result.result || result.errors?.join("\n") || "Claude gave no reason.";
      if (resumeAt !== undefined) return this.#queue.fail(new RateLimitError(message, { resumeAt }));
      const isLimit = result.api_error_status === 429;
      if (isLimit) return this.#queue.fail(new RateLimitError(message, { retryAfterMs: aMinute }));
      const isLogin = result.api_error_status === 401 || message.includes("/login");
      const details = {
        host: "claude",
        message: `Claude could not answer: ${message}`,
        hint: isLogin ? "Run `claude` and log in with its command /login." : undefined,
        isPermanent: isLogin || isRefusal(result.api_error_status),
      };
      return this.#queue.fail(new HostError(isLogin ? "login-missing" : "prompt-failed", details));
    }
    this.#queue.push({ type: "end", text: result.result ?? "" });
    this.#queue.end();
  }

  #spawn({ command, args, cwd, env, signal }: ClaudeProgram): ChildProcess {
    const child = spawn(command, args, { cwd, env, signal, stdio: "pipe", windowsHide: true });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-longestStderr);
    });
    this.#program = new Promise((resolve) => {
      // Its child processes may keep its output open.
      child.once("exit", () => void setTimeout(resolve, lastWords).unref());
      child.once("close", () => resolve());
      child.once("error", () => child.pid === undefined && resolve());
    });
    return child;
  }

  /** Decides each call once. A hook may have changed the call in the meantime, and then it counts as another call. */
  #decide(call: ClaudeToolCall): Promise<ToolDecision> {
    const key = JSON.stringify([call.id, call.input]);
    const { id, name, input } = call;
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    const tool = canonicalTool(name);
    const decision = new Promise<ToolDecision>((resolve) => {
      if (!isAllowed(tool, this.#tools)) {
        return resolve({ behavior: "deny", message: `"${tool}" is not one of this step's tools.` });
      }
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
    this.#decisions.set(key, decision);
    return decision;
  }
}

/** Claude itself handles shorter waits; for a longer one the whole run pauses. */
const longestHandledWait = 10_000;
/** The wait for a limit that does not say when it ends. */
const aMinute = 60_000;
