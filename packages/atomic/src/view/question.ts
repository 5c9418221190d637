import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { formatTime } from "../report/amounts.ts";
import type { Question } from "./questions.ts";

/** The question, what can be chosen, and until when. */
export function questionText(question: Question, page: Page): string {
  const paint = painter(page.colour);
  const { header, text, options, until } = question;
  const head = header === undefined ? "" : `${paint("bold", safeLine(header))} `;
  const lead = `${paint("yellow", "?")} ${head}`;
  const rows = options.map(({ label, description }, at) => {
    const about = description === undefined ? "" : paint("dim", `  ${safeLine(description)}`);
    return `  ${paint("cyan", String(at + 1))} ${safeLine(label)}${about}\n`;
  });
  const late = until === undefined ? "" : paint("dim", `  until ${formatTime(until)}\n`);
  return paragraph(safeLine(text), page, { lead, indent: "  " }) + rows.join("") + late;
}

/** Something that can be typed, and what it does. */
export interface Suggestion {
  readonly command: string;
  readonly does: string;
}

/** The commands that answer it. */
export function howToAnswer(runId: string, question: Question, isOnly: boolean): readonly Suggestion[] {
  const command = `atomic approve ${runId}`;
  const key = isOnly ? "" : ` --key ${shellWord(question.key)}`;
  switch (question.kind) {
    case "approval":
    case "permission":
      return [
        { command: `${command}${key}`, does: "yes" },
        { command: `${command} --deny${key}`, does: "no" },
      ];
    case "choice": {
      const [first] = question.options;
      return [{ command: `${command} ${shellWord(first?.label ?? "1")}${key}`, does: "or another one" }];
    }
    case "text":
      return [{ command: `${command} "…"${key}`, does: "" }];
  }
}

/** One line each, with what it does as a comment, so that it can be copied as it is. */
export function suggestionLines(suggestions: readonly Suggestion[], page: Page): string {
  const paint = painter(page.colour);
  const width = Math.max(0, ...suggestions.map(({ command }) => command.length));
  return suggestions
    .map(({ command, does }) => {
      const comment = does === "" ? "" : paint("dim", `${" ".repeat(width - command.length)}  # ${does}`);
      return `    ${paint("cyan", safeLine(command))}${comment}\n`;
    })
    .join("");
}

/** What stands before the cursor of whoever is to answer. */
export function promptFor({ kind, multiple }: Question): string {
  switch (kind) {
    case "approval":
      return "  yes, no, or something else: ";
    case "permission":
      return "  yes or no: ";
    case "choice":
      return multiple ? "  numbers or names, with commas between them: " : "  number or name: ";
    case "text":
      return "  ";
  }
}

/** As a shell takes it for one word. */
export function shellWord(text: string): string {
  const shown = safeLine(text);
  return /^[\w./:@%+=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
