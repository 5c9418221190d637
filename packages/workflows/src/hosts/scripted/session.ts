import { RateLimitError } from "../../run/step-errors.ts";
import { EventQueue } from "../event-queue.ts";
import type { HostEvent, HostSession, PermissionEvent, SendOptions, SessionOptions } from "../host.ts";
import { HostError } from "../host-error.ts";
import type { Script, ScriptedStep, ScriptedStore, ScriptedTurn, StoredTurn, ToolOutcome } from "../scripted.ts";

type ToolStep = Extract<ScriptedStep, { tool: string }>;

export class ScriptedSession implements HostSession {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #script: Script;
  readonly #store: ScriptedStore;
  #running: AbortController | undefined;

  constructor(id: string, options: SessionOptions, script: Script, store: ScriptedStore) {
    this.id = id;
    this.#options = options;
    this.#script = script;
    this.#store = store;
  }

  async *send(prompt: string, { key, signal }: SendOptions = {}): AsyncGenerator<HostEvent> {
    signal?.throwIfAborted();
    const running = new AbortController();
    this.#running = running;
    const queue = new EventQueue<HostEvent>();
    const stop = () => running.abort(signal?.reason);
    running.signal.addEventListener("abort", () => queue.fail(running.signal.reason));
    signal?.addEventListener("abort", stop);
    try {
      void this.#play(prompt, key, queue, running.signal).catch((error: unknown) => queue.fail(failureOf(error)));
      yield* queue;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#running = undefined;
      running.abort(aborted());
    }
  }

  async reattach(prompt: string, { key }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    const turn = this.#turns.at(-1);
    const isIt = key === undefined ? turn?.prompt === prompt : turn?.key === key;
    return isIt && turn?.reply !== undefined ? ended(turn.reply) : undefined;
  }

  async abort(): Promise<void> {
    this.#running?.abort(aborted());
  }

  async dispose(): Promise<void> {
    await this.abort();
  }

  get #turns(): readonly StoredTurn[] {
    return this.#store.get(this.id) ?? [];
  }

  async #play(
    prompt: string,
    key: string | undefined,
    queue: EventQueue<HostEvent>,
    signal: AbortSignal,
  ): Promise<void> {
    const before = this.#turns;
    this.#store.set(this.id, [...before, { prompt, key }]);
    const history = before.flatMap((turn) =>
      turn.reply === undefined ? [] : [{ prompt: turn.prompt, reply: turn.reply }],
    );
    const answer = await this.#script({ prompt, options: this.#options, history, signal });
    const reply = await perform(typeof answer === "string" ? sayingOnly(answer) : answer, queue, signal);
    signal.throwIfAborted();
    this.#store.set(this.id, [...before, { prompt, key, reply }]);
    queue.push({ type: "end", text: reply });
    queue.end();
  }
}

/** Resolves with the last message: what was said since the last tool. */
async function perform(turn: ScriptedTurn, queue: EventQueue<HostEvent>, signal: AbortSignal): Promise<string> {
  let last = "";
  let outcome: ToolOutcome | undefined;
  for (let calls = 0; ; calls += 1) {
    const { done, value: step } = await turn.next(outcome);
    if (done || signal.aborted) return last;
    outcome = undefined;
    if ("text" in step) {
      last += step.text;
      queue.push({ type: "text", text: step.text });
    } else if ("usage" in step) queue.push({ type: "usage", usage: step.usage });
    else {
      last = "";
      outcome = await useTool(step, `call-${calls}`, queue);
    }
  }
}

async function useTool(step: ToolStep, id: string, queue: EventQueue<HostEvent>): Promise<ToolOutcome> {
  const { tool, input = null, detail = "", run } = step;
  queue.push({ type: "tool-started", id, tool, input });
  const denied = await new Promise<string | undefined>((resolve) => {
    const answer: PermissionEvent["answer"] = async (decision, reason = "This is not allowed here.") =>
      resolve(decision === "allow" ? undefined : reason);
    queue.push({ type: "permission", id, tool, detail, answer });
  });
  const output = denied ?? (await run?.()) ?? "";
  const outcome = { ok: denied === undefined, output };
  queue.push({ type: "tool-ended", id, tool, ...outcome });
  return outcome;
}

async function* sayingOnly(text: string): ScriptedTurn {
  yield { text };
}

async function* ended(text: string): AsyncGenerator<HostEvent> {
  yield { type: "end", text };
}

function aborted(): HostError {
  return new HostError("aborted", { host: "scripted", message: "The turn was aborted." });
}

function failureOf(error: unknown): unknown {
  if (error instanceof HostError || error instanceof RateLimitError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HostError("prompt-failed", { host: "scripted", message: `The script failed: ${message}`, cause: error });
}
