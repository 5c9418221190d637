import type { ModelGate } from "./gate.ts";
import type { RecordedRequest } from "./recording.ts";

/** One thing the model says in a turn, in the order it says it. */
export type TurnPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "tool"; readonly id: string; readonly name: string; readonly args: string }
  | { readonly kind: "gate"; readonly gate: ModelGate };

export type TurnEnd =
  | { readonly kind: "finish" }
  | { readonly kind: "hang" }
  | { readonly kind: "drop" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly message: string;
      readonly retryAfter: number | undefined;
    };

export interface TurnUsage {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const defaultUsage: TurnUsage = { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** A turn ready to be sent. */
export interface ReplyTurn {
  readonly parts: readonly TurnPart[];
  readonly ending: TurnEnd;
  readonly usage: TurnUsage;
}

/** A value, or how to get it from the request that is being answered (say, an id out of a tool result). */
export type Scripted<T> = T | ((request: RecordedRequest) => T);

export type DraftPart =
  | { readonly kind: "text"; readonly text: Scripted<string> }
  | { readonly kind: "reasoning"; readonly text: Scripted<string> }
  | { readonly kind: "tool"; readonly name: string; readonly args: Scripted<object | string> }
  | { readonly kind: "gate"; readonly gate: ModelGate };

/** A turn as the script wrote it down. */
export interface DraftTurn {
  readonly parts: DraftPart[];
  ending: TurnEnd;
  usage: TurnUsage;
}

/** Fills in what depends on the request. Call ids are unique per server, so that a history can be matched to its session. */
export function resolveTurn(draft: DraftTurn, request: RecordedRequest): ReplyTurn {
  const parts = draft.parts.map((part, index): TurnPart => {
    switch (part.kind) {
      case "tool": {
        const args = given(part.args, request);
        const text = typeof args === "string" ? args : JSON.stringify(args);
        return { kind: "tool", id: `call_${request.number}_${index}`, name: part.name, args: text };
      }
      case "gate":
        return part;
      default:
        return { kind: part.kind, text: given(part.text, request) };
    }
  });
  return { parts, ending: draft.ending, usage: draft.usage };
}

function given<T>(value: Scripted<T>, request: RecordedRequest): T {
  return typeof value === "function" ? (value as (request: RecordedRequest) => T)(request) : value;
}
