// What an agent was told, said and did in one node, for people. Pure.
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import type { StepNote } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";

/** The notes of a call: its own, and those of the session that it uses. */
export function notesOf(notes: readonly StepNote[], key: string): StepNote[] {
  return notes.filter((note) => note.key === key || note.key === `${key}:session`);
}

/** Paragraphs with a heading each. Texts are shown as they are, except for what a terminal would obey. */
export function transcriptText(notes: readonly StepNote[], page: Page): string {
  const paint = painter(page.colour);
  const parts: { heading: string; colour: Colour; text: string; isOpen?: boolean }[] = [];
  for (const { note } of notes) {
    const { type, text, system, tool, input, ok, output, diff, reason } = (
      typeof note === "object" && note !== null && !Array.isArray(note) ? note : { type: "note", text: note }
    ) as { readonly [name: string]: Json };
    if (type === "prompt") {
      if (system !== undefined) parts.push({ heading: "system prompt", colour: "dim", text: textOf(system) });
      parts.push({ heading: "prompt", colour: "bold", text: textOf(text) });
    } else if (type === "text") {
      const last = parts.at(-1);
      if (last?.isOpen === true) last.text += textOf(text);
      else parts.push({ heading: "agent", colour: "cyan", text: textOf(text), isOpen: true });
    } else if (type === "tool-started") {
      parts.push({ heading: `${textOf(tool)} was called`, colour: "yellow", text: textOf(input) });
    } else if (type === "tool-ended") {
      const how = ok === false ? "failed" : "returned";
      parts.push({ heading: `${textOf(tool)} ${how}`, colour: ok === false ? "red" : "dim", text: textOf(output) });
    } else if (type === "files-changed") {
      parts.push({ heading: "files changed", colour: "green", text: textOf(diff) });
    } else if (type === "retrying" || type === "permission-denied") {
      parts.push({ heading: textOf(type).replace("-", " "), colour: "yellow", text: textOf(reason) });
    } else if (type === "note") parts.push({ heading: "note", colour: "dim", text: textOf(text) });
  }
  return parts
    .map(({ heading, colour, text }) => {
      const lines = escapeForTerminal(text.trimEnd()).split("\n");
      const shown = lines.map((line) => `  ${line}`.trimEnd()).join("\n");
      return `${paint(colour, safeLine(heading))}\n${text.trim() === "" ? "" : `${shown}\n`}`;
    })
    .join("\n");
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
