// A host for dry runs: no program, no model, only a script.

import { randomUUID } from "node:crypto";
import type { Usage } from "../run/budget.ts";
import type { Json } from "../run/json.ts";
import { RateLimitError } from "../run/step-errors.ts";
import { EventQueue } from "./event-queue.ts";
import {
  abortedTurn,
  type Host,
  HostError,
  type HostEvent,
  type HostSession,
  replay,
  type SendOptions,
  type SessionOptions,
} from "./host.ts";

/** One thing that an agent does. After a tool, the script receives its outcome. */
export type ScriptedStep =
  | { readonly text: string }
  | { readonly usage: Usage }
  | {
      readonly tool: string;
      /** Default: the detail. */
      readonly input?: Json;
      /** The text shown to the person who decides. */
      readonly detail?: string;
      /** Only called if it is allowed. Default: nothing happens. */
      readonly run?: () => Promise<string> | string;
    };

export type ToolOutcome = { readonly ok: boolean; readonly output: string };

export interface ScriptedPrompt {
  readonly prompt: string;
  readonly options: SessionOptions;
  /** The session's earlier turns. */
  readonly history: readonly { readonly prompt: string; readonly reply: string }[];
  /** Fires when the turn is aborted. */
  readonly signal: AbortSignal;
}

export type ScriptedTurn = AsyncGenerator<ScriptedStep, void, ToolOutcome | undefined>;

/** Returns the reply, or yields what the agent does step by step. If it throws, the turn fails. */
export type Script = (asked: ScriptedPrompt) => string | Promise<string> | ScriptedTurn;

/** The reply to a prompt that contains `prompt`. The first match is used. */
export interface ScriptedAnswer {
  readonly prompt: string;
  readonly reply: string;
}

export interface ScriptedOptions {
  /** By default, and where no answer matches, the reply is the prompt itself. */
  readonly script?: Script | readonly ScriptedAnswer[];
  /** Hosts with the same store know each other's sessions. Default: a new store. */
  readonly store?: ScriptedStore;
}

export type ScriptedStore = Map<string, StoredTurn[]>;

export interface StoredTurn {
  readonly prompt: string;
  readonly key: string | undefined;
  /** Set once the turn has ended. */
  readonly reply?: string;
  readonly used?: readonly Usage[];
}

/**
 * Answers without any program: with the prompt itself, from a list, or from a function.
 *
 * @example
 * const host = scriptedHost({ script: [{ prompt: "review", reply: "LGTM" }] });
 */
export function scriptedHost({ script = [], store = new Map() }: ScriptedOptions = {}): Host {
  const sessions = new Set<ScriptedSession>();
  const scriptOf: Script =
    typeof script === "function"
      ? script
      : ({ prompt }) => script.find((answer) => prompt.includes(answer.prompt))?.reply ?? prompt;
  const open = (id: string, options: SessionOptions): HostSession => {
    const session = new ScriptedSession(id, { options, script: scriptOf, store });
    sessions.add(session);
    return session;
  };
  return {
    name: "scripted",
    create: async (options) => {
      const id = randomUUID();
      store.set(id, []);
      return open(id, options);
    },
    resume: async (id, options) => {
      if (store.has(id)) return open(id, options);
      throw new HostError("session-gone", { host: "scripted", message: `There is no scripted session "${id}".` });
    },
    dispose: async () => {
      await Promise.all([...sessions].map((session) => session.dispose()));
      sessions.clear();
    },
  };
}

class ScriptedSession implements HostSession {
  readonly id: string;
  readonly #parts: { readonly options: SessionOptions; readonly script: Script; readonly store: ScriptedStore };
  #running: AbortController | undefined;

  constructor(id: string, parts: { options: SessionOptions; script: Script; store: ScriptedStore }) {
    this.id = id;
    this.#parts = parts;
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
      void this.#play(prompt, key, queue, running.signal).catch((error: unknown) => {
        if (error instanceof HostError || error instanceof RateLimitError) return queue.fail(error);
        const message = `The script failed: ${error instanceof Error ? error.message : String(error)}`;
        queue.fail(new HostError("prompt-failed", { host: "scripted", message, cause: error }));
      });
      yield* queue;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#running = undefined;
      running.abort(abortedTurn("scripted"));
    }
  }

  async reattach(prompt: string, { key }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    const turn = this.#parts.store.get(this.id)?.at(-1);
    const isIt = key === undefined ? turn?.prompt === prompt : turn?.key === key;
    const text = turn?.reply;
    if (!isIt || text === undefined) return undefined;
    const used = (turn?.used ?? []).map((usage): HostEvent => ({ type: "usage", usage }));
    return replay([...used, { type: "end", text }]);
  }

  async abort(): Promise<void> {
    this.#running?.abort(abortedTurn("scripted"));
  }

  async dispose(): Promise<void> {
    await this.abort();
  }

  async #play(
    prompt: string,
    key: string | undefined,
    queue: EventQueue<HostEvent>,
    signal: AbortSignal,
  ): Promise<void> {
    const { options, script, store } = this.#parts;
    const before = store.get(this.id) ?? [];
    store.set(this.id, [...before, { prompt, key }]);
    const history = before.flatMap((turn) =>
      turn.reply === undefined ? [] : [{ prompt: turn.prompt, reply: turn.reply }],
    );
    const answer = await script({ prompt, options, history, signal });
    // The last message is the text since the last tool.
    let reply = "";
    const used: Usage[] = [];
    if (typeof answer === "string") {
      reply = answer;
      queue.push({ type: "text", text: answer });
    } else {
      let outcome: ToolOutcome | undefined;
      for (let calls = 0; ; calls += 1) {
        const { done, value: step } = await answer.next(outcome);
        if (done || signal.aborted) break;
        outcome = undefined;
        if ("usage" in step) {
          used.push(step.usage);
          queue.push({ type: "usage", usage: step.usage });
        } else if ("text" in step) {
          reply += step.text;
          queue.push({ type: "text", text: step.text });
        } else {
          reply = "";
          const { tool, detail = "", input = detail === "" ? null : detail, run } = step;
          const id = `call-${calls}`;
          queue.push({ type: "tool-started", id, tool, input });
          const denied = await new Promise<string | undefined>((resolve) => {
            queue.push({
              type: "permission",
              id,
              tool,
              detail,
              answer: async (decision, reason = "This is not allowed here.") =>
                resolve(decision === "allow" ? undefined : reason),
            });
          });
          outcome = { ok: denied === undefined, output: denied ?? (await run?.()) ?? "" };
          queue.push({ type: "tool-ended", id, tool, ...outcome });
        }
      }
    }
    signal.throwIfAborted();
    store.set(this.id, [...before, { prompt, key, reply, used }]);
    queue.push({ type: "end", text: reply });
    queue.end();
  }
}
