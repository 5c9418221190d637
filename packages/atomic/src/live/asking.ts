import { isExplained } from "@atomic/durable-files/explained-error";
import { type AnswerReading, ask, readYesNo } from "@atomic/terminal/questions";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph, promptText } from "@atomic/terminal/wrap";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import type { AtomicContext } from "../context.ts";
import { sentences } from "../report/sentences.ts";
import {
  answerTo,
  howToAnswer,
  pagesOf,
  promptFor,
  questionText,
  type RunQuestion,
  signalsFor,
  suggestionLines,
} from "../view/questions.ts";
import { hasEnded } from "../view/run-status.ts";
import type { Watcher } from "./watcher.ts";

/** Asks you the questions of a run in the terminal, one after the other. */
export class Asking {
  readonly #context: AtomicContext;
  readonly #engine: LocalEngine;
  readonly #runId: string;
  readonly #watcher: Watcher;
  #open: readonly RunQuestion[] = [];
  #run: Pick<RunState, "status" | "signals"> | undefined;
  readonly #answered = new Set<string>();
  #current: { readonly key: string; readonly abort: AbortController } | undefined;
  #asked: Promise<void> = Promise.resolve();
  /** You no longer want to answer here. */
  #isLeft = false;

  constructor(context: AtomicContext, engine: LocalEngine, runId: string, watcher: Watcher) {
    this.#context = context;
    this.#engine = engine;
    this.#runId = runId;
    this.#watcher = watcher;
  }

  /** These are open now. One that no longer is needs no answer from here; the run says why. */
  look(all: readonly RunQuestion[], run: Pick<RunState, "status" | "signals">): void {
    this.#run = run;
    this.#next(all);
  }

  /** Until what is to be said about a question that is closed has been said. */
  async said(): Promise<void> {
    await this.#asked;
  }

  #next(all: readonly RunQuestion[]): void {
    // What was read a moment ago may not include an answer given since.
    const open = all.filter(({ key }) => !this.#answered.has(key));
    this.#open = open;
    const { key } = this.#current ?? {};
    if (key !== undefined && !open.some((each) => each.key === key)) this.#current?.abort.abort();
    const [first] = open;
    if (this.#current === undefined && first !== undefined && !this.#isLeft) this.#asked = this.#ask(first);
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  close(): void {
    this.#isLeft = true;
    this.#current?.abort.abort();
  }

  async #ask(question: RunQuestion): Promise<void> {
    const abort = new AbortController();
    this.#current = { key: question.key, abort };
    const { stderr, stdin } = this.#context;
    // Agents may ask for many permissions: the tree is not repeated for each.
    this.#watcher.pause(question.kind !== "permission");
    const canRefuse = question.kind === "approval" || question.kind === "permission";
    const wrapped = (prompt: string): string => promptText(prompt, stderr, { indent: "  " });
    const forMore = (shown: number, all: number): string =>
      wrapped(`  line ${shown} of ${all}; Enter for more${canRefuse ? ", or answer no" : ""}: `);
    const text = questionText(question, stderr);
    const { length } = text.split("\n");
    // Room for the last line of the page before, the prompt and what is typed.
    const taken = 2 + forMore(length, length).split("\n").length;
    const [first, ...rest] = pagesOf(text, Math.max(5, (stderr.rows ?? 24) - taken));
    const all = rest.at(-1)?.until ?? 0;
    let shown = first?.until ?? 0;
    stderr.write(first?.text ?? "");
    const prompt = (): string => (rest.length === 0 ? wrapped(promptFor(question)) : forMore(shown, all));
    const more = (): string | undefined => {
      const next = rest.shift();
      shown = next?.until ?? shown;
      return next?.text;
    };
    try {
      const take = async (words: string): Promise<AnswerReading<"answered" | "failed">> => {
        // What is asked for may be on the last page.
        const isTooEarly = rest.length > 0 && !(canRefuse && readYesNo(words) === false);
        return isTooEarly
          ? { problem: "Read the rest first: press Enter for more." }
          : await this.#take(question, words);
      };
      const result = await ask(this.#context, prompt, abort.signal, take, more);
      abort.signal.throwIfAborted();
      if (result !== "answered") this.#isLeft = true;
      if (result === undefined) {
        const how = this.#open.flatMap((each) => howToAnswer(this.#runId, each));
        stderr.write(`\n  You can also answer it from another terminal:\n${suggestionLines(how, stderr)}`);
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      // If it was answered here, the run was quick.
      if (!this.#answered.has(question.key)) {
        // Something may have been typed, which the shell would take for a command.
        stdin.forget?.();
        stderr.write(this.#isLeft ? "\n" : `\n  ${this.#whyClosed(question)}\n`);
      }
    } finally {
      this.#current = undefined;
      this.#watcher.resume();
    }
    this.#next(this.#open.filter(({ key }) => key !== question.key));
  }

  #whyClosed({ key }: RunQuestion): string {
    const { status, signals } = this.#run ?? {};
    if (signals?.has(key) === true) return "answered elsewhere";
    if (status?.kind === "cancelled" || status?.kind === "cancelling") return "the run was cancelled";
    return status !== undefined && hasEnded(status) ? "the run has ended" : "this question no longer needs an answer";
  }

  async #take(question: RunQuestion, words: string): Promise<AnswerReading<"answered" | "failed">> {
    const answer = answerTo(question, { words });
    if ("problem" in answer) return answer;
    try {
      for (const { key, value } of signalsFor(question, answer.value, this.#open)) {
        await this.#engine.signal(this.#runId, key, value);
        this.#answered.add(key);
      }
      return { value: "answered" };
    } catch (error) {
      if (!isExplained(error)) throw error;
      // Too long, or too late: then the question is about to be closed.
      if (error.code === "bad-request" || error.code === "run-ended") return { problem: error.message };
      // No other answer could be written down, either.
      const { stderr } = this.#context;
      const why = safeLine(sentences(error.message, error.hint));
      stderr.write(paragraph(why, stderr, { lead: "  ", indent: "  ", breakWords: true }));
      return { value: "failed" };
    }
  }
}
