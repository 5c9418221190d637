// What the prompt line shows, and in which of its states it is. The state follows from the text, the cursor, and what
// you have closed.
import { safeLine } from "@atomic/terminal/safe-text";
import type { ValueSource } from "./argument-hint.ts";
import type { Line } from "./edit.ts";
import { type Catalog, type PromptEntry, suggest } from "./suggestions.ts";

export type Mode =
  /** Nothing, plain text, or a list or a hint that was closed. */
  | { readonly kind: "idle" }
  /** A name is being typed. */
  | {
      readonly kind: "suggesting";
      /** The word with its slash. */
      readonly from: number;
      readonly to: number;
      /** At least one. */
      readonly matches: readonly PromptEntry[];
      /** Undefined in the middle of a line, until one is chosen: Enter then belongs to the line. */
      readonly selected: number | undefined;
      /** With the arrows: the first one is selected before anything is chosen. */
      readonly isChosen: boolean;
    }
  /** The name is complete, and the arguments are missing. */
  | { readonly kind: "hint"; readonly hint: string }
  | { readonly kind: "arguments" }
  /** Values for the word at the cursor, which Tab asked for. */
  | {
      readonly kind: "completing";
      readonly from: number;
      readonly values: readonly string[];
      /** Those that begin with the word. At least one. */
      readonly matches: readonly string[];
      readonly selected: number;
    }
  /** Ctrl-R. `at`: the line of the history that is shown. */
  | { readonly kind: "searching"; readonly query: string; readonly at: number | undefined; readonly before: Line };

export interface PromptState extends Line {
  readonly mode: Mode;
  /** What Escape has closed: it stays closed until the word changes. */
  readonly closed: string | undefined;
  /** The line of the history that is shown, and what was typed before. */
  readonly recalled: { readonly at: number; readonly draft: string } | undefined;
  /** What was last removed, for Ctrl-Y. */
  readonly removed: string;
  /** Why the last key did nothing. Safe for a terminal. */
  readonly notice: string | undefined;
  /** Ctrl-C was pressed on an empty line: once more ends the program. */
  readonly isLeaving: boolean;
}

export interface PromptWorld {
  readonly catalog: Catalog;
  /** Those of the entries that mean something in a text for the host. Without it, all do. */
  readonly readByHost?: (entries: readonly PromptEntry[]) => readonly PromptEntry[];
  /** Newest first, each once. */
  readonly history: readonly string[];
}

/** What is to be done outside. */
export type Effect =
  /** A command was entered. `line` is all of it. */
  | { readonly kind: "run"; readonly entry: PromptEntry; readonly args: string; readonly line: string }
  /** Text for the host was entered. `line` is what has to be typed to enter it again. */
  | { readonly kind: "send"; readonly text: string; readonly line: string }
  /** Values are wanted, for the line as it is now. `words` are known already. */
  | {
      readonly kind: "complete";
      readonly sources: readonly ValueSource[];
      readonly words: readonly string[];
      readonly word: string;
    }
  /** There is no such name yet: it may be new. */
  | { readonly kind: "unknown"; readonly name: string }
  | { readonly kind: "expand" | "redraw" | "suspend" | "exit" };

export const emptyState: PromptState = {
  text: "",
  cursor: 0,
  mode: { kind: "idle" },
  closed: undefined,
  recalled: undefined,
  removed: "",
  notice: undefined,
  isLeaving: false,
};

interface SlashWord {
  readonly from: number;
  readonly to: number;
  /** Up to the cursor, without the slash. */
  readonly typed: string;
}

/** The word at the cursor, if it begins with a slash; `//` and a slash alone in the middle of a line do not count. */
function slashWordAt({ text, cursor }: Line): SlashWord | undefined {
  const from = cursor - (/\S*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
  if (from === cursor || text[from] !== "/" || text[from + 1] === "/") return undefined;
  const to = cursor + (/^\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
  if (from > 0 && to === from + 1) return undefined;
  return { from, to, typed: text.slice(from + 1, cursor) };
}

/** A line that begins with a slash, as a name and arguments. */
export function commandLine(text: string): { readonly name: string; readonly args: string | undefined } | undefined {
  const [all, name = "", space] = /^\/(?!\/)(\S+)(\s?)/.exec(text) ?? [];
  if (all === undefined) return undefined;
  return { name, args: space === "" ? undefined : text.slice(all.length) };
}

/** The word or the hint that Escape would close here. */
export function closableAt(line: Line): string | undefined {
  const word = slashWordAt(line);
  if (word !== undefined) return `${word.from}:${line.text.slice(word.from, word.to)}`;
  const command = commandLine(line.text);
  return command?.args === undefined ? undefined : `hint:${command.name}`;
}

export function modeOf(line: Line, closed: string | undefined, { catalog, readByHost }: PromptWorld): Mode {
  const { text, cursor } = line;
  const isClosed = closed !== undefined && closableAt(line) === closed;
  const word = slashWordAt(line);
  if (word !== undefined) {
    const isFirst = word.from === 0;
    const fitting = isClosed ? [] : suggest(catalog, word.typed, isFirst ? "fuzzy" : "prefix");
    const matches = isFirst || readByHost === undefined ? fitting : readByHost(fitting);
    if (matches.length > 0) {
      const { from, to } = word;
      return { kind: "suggesting", from, to, matches, selected: isFirst ? 0 : undefined, isChosen: false };
    }
    if (isFirst) return { kind: "idle" };
  }
  const command = commandLine(text);
  const entry = command?.args === undefined ? undefined : catalog.find(command.name);
  if (command?.args === undefined || entry === undefined) return { kind: "idle" };
  if (command.args.trim() !== "" || cursor < text.length) return { kind: "arguments" };
  const hint = safeLine(entry.hint ?? "");
  return isClosed || hint === "" ? { kind: "idle" } : { kind: "hint", hint };
}
