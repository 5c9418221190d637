// How the tour prints: text that fits 80 columns, what programs print, and a line that shows that something is at work.
import { consoleOf } from "@atomic/terminal/console";
import { painter } from "@atomic/terminal/paint";
import { progressLine } from "@atomic/terminal/progress-line";
import { paragraph } from "@atomic/terminal/wrap";

export const console = consoleOf(process, "tour");
export const isTerminal = process.stdout.isTTY === true && process.env.TERM !== "dumb";
const paint = painter(isTerminal && !process.env.NO_COLOR);
const page = { columns: Math.min(process.stdout.columns ?? 80, 80), colour: false };
const progress = progressLine({ ...console, canRedraw: isTerminal, isSilent: !isTerminal });

/** A paragraph of the story. */
export function say(text: string): void {
  write(`\n${paragraph(text, page, { indent: "" })}`);
}

export function chapter(number: number, title: string): void {
  write(`\n${paint("bold", `── ${number} of 3 ── ${title}`)}\n`);
}

/** A command, as it would be typed. */
export function typed(text: string): void {
  write(`\n${paint("cyan", paragraph(text, page, { indent: "    " }).trimEnd())}\n\n`);
}

/** A file's text, or a part of it. */
export function showFile(name: string, text: string): void {
  write(`\n${paint("dim", `── ${name}`)}\n${text.trimEnd()}\n`);
}

export function write(text: string): void {
  progress.end();
  process.stdout.write(text);
}

/** Shows, until something is written, that this is at work. */
export function working(what: string): void {
  progress.step(what);
}

/** Shows that something is at work until it is done. */
export async function during<T>(what: string, work: Promise<T>): Promise<T> {
  working(what);
  return await work.finally(() => progress.end());
}
