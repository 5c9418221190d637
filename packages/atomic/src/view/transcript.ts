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

/** One thing that an agent was told, said or did. */
export interface TranscriptPart {
  readonly kind: "system" | "prompt" | "agent" | "call" | "result" | "failure" | "diff" | "warning" | "note";
  readonly heading: string;
  readonly text: string;
  /** Of a tool call and its result, which belong together. */
  readonly id?: string;
}

/** In the order in which it happened. Texts that an agent said in a row are one. */
export function transcriptParts(notes: readonly StepNote[]): readonly TranscriptPart[] {
  const parts: TranscriptPart[] = [];
  for (const { note } of notes) {
    const { type, text, system, tool, input, ok, output, diff, reason, id, isTooLong } = (
      typeof note === "object" && note !== null && !Array.isArray(note) ? note : { type: "note", text: note }
    ) as { readonly [name: string]: Json };
    const left = isTooLong === true ? "(too long to be recorded)" : undefined;
    if (type === "prompt") {
      if (system !== undefined) parts.push({ kind: "system", heading: "system prompt", text: textOf(system) });
      parts.push({ kind: "prompt", heading: "prompt", text: left ?? textOf(text) });
    } else if (type === "text") {
      const last = parts.at(-1);
      if (last?.kind === "agent") parts[parts.length - 1] = { ...last, text: last.text + textOf(text) };
      else parts.push({ kind: "agent", heading: "agent", text: left ?? textOf(text) });
    } else if (type === "tool-started") {
      const heading = `${textOf(tool)} was called`;
      parts.push({ kind: "call", heading, text: left ?? textOf(input), id: textOf(id) });
    } else if (type === "tool-ended") {
      const [kind, how] = ok === false ? (["failure", "failed"] as const) : (["result", "returned"] as const);
      parts.push({ kind, heading: `${textOf(tool)} ${how}`, text: left ?? textOf(output), id: textOf(id) });
    } else if (type === "files-changed") {
      parts.push({ kind: "diff", heading: "files changed", text: left ?? textOf(diff) });
    } else if (type === "retrying" || type === "permission-denied") {
      parts.push({ kind: "warning", heading: textOf(type).replace("-", " "), text: textOf(reason) });
    } else if (type === "note") parts.push({ kind: "note", heading: "note", text: textOf(text) });
  }
  return parts;
}

const colours: Readonly<Record<TranscriptPart["kind"], Colour>> = {
  system: "dim",
  prompt: "bold",
  agent: "cyan",
  call: "yellow",
  result: "dim",
  failure: "red",
  diff: "green",
  warning: "yellow",
  note: "dim",
};

/** Paragraphs with a heading each. Texts are shown as they are, except for what a terminal would obey. */
export function transcriptText(notes: readonly StepNote[], page: Page): string {
  const paint = painter(page.colour);
  return transcriptParts(notes)
    .map(({ kind, heading, text }) => {
      const lines = escapeForTerminal(text.trimEnd()).split("\n");
      const shown = lines.map((line) => `  ${line}`.trimEnd()).join("\n");
      return `${paint(colours[kind], safeLine(heading))}\n${text.trim() === "" ? "" : `${shown}\n`}`;
    })
    .join("\n");
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
