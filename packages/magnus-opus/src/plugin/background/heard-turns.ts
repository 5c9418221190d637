// What OpenCode's events say about a task's turn. If they say how it ended, OpenCode need not be asked.
import type { Found } from "../../background/event.ts";
import type { TaskMessage } from "./task-client.ts";

interface HeardTurn {
  /** The newest message of the agent, and its texts by part. */
  last?: TaskMessage["info"];
  texts: Map<string, string>;
  openTodos: number;
}

interface Heard {
  readonly info?: TaskMessage["info"];
  readonly part?: TaskMessage["parts"][number] & { readonly id?: string; readonly messageID?: string };
  readonly todos?: readonly { readonly status?: string }[];
}

export class HeardTurns {
  readonly #turns = new Map<string, HeardTurn>();

  /** A turn begins: what was heard before is about an earlier one. */
  begin(session: string): void {
    this.#turns.set(session, { texts: new Map(), openTodos: 0 });
  }

  forget(session: string): void {
    this.#turns.delete(session);
  }

  onEvent(session: string, type: string, { info, part, todos }: Heard): void {
    const turn = this.#turns.get(session);
    if (turn === undefined) return;
    if (type === "message.updated" && info?.role === "assistant") {
      if (turn.last?.id !== info.id) turn.texts.clear();
      turn.last = info;
    }
    const isSaid = part?.type === "text" && part.synthetic !== true && part.messageID === turn.last?.id;
    if (type === "message.part.updated" && isSaid) turn.texts.set(part.id ?? "", part.text ?? "");
    if (type === "todo.updated" && todos !== undefined) turn.openTodos = openOf(todos);
  }

  /** How the turn ended; undefined unless the events leave no doubt. */
  found(session: string): Found | undefined {
    const { last, texts, openTodos } = this.#turns.get(session) ?? {};
    const isFinished = last?.time?.completed !== undefined && last.finish !== undefined && last.finish !== "tool-calls";
    if (!isFinished || last.error !== undefined || texts === undefined) return undefined;
    const text = [...texts.values()].join("\n").trim();
    return { kind: "ended", isAnswered: true, text, openTodos: openTodos ?? 0 };
  }
}

export function openOf(todos: readonly { readonly status?: string }[]): number {
  return todos.filter(({ status }) => status !== "completed" && status !== "cancelled").length;
}
