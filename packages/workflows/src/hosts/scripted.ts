// For dry runs: no program, no model, only what a script says.
import { randomUUID } from "node:crypto";
import type { Usage } from "../run/budget.ts";
import type { Json } from "../run/json.ts";
import type { Host, HostSession, SessionOptions } from "./host.ts";
import { HostError } from "./host-error.ts";
import { ScriptedSession } from "./scripted/session.ts";

/** One thing that an agent does. For a tool, the script is told what came of it. */
export type ScriptedStep =
  | { readonly text: string }
  | { readonly usage: Usage }
  | {
      readonly tool: string;
      readonly input?: Json;
      /** What whoever decides about it reads. */
      readonly detail?: string;
      /** Only called if it is allowed. Default: nothing happens. */
      readonly run?: () => Promise<string> | string;
    };

export type ToolOutcome = { readonly ok: boolean; readonly output: string };

export interface ScriptedPrompt {
  readonly prompt: string;
  readonly options: SessionOptions;
  /** What was said in this session before. */
  readonly history: readonly { readonly prompt: string; readonly reply: string }[];
  /** Fires when the turn is aborted. */
  readonly signal: AbortSignal;
}

export type ScriptedTurn = AsyncGenerator<ScriptedStep, void, ToolOutcome | undefined>;

/** The reply, or step by step what the agent does. What it throws is the failure of the turn. */
export type Script = (asked: ScriptedPrompt) => string | Promise<string> | ScriptedTurn;

/** The first whose `prompt` is part of the prompt. */
export interface ScriptedAnswer {
  readonly prompt: string;
  readonly reply: string;
}

export interface ScriptedOptions {
  /** Default, and for whatever no answer is given to: the prompt itself. */
  readonly script?: Script | readonly ScriptedAnswer[];
  /** Hosts with the same store know each other's sessions. Default: a new one. */
  readonly store?: ScriptedStore;
}

export type ScriptedStore = Map<string, StoredTurn[]>;

export interface StoredTurn {
  readonly prompt: string;
  readonly key: string | undefined;
  /** Of a turn that has come to its end. */
  readonly reply?: string;
}

/**
 * Answers without any program: with the prompt itself, from a list, or as a function says.
 *
 * @example
 * const host = scriptedHost({ script: [{ prompt: "review", reply: "LGTM" }] });
 */
export function scriptedHost({ script = [], store = new Map() }: ScriptedOptions = {}): Host {
  const sessions = new Set<ScriptedSession>();
  const open = (id: string, options: SessionOptions): HostSession => {
    const session = new ScriptedSession(id, options, typeof script === "function" ? script : answering(script), store);
    sessions.add(session);
    return session;
  };
  return {
    name: "scripted",
    async create(options) {
      const id = randomUUID();
      store.set(id, []);
      return open(id, options);
    },
    async resume(id, options) {
      if (store.has(id)) return open(id, options);
      throw new HostError("session-gone", { host: "scripted", message: `There is no scripted session "${id}".` });
    },
    async dispose() {
      await Promise.all([...sessions].map((session) => session.dispose()));
      sessions.clear();
    },
  };
}

function answering(answers: readonly ScriptedAnswer[]): Script {
  return ({ prompt }) => answers.find((answer) => prompt.includes(answer.prompt))?.reply ?? prompt;
}
