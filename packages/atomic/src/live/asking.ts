import { isExplained } from "@atomic/durable-files/explained-error";
import { type AnswerReading, ask, readYesNo } from "@atomic/terminal/questions";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { AtomicContext } from "../context.ts";
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
import type { Watcher } from "./watcher.ts";

/** Asks you the questions of a run in the terminal, one after the other. */
export class Asking {
  readonly #context: AtomicContext;
  readonly #engine: LocalEngine;
  readonly #runId: string;
  readonly #watcher: Watcher;
  #open: readonly RunQuestion[] = [];
  readonly #answered = new Set<string>();
  #current: { readonly key: string; readonly abort: AbortController } | undefined;
  /** You no longer want to answer here. */
  #isLeft = false;

  constructor(context: AtomicContext, engine: LocalEngine, runId: string, watcher: Watcher) {
    this.#context = context;
    this.#engine = engine;
    this.#runId = runId;
    this.#watcher = watcher;
  }

  /** These are open now. One that no longer is has been answered elsewhere. */
  look(all: readonly RunQuestion[]): void {
    // What was read a moment ago may not include an answer given since.
    const open = all.filter(({ key }) => !this.#answered.has(key));
    this.#open = open;
    const { key } = this.#current ?? {};
    if (key !== undefined && !open.some((each) => each.key === key)) this.#current?.abort.abort();
    const [first] = open;
    if (this.#current === undefined && first !== undefined && !this.#isLeft) void this.#ask(first);
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
    const { stderr } = this.#context;
    // Agents may ask for many permissions: the tree is not repeated for each.
    this.#watcher.pause(question.kind !== "permission");
    // Room for the last line of the page before, the prompt and what is typed.
    const [first, ...rest] = pagesOf(questionText(question, stderr), Math.max(5, (stderr.rows ?? 24) - 3));
    const all = rest.at(-1)?.until;
    let shown = first?.until;
    stderr.write(first?.text ?? "");
    const canRefuse = question.kind === "approval" || question.kind === "permission";
    const prompt = (): string =>
      rest.length === 0
        ? promptFor(question)
        : `  line ${shown} of ${all}; Enter for more${canRefuse ? ", or answer no" : ""}: `;
    const more = (): string | undefined => {
      const next = rest.shift();
      shown = next?.until;
      return next?.text;
    };
    try {
      const take = async (words: string): Promise<AnswerReading<true>> => {
        // What is asked for may be on the last page.
        const isTooEarly = rest.length > 0 && !(canRefuse && readYesNo(words) === false);
        return isTooEarly
          ? { problem: "Read the rest first: press Enter for more." }
          : await this.#take(question, words);
      };
      const answered = await ask(this.#context, prompt, abort.signal, take, more);
      abort.signal.throwIfAborted();
      if (answered === undefined) {
        this.#isLeft = true;
        const how = this.#open.flatMap((each) => howToAnswer(this.#runId, each));
        stderr.write(`\n  You can also answer it from another terminal:\n${suggestionLines(how, stderr)}`);
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      // Something may have been typed.
      stderr.write(this.#isLeft ? "\n" : "\n  answered elsewhere\n");
    } finally {
      this.#current = undefined;
      this.#watcher.resume();
    }
    this.look(this.#open.filter(({ key }) => key !== question.key));
  }

  async #take(question: RunQuestion, words: string): Promise<AnswerReading<true>> {
    const answer = answerTo(question, { words });
    if ("problem" in answer) return answer;
    try {
      for (const { key, value } of signalsFor(question, answer.value, this.#open)) {
        await this.#engine.signal(this.#runId, key, value);
        this.#answered.add(key);
      }
      return { value: true };
    } catch (error) {
      // Too long, or too late: then the question is about to be closed.
      if (isExplained(error)) return { problem: error.message };
      throw error;
    }
  }
}
