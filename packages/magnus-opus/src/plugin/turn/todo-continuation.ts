// An agent that stops with open todos is told to continue, after a countdown.
import { openBelow } from "../../background/task.ts";
import { waitsForPerson } from "../../run/gates.ts";
import { decideNudge, isOpenTodo, type NudgeHistory, notNudged, type Todo } from "../../turn/nudge.ts";
import { list, say } from "../../words/template.ts";
import { readyBackgroundOf } from "../background/loaded.ts";
import { TaskClient } from "../background/task-client.ts";
import type { Magnus } from "../live/magnus.ts";
import type { EventProperties, TurnHook, TurnMessage } from "./turn-hook.ts";

const defaultSeconds = 5;
/** OpenCode's planner ends its turn so that you can read the plan. */
const defaultSkipped: readonly string[] = ["plan"];

/** What a person does, or OpenCode on their behalf. Each of them ends a countdown. */
const cancelling: ReadonlySet<string> = new Set(["session.status", "command.executed", "session.compacted"]);

class TodoContinuation implements TurnHook {
  readonly #magnus: Magnus;
  readonly #client: TaskClient;
  readonly #seconds: number;
  readonly #skipped: readonly string[];
  /** As OpenCode reported them; a list from before this process started no longer counts. */
  readonly #todos = new Map<string, readonly Todo[]>();
  readonly #histories = new Map<string, NudgeHistory>();
  readonly #countdowns = new Map<string, { readonly timer: ReturnType<typeof setTimeout> | undefined }>();

  constructor(magnus: Magnus) {
    this.#magnus = magnus;
    this.#client = new TaskClient(magnus.context);
    const { seconds = defaultSeconds, skipAgents = defaultSkipped } = magnus.settings.config.todoContinuation ?? {};
    this.#seconds = seconds;
    this.#skipped = skipAgents;
  }

  onMessage({ session, typed }: TurnMessage): undefined {
    this.#cancel(session);
    if (typed !== "") this.#histories.delete(session);
  }

  onEvent(type: string, { sessionID: session, todos, status, reply }: EventProperties): void {
    if (session === undefined) return;
    const isRefused = type === "question.rejected" || (type === "permission.replied" && reply === "reject");
    if (type === "todo.updated" && todos !== undefined) {
      this.#todos.set(
        session,
        todos.map(({ content = "", status: is = "" }) => ({ content, status: is })),
      );
    } else if (type === "session.error" || isRefused) {
      this.#cancel(session);
      this.#histories.set(session, { ...(this.#histories.get(session) ?? notNudged), isStopped: true });
    } else if (cancelling.has(type) && status?.type !== "idle") {
      this.#cancel(session);
    } else if (type === "session.idle" && this.#openIn(session).length > 0) {
      this.#consider(session).catch((error: unknown) =>
        this.#magnus.opencode.notify(`The hook todo-continuation failed: ${error}`),
      );
    }
  }

  forget(session: string): void {
    this.#cancel(session);
    this.#todos.delete(session);
    this.#histories.delete(session);
  }

  close(): void {
    for (const session of [...this.#countdowns.keys()]) this.#cancel(session);
  }

  #openIn(session: string): readonly Todo[] {
    return (this.#todos.get(session) ?? []).filter(isOpenTodo);
  }

  #cancel(session: string): void {
    clearTimeout(this.#countdowns.get(session)?.timer);
    this.#countdowns.delete(session);
  }

  async #consider(session: string): Promise<void> {
    this.#cancel(session);
    const mine: { timer: ReturnType<typeof setTimeout> | undefined } = { timer: undefined };
    this.#countdowns.set(session, mine);
    const [info, messages = []] = await Promise.all([this.#client.session(session), this.#client.messages(session)]);
    // Something happened in the meantime.
    if (info === undefined || this.#countdowns.get(session) !== mine) return;
    const last = messages.at(-1);
    const agent = messages.findLast(({ info: { role } }) => role === "user")?.info.agent ?? "";
    const run = this.#magnus.runs.known(session)?.state;
    const background = readyBackgroundOf(this.#magnus)?.state;
    const decision = decideNudge(this.#histories.get(session) ?? notNudged, {
      ...{ todos: this.#todos.get(session) ?? [], agent, skipAgents: this.#skipped },
      isChild: info.parentID !== undefined,
      waitsForPerson: run !== undefined && (run.status.kind === "paused" || waitsForPerson(run)),
      said: (last?.parts ?? []).map((part) => (part.type === "text" ? (part.text ?? "") : "")).join(""),
      hasBackgroundTasks: background !== undefined && openBelow(background, session).length > 0,
    });
    const open = this.#openIn(session).length;
    const todosOpen = open === 1 ? "1 open todo" : `${open} open todos`;
    if (decision.do === "stop") {
      this.#histories.set(session, decision.history);
      this.#client.toast(`${agent} made no progress on its ${todosOpen}, so it was not asked again.`, "warning");
    }
    if (decision.do !== "nudge") return void this.#countdowns.delete(session);
    this.#client.toast(
      `${agent} has ${todosOpen} and continues in ${this.#seconds} s unless you write something.`,
      "info",
    );
    mine.timer = setTimeout(() => {
      this.#nudge(session, decision.history, agent).catch((error: unknown) =>
        this.#magnus.opencode.notify(`The hook todo-continuation failed: ${error}`),
      );
    }, this.#seconds * 1_000);
    mine.timer.unref();
  }

  /** The session keeps its agent and its model. */
  async #nudge(session: string, history: NudgeHistory, agent: string): Promise<void> {
    this.#countdowns.delete(session);
    if (await this.#client.isBusy(session)) return;
    this.#histories.set(session, history);
    const model = this.#magnus.models.get(session);
    const todos = this.#todos.get(session) ?? [];
    const text = say("turn/nudge", {
      open: String(history.open.length),
      total: String(todos.length),
      todos: list(history.open),
    });
    const refused = await this.#client.prompt(session, {
      agent,
      model,
      parts: [{ type: "text", text, synthetic: true }],
    });
    if (refused !== undefined && !refused.isGone) throw new Error(refused.why);
  }
}

export const todoContinuation = (magnus: Magnus): TurnHook => new TodoContinuation(magnus);
