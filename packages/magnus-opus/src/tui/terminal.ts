// What the plugin adds to OpenCode's terminal, once OpenCode has started.
import { readFileSync, statSync } from "node:fs";
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
import { answerCommand, type PhaseQuestion, planCommand, questionOf, sidebarText, statusLine } from "./phase-words.ts";
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
  const openWaiting = (): void => {
    const [first] = runs.get().flatMap(({ state }) => {
      const question = questionOf(state);
      return question === undefined ? [] : [{ state, question }];
    });
    if (first !== undefined) queue.open(first.question.key, () => dialogFor(api, guard, first.state, first.question));
    else api.ui.toast({ variant: "info", title: "Magnus Opus", message: "No plan or result is waiting for you" });
  };
  api.keymap.registerLayer({
    commands: [
      {
        ...{ name: "magnus.plan", title: "Magnus Opus: what waits for you", category: "Magnus Opus" },
        ...{ namespace: "palette", slashName: planCommand, desc: "Opens the plan or the result that waits for you" },
        run: () => guard(openWaiting, "you"),
      },
    ],
  });
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
  const isFile = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const text = isFile ? readFileSync(file, "utf8") : "";
  const without = question.reads === undefined ? "" : `\n\n${question.reads} cannot be shown: it is not a file.`;
  return {
    title: safeLine(`${question.title}  ${state.description}`),
    body: (columns) =>
      isFile ? markdownText(text, { columns, colour: true }, { indent: "" }) : safeLine(state.description) + without,
    choices: question.choices,
    size: "xlarge",
    onAnswer: ([value = "later"], words) => {
      if (value === "later") return;
      guard(async () => {
        const root = rootOf(state);
        if (root === undefined) throw new Error(`The run ${state.run} has no session.`);
        const answer = answerCommand(state, value, words);
        // It ends when the agents have nothing left to do.
        const { error } = await api.client.session.command({ sessionID: root, ...answer });
        if (error === undefined) return;
        throw new Error(`The session ${root} did not accept /${answer.command}. Type it there, or try /${planCommand}`);
      }, "you");
    },
    onLater: () => undefined,
  };
}
