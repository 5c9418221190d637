// Questions at a terminal: yes or no, one of several, or any text. Nothing typed before they are shown counts, and there
// is no answer at the end of the input, after Ctrl-C, and when the terminal is closed.
import type { Console } from "./console.ts";
import { safeLine } from "./safe-text.ts";
import { didYouMean } from "./suggest.ts";

type Terminal = Pick<Console, "stdin" | "stderr">;

/** What the typed words mean, or why they are not an answer. */
export type AnswerReading<Value> = { readonly value: Value } | { readonly problem: string };

/** Whether the user can see a question and answer it. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY;
}

/**
 * `Go ahead? [y/N]`: everything but a clear yes is a no.
 *
 * @param details Shows more before the question is asked again. It is offered as `d`.
 */
export async function askYesNo(
  { stdin, stderr }: Terminal,
  question: string,
  signal: AbortSignal,
  details?: () => void,
): Promise<boolean> {
  const prompt = `${question} [y/N${details === undefined ? "" : ", d for details"}] `;
  for (;;) {
    const answer = await stdin.ask(prompt, stderr, signal);
    // Enter moves the cursor to the next line; Ctrl-D and Ctrl-C do not.
    if (answer === undefined) stderr.write("\n");
    if (details === undefined || !/^\s*d(etails)?\s*$/i.test(answer ?? "")) return /^\s*y(es)?\s*$/i.test(answer ?? "");
    details();
  }
}

/**
 * Asks again until `read` accepts an answer; undefined if none comes. An empty line is not an answer: Enter may have been
 * hit by mistake, unless there is `more` to show first, which returns undefined when all has been shown, or `[y/N]` says
 * what it means.
 *
 * @example
 * await ask(console, "  number or name: ", signal, (words) => readChoice(words, ["SQLite", "Postgres"]));
 */
export async function ask<Value>(
  { stdin, stderr }: Terminal,
  prompt: string | (() => string),
  signal: AbortSignal,
  read: (words: string) => AnswerReading<Value> | Promise<AnswerReading<Value>>,
  more: () => string | undefined = () => undefined,
  emptyLine: AnswerReading<Value> = { problem: "Type an answer." },
): Promise<Value | undefined> {
  for (;;) {
    const words = await stdin.ask(typeof prompt === "string" ? prompt : prompt(), stderr, signal);
    if (words === undefined || signal.aborted) return undefined;
    const next = words.trim() === "" ? more() : undefined;
    if (next !== undefined) {
      stderr.write(next);
      continue;
    }
    const reading = words.trim() === "" ? emptyLine : await read(words);
    if ("value" in reading) return reading.value;
    stderr.write(`  ${safeLine(reading.problem)}\n`);
  }
}

/** What counts as yes and as no. The guides list these words. Words such as `cancel` are neither: they may mean either. */
export const yesWords: readonly string[] = ["yes", "y", "ok", "okay", "true", "approve", "approved", "allow"];
export const noWords: readonly string[] = ["no", "n", "nope", "false", "deny", "denied", "reject", "refuse"];

/**
 * In any case, and with a period or exclamation marks behind it. Undefined if it is neither: `yes,` and `yes…` may be the
 * beginning of something else.
 */
export function readYesNo(words: string): boolean | undefined {
  const word = words
    .trim()
    .toLowerCase()
    .replace(/(?:\.|!+)$/, "");
  if (yesWords.includes(word)) return true;
  return noWords.includes(word) ? false : undefined;
}

/** One of the labels, by name or by number. The start of a name is not enough: `no` would mean "Now". */
export function readChoice(words: string, labels: readonly string[]): AnswerReading<string> {
  const word = words.trim();
  if (word === "") return { problem: `Choose one of ${labels.join(", ")}.` };
  const typed = word.toLowerCase();
  const chosen =
    labels.find((label) => label.toLowerCase() === typed) ??
    (/^\d+$/.test(word) ? labels[Number(word) - 1] : undefined);
  if (chosen !== undefined) return { value: chosen };
  const [best] = didYouMean(word, labels);
  const meant = best === undefined ? "" : ` (did you mean ${best}?)`;
  return { problem: `"${word}" is not one of ${labels.join(", ")}${meant}.` };
}

/** Several of the labels, with commas between them. */
export function readChoices(words: string, labels: readonly string[]): AnswerReading<string[]> {
  const chosen: string[] = [];
  for (const part of labels.includes(words.trim()) ? [words] : words.split(",")) {
    const reading = readChoice(part, labels);
    if ("problem" in reading) return reading;
    chosen.push(reading.value);
  }
  return { value: chosen };
}

export function readText(words: string): AnswerReading<string> {
  return words.trim() === "" ? { problem: "Type some text." } : { value: words };
}
