// What the plugin adds to OpenCode's terminal, once OpenCode has started.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { markdownText } from "@atomic/terminal/markdown";
import { safeLine } from "@atomic/terminal/safe-text";
import type { DialogQuestion } from "@atomic/workflows/internal/view/dialog";
import { DialogQueue } from "@atomic/workflows/internal/view/dialog-queue";
import { box, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import { promptInput } from "@atomic/workflows/internal/view/prompt-input";
import { screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { isOver, type MagnusState, rootOf } from "../run/state.ts";
import { workplaceOf } from "../sessions/workplace.ts";
import { type PhaseQuestion, questionOf, sidebarText, statusLine } from "./phase-words.ts";
import { type WatchedRun, WatchedRuns } from "./watched-runs.ts";

/** The width of OpenCode's sidebar without its margins. */
const sidebarColumns = 37;

export async function showPhases(api: TerminalApi, guard: Guard): Promise<void> {
  const { directory, worktree } = api.state.path;
  const place = workplaceOf({ directory: directory || process.cwd(), worktree });
  const queue = new DialogQueue(api, promptInput(api), guard);
  const runs = screenState<readonly WatchedRun[]>([]);
  /** Asked in a dialog, or left for later. */
  const asked = new Set<string>();
  const look = (now: readonly WatchedRun[]): void => {
    runs.set(now);
    const open = new Set<string>();
    for (const { state } of now) {
      const question = questionOf(state);
      if (question === undefined) continue;
      open.add(question.key);
      if (asked.has(question.key)) continue;
      asked.add(question.key);
      queue.add(question.key, () => dialogFor(api, guard, state, question));
      const notice = {
        title: "Magnus Opus",
        message: "A run needs your decision",
        sound: { name: "question" },
      } as const;
      guard(async () => void (await api.attention.notify(notice)));
    }
    for (const key of queue.keys) if (!open.has(key)) queue.remove(key);
  };
  const watched = new WatchedRuns(place.directory, {
    changed: (now) => guard(() => look(now)),
    failed: (error) =>
      guard(() => {
        throw error;
      }),
  });
  api.lifecycle.onDispose(() => watched.close());
  api.slots.register({
    order: 80,
    slots: {
      app_bottom: () => {
        const size = screenSize();
        const text = (): string => statusLine(runs.get(), size().width - 4);
        return box({ paddingLeft: 2, height: () => (text() === "" ? 0 : 1) }, painted(api, text));
      },
      sidebar_content: () =>
        box({}, () => {
          const shown = runs.get().find(({ state }) => !isOver(state)) ?? runs.get()[0];
          return shown === undefined ? null : painted(api, () => sidebarText(shown, sidebarColumns));
        }),
    },
  });
  watched.look();
}

/** An answer is a command in the run's session, exactly as if you had typed it there. */
function dialogFor(api: TerminalApi, guard: Guard, state: MagnusState, question: PhaseQuestion): DialogQuestion {
  const file = question.reads === undefined ? undefined : join(state.worktree, state.folder, question.reads);
  const text = file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : "";
  return {
    title: safeLine(`${question.title}  ${state.description}`),
    body: (columns) =>
      text === "" ? safeLine(state.description) : markdownText(text, { columns, colour: true }, { indent: "" }),
    choices: question.choices,
    size: "xlarge",
    onAnswer: ([value = "later"], words) => {
      if (value === "later") return;
      guard(async () => {
        const [command = "", ...flags] = value.split(" ");
        const root = rootOf(state);
        if (root === undefined) throw new Error(`The run ${state.run} has no session.`);
        const input = { sessionID: root, command, arguments: [...flags, words ?? ""].join(" ").trim() };
        // It ends when the agents have nothing left to do.
        const { error } = await api.client.session.command(input);
        if (error !== undefined) throw new Error(`/${command} was not accepted by the session ${root}.`);
      });
    },
    onLater: () => undefined,
  };
}
