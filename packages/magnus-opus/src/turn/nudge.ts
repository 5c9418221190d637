// When an agent stops although todos are open: whether it is told to continue.
import { asksPerson } from "./asks-person.ts";

export interface Todo {
  readonly content: string;
  readonly status: string;
}

/** What has happened since a person last wrote in the session. */
export interface NudgeHistory {
  readonly nudges: number;
  /** How many in a row after which no todo was closed. */
  readonly idle: number;
  /** The todos that were open at the last nudge, and those that were closed. */
  readonly open: readonly string[];
  readonly closed: readonly string[];
  /** Nothing continues until a person writes: they stopped it, it failed, or it got nowhere. */
  readonly isStopped: boolean;
}

export const notNudged: NudgeHistory = { nudges: 0, idle: 0, open: [], closed: [], isStopped: false };

export interface IdleSession {
  readonly todos: readonly Todo[];
  readonly agent: string;
  readonly skipAgents: readonly string[];
  /** Then the session that delegated to it decides what happens next. */
  readonly isChild: boolean;
  readonly waitsForPerson: boolean;
  /** What the agent said last. */
  readonly said: string;
  readonly hasBackgroundTasks: boolean;
}

export type NudgeDecision =
  | { readonly do: "nothing"; readonly because: string }
  | { readonly do: "nudge"; readonly history: NudgeHistory }
  | { readonly do: "stop"; readonly history: NudgeHistory };

/** Without progress. */
const mostIdleNudges = 2;
/** With progress: a list that grows as fast as it shrinks must end, too. */
export const mostNudges = 20;

export function isOpenTodo({ status }: Todo): boolean {
  return status !== "completed" && status !== "cancelled";
}

export function decideNudge(history: NudgeHistory, session: IdleSession): NudgeDecision {
  const because = whyNot(history, session);
  if (because !== undefined) return { do: "nothing", because };
  const open = session.todos.filter(isOpenTodo).map(({ content }) => content);
  const closed = session.todos.filter((todo) => !isOpenTodo(todo)).map(({ content }) => content);
  // A todo that was only renamed or removed is not done. Two may have the same text.
  const isProgress = history.open.some((content) => times(content, closed) > times(content, history.closed));
  const idle = history.nudges === 0 || isProgress ? 0 : history.idle;
  if (idle >= mostIdleNudges || history.nudges >= mostNudges)
    return { do: "stop", history: { ...history, isStopped: true } };
  return { do: "nudge", history: { nudges: history.nudges + 1, idle: idle + 1, open, closed, isStopped: false } };
}

function times(content: string, todos: readonly string[]): number {
  return todos.filter((each) => each === content).length;
}

function whyNot(history: NudgeHistory, session: IdleSession): string | undefined {
  if (!session.todos.some(isOpenTodo)) return "nothing is open";
  if (history.isStopped) return "it was stopped";
  if (session.isChild) return "it is a child session";
  if (session.skipAgents.includes(session.agent)) return "its agent is skipped";
  if (session.waitsForPerson) return "it waits for a person";
  if (asksPerson(session.said)) return "it asks a person";
  if (session.hasBackgroundTasks) return "background tasks are running";
  return undefined;
}
