import { markdownText } from "@atomic/terminal/markdown";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { type DialogQuestion, foldWords } from "@atomic/workflows/internal/view/dialog";
import type { DialogQueue } from "@atomic/workflows/internal/view/dialog-queue";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import { later } from "@atomic/workflows/internal/view/later";
import type { Notices } from "@atomic/workflows/internal/view/notices";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { type MagnusState, rootOf } from "../run/state.ts";
import {
  answerCommand,
  closedMessage,
  damageMessage,
  notSent,
  type PhaseQuestion,
  planCommand,
  questionOf,
  sentMessage,
} from "./phase-words.ts";
import { QuestionRound } from "./question-round.ts";
import { readShownFile } from "./shown-file.ts";
import type { FoundRuns, WatchedRun } from "./watched-runs.ts";

interface PhaseDialogsParts {
  readonly api: TerminalApi;
  readonly queue: DialogQueue;
  readonly guard: Guard;
  readonly notices: Notices;
}

/** Asks what the project's runs ask you, in dialogs, and says why one has closed by itself. */
export class PhaseDialogs {
  readonly #parts: PhaseDialogsParts;
  /** Asked in a dialog, or left for later: which run asks it, by its key. */
  readonly #asked = new Map<string, string>();
  /** Runs that cannot be read, and were named. */
  readonly #named = new Set<string>();
  readonly #round = new QuestionRound();

  constructor(parts: PhaseDialogsParts) {
    this.#parts = parts;
  }

  /** The project's runs as they are now. */
  look({ runs, damaged }: FoundRuns): void {
    const { api, queue, guard } = this.#parts;
    const open = new Set<string>();
    for (const { state } of runs) {
      const question = questionOf(state);
      if (question === undefined) continue;
      open.add(question.key);
      if (this.#asked.has(question.key)) continue;
      this.#asked.set(question.key, state.run);
      queue.add(question.key, () => this.#dialog(state, question));
      const notice = { title: "Magnus Opus", message: "A run needs your decision" };
      guard(async () => void (await api.attention.notify({ ...notice, sound: { name: "question" } })));
    }
    let unsent = "";
    for (const [key, run] of this.#asked) {
      if (open.has(key)) continue;
      const typed = queue.remove(key);
      if (typed === undefined) continue;
      if (damaged.has(run)) unsent = typed;
      else this.#warn(closedMessage(runs.find(({ state }) => state.run === run)), typed);
    }
    this.#report(damaged, unsent);
  }

  /** The next question that waits; what you type always has an answer. */
  open(runs: readonly WatchedRun[], damaged: FoundRuns["damaged"], session: string | undefined): void {
    const waiting = runs.flatMap(({ state }) => {
      const question = questionOf(state);
      return question === undefined ? [] : [{ state, question }];
    });
    const keys = waiting.map(({ question }) => question.key);
    const key = this.#round.next(keys, session);
    const next = waiting.find(({ question }) => question.key === key);
    if (next !== undefined) {
      this.#parts.queue.open(next.question.key, () => this.#dialog(next.state, next.question));
      return;
    }
    const message = "No plan or result is waiting for you";
    const damage = damageMessage(damaged);
    if (damage === undefined) this.#parts.notices.show({ variant: "info", message });
    else this.#warn(`${message}. ${damage}`);
  }

  /** Each run once, unless it could be read again in between. Last, so why a dialog is gone is what stays on the screen. */
  #report(damaged: FoundRuns["damaged"], unsent: string): void {
    for (const run of this.#named) if (!damaged.has(run)) this.#named.delete(run);
    const fresh = new Map([...damaged].filter(([run]) => !this.#named.has(run)));
    for (const run of fresh.keys()) this.#named.add(run);
    const message = damageMessage(fresh);
    if (message !== undefined) this.#warn(message, unsent);
  }

  #warn(message: string, typed = ""): void {
    const { notices, queue } = this.#parts;
    if (typed === "") {
      notices.show({ variant: "warning", message, duration: 10_000 });
      return;
    }
    // The next dialog would cover it.
    queue.hold();
    notices.showUnsent({ variant: "warning", message: message + notSent(typed) });
  }

  /** An answer is a command in the run's session, exactly as if you had typed it there. */
  #dialog(state: MagnusState, question: PhaseQuestion, notice = ""): DialogQuestion {
    const { queue, guard } = this.#parts;
    const shown = readShownFile(state, question);
    const version = shown?.kind === "shown" ? shown.version : undefined;
    const choices = question.choices.flatMap((choice) => {
      if (choice.value !== "approve") return choice;
      // What cannot be shown cannot be approved here.
      return version === undefined ? [] : { ...choice, value: `approve --shown=${version}` };
    });
    return {
      title: safeLine(`${question.title}  ${state.description}`),
      body: (columns) => {
        const lead = notice === "" ? "" : `${painter(true)("yellow", foldWords(notice, columns))}\n\n`;
        if (shown?.kind === "shown") return lead + markdownText(shown.text, { columns, colour: true }, { indent: "" });
        return lead + safeLine(state.description) + (shown === undefined ? "" : `\n\n${shown.because}`);
      },
      choices,
      size: "xlarge",
      onAnswer: ([value = later], words) => {
        if (value === later) return;
        // The plugin checks it as well, but its answer comes later.
        if (value.startsWith("approve --shown")) {
          const now = readShownFile(state, question);
          const isRead = now?.kind === "shown";
          if (!isRead || now.version !== version) {
            const message = isRead
              ? `${question.reads} changed while you were reading it, so nothing was approved. This is the new version.`
              : `${question.reads} can no longer be read, so nothing was approved.`;
            queue.open(question.key, () => this.#dialog(state, question, message));
            return;
          }
        }
        guard(async () => await this.#send(state, value, words), "you");
      },
      onLater: () => undefined,
    };
  }

  async #send(state: MagnusState, value: string, words: string | undefined): Promise<void> {
    const root = rootOf(state);
    if (root === undefined) throw new Error(`The run ${state.run} has no session.`);
    const answer = answerCommand(state, value, words);
    const { api, notices } = this.#parts;
    // Elsewhere, nothing shows it.
    if (api.route.current.params?.sessionID !== root)
      notices.show({ variant: "info", message: sentMessage(state, value) });
    // It ends when the agents have nothing left to do.
    const { error } = await api.client.session.command({ sessionID: root, ...answer });
    if (error === undefined) return;
    const problem = `The session ${root} did not accept /${answer.command}. Type it there, or try /${planCommand}`;
    throw new Error(problem + notSent(words ?? ""));
  }
}
