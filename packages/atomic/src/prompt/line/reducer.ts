// What a key does to the prompt line: the next state, and what is to be done outside.
import type { Key } from "@atomic/terminal/keys";
import { safeLine } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { needsArguments } from "./argument-hint.ts";
import { fittingAt, notInserted, stillFitting, wantedAt, withCommonStart, withValue } from "./complete-word.ts";
import {
  cut,
  insert,
  type Line,
  lineEnd,
  lineStart,
  nextCharacter,
  nextWord,
  previousCharacter,
  previousSpace,
  previousWord,
  settle,
  verticalMove,
} from "./edit.ts";
import {
  closableAt,
  commandLine,
  type Effect,
  emptyState,
  modeOf,
  type PromptState,
  type PromptWorld,
} from "./state.ts";
import { isNamedBy } from "./suggestions.ts";

export interface Step {
  readonly state: PromptState;
  readonly effects: readonly Effect[];
}

/** Besides keys: values that were asked for, and another world. */
export type PromptInput =
  | Key
  | { readonly kind: "offer"; readonly for: Line; readonly values: readonly string[] }
  | { readonly kind: "world" };

export function reduce(before: PromptState, input: PromptInput, world: PromptWorld): Step {
  if (input.kind === "world") return { state: renewed(before, world), effects: [] };
  if (input.kind === "offer") return { state: offered(before, input.for, input.values, world), effects: [] };
  const state: PromptState = { ...before, notice: undefined, isLeaving: false };
  if (input.kind === "press") {
    const key = input.key;
    if (state.mode.kind === "searching") return search(state, key, world);
    const inList = state.mode.kind === "suggesting" || state.mode.kind === "completing";
    const chosen = inList ? inOpenList(state, key, world) : undefined;
    return chosen ?? pressed(state, key, world, before.isLeaving);
  }
  if (state.mode.kind === "searching") {
    const query = state.mode.query + input.text.replaceAll("\n", " ");
    return found(state, query, 0, world);
  }
  return edited(state, insert(state, input.text), world);
}

function still(state: PromptState, ...effects: Effect[]): Step {
  return { state, effects };
}

/** The text has changed. */
function edited(state: PromptState, line: Line, world: PromptWorld, more: Partial<PromptState> = {}): Step {
  const closed = closableAt(line) === state.closed ? state.closed : undefined;
  const { mode } = state;
  const next: PromptState = {
    ...state,
    ...line,
    closed,
    recalled: undefined,
    ...more,
    mode: modeOf(line, closed, world),
  };
  if (mode.kind !== "completing") return still(next);
  // The list stays while the same word is typed.
  const matches = stillFitting(line, mode.from, mode.values, world);
  return still(matches.length === 0 ? next : { ...next, mode: { ...mode, matches, selected: 0 } });
}

function moved(state: PromptState, cursor: number, world: PromptWorld): Step {
  const line = { text: state.text, cursor };
  return still({ ...state, ...line, mode: modeOf(line, state.closed, world) });
}

/** A whole other line, in which nothing is open. */
function replaced(state: PromptState, text: string, more: Partial<PromptState>, world: PromptWorld): Step {
  const line = { text, cursor: text.length };
  const closed = closableAt(line);
  return still({ ...state, ...line, closed, ...more, mode: modeOf(line, closed, world) });
}

function renewed(state: PromptState, world: PromptWorld): PromptState {
  const { mode } = state;
  if (mode.kind === "searching" || mode.kind === "completing") return state;
  const next = modeOf(state, state.closed, world);
  if (mode.kind !== "suggesting" || next.kind !== "suggesting" || mode.selected === undefined)
    return { ...state, mode: next };
  const chosen = mode.matches[mode.selected];
  const selected = next.matches.findIndex(({ name }) => name === chosen?.name);
  return { ...state, mode: selected === -1 ? next : { ...next, selected, isChosen: mode.isChosen } };
}

/** Keys of a list: everything else is for the line. */
function inOpenList(state: PromptState, key: string, world: PromptWorld): Step | undefined {
  const { mode } = state;
  if (mode.kind !== "suggesting" && mode.kind !== "completing") return undefined;
  const { length } = mode.matches;
  const at = mode.selected;
  const select = (selected: number): Step =>
    still({
      ...state,
      mode: mode.kind === "suggesting" ? { ...mode, selected, isChosen: true } : { ...mode, selected },
    });
  switch (key) {
    case "down":
    case "ctrl+n":
      return select(at === undefined ? 0 : (at + 1) % length);
    case "up":
    case "ctrl+p":
    case "shift+tab":
      return select(at === undefined ? length - 1 : (at + length - 1) % length);
    case "pagedown":
      return select(Math.min(length - 1, (at ?? 0) + 8));
    case "pageup":
      return select(Math.max(0, (at ?? 0) - 8));
    case "escape":
      if (mode.kind === "completing") return still({ ...state, mode: modeOf(state, state.closed, world) });
      return moved({ ...state, closed: closableAt(state) }, state.cursor, world);
    case "tab":
    case "enter":
      break;
    default:
      return undefined;
  }
  if (mode.kind === "completing") {
    const value = mode.matches[mode.selected] ?? "";
    const line = withValue(state, mode.from, value, world);
    if (line === undefined) return still({ ...state, notice: notInserted(value) });
    return edited({ ...state, mode: { kind: "idle" } }, line, world);
  }
  const entry = mode.matches[at ?? 0];
  // In the middle of a line, Enter without a choice enters the line.
  if (entry === undefined || (key === "enter" && at === undefined)) return undefined;
  // Nothing was chosen, and the list fits only the word's beginning: Enter enters the line as it is.
  if (key === "enter" && !mode.isChosen && state.cursor < mode.to) return undefined;
  // A slash alone chooses nothing, least of all the command that is used most.
  if (key === "enter" && mode.from === 0 && !mode.isChosen && state.cursor <= 1)
    return still({ ...state, notice: "Type a name, or choose one with ↓." });
  const rest = state.text.slice(mode.to);
  if (key === "enter" && mode.from === 0 && (!needsArguments(entry.hint) || rest.trim() !== "")) {
    const typed = state.text.slice(1, state.cursor);
    // The first one is only the best match.
    if (!mode.isChosen && !isNamedBy(entry, typed)) return refused(state, typed, entry.name, "Tab inserts it.");
    const args = rest.trim();
    const line = `/${entry.name}${args === "" ? "" : ` ${args}`}`;
    return still({ ...emptyState, removed: state.removed }, { kind: "run", entry, args, line });
  }
  const before = `${state.text.slice(0, mode.from)}/${entry.name}`;
  const space = /^\s/.test(rest) ? "" : " ";
  return edited(state, settle(before + space + rest, before.length + 1), world);
}

function pressed(state: PromptState, key: string, world: PromptWorld, wasLeaving: boolean): Step {
  const { text, cursor } = state;
  const remove = (from: number, to: number, keeps = true): Step => {
    if (from === to) return still(state);
    const { line, removed } = cut(state, from, to);
    return edited(state, line, world, keeps ? { removed } : {});
  };
  switch (key) {
    case "enter":
      return text[cursor - 1] === "\\"
        ? edited(state, insert(cut(state, cursor - 1, cursor).line, "\n"), world)
        : submit(state, world);
    case "shift+enter":
    case "alt+enter":
    case "ctrl+enter":
    case "ctrl+j":
      return edited(state, insert(state, "\n"), world);
    case "tab":
      return wantValues(state, world);
    case "escape":
      if (state.mode.kind !== "hint") return still(state);
      return moved({ ...state, closed: closableAt(state) }, cursor, world);
    case "ctrl+c":
      if (text !== "") return still({ ...emptyState, removed: text });
      if (wasLeaving) return still(state, { kind: "exit" });
      return still({ ...state, isLeaving: true, notice: "Press Ctrl-C again to quit; Ctrl-D also does." });
    case "ctrl+d":
      return text === "" ? still(state, { kind: "exit" }) : remove(cursor, nextCharacter(state), false);
    case "backspace":
    case "shift+backspace":
      return remove(previousCharacter(state), cursor, false);
    case "delete":
      return remove(cursor, nextCharacter(state), false);
    case "ctrl+w":
      return remove(previousSpace(state), cursor);
    case "alt+backspace":
    case "ctrl+backspace":
      return remove(previousWord(state), cursor);
    case "alt+d":
    case "ctrl+delete":
      return remove(cursor, nextWord(state));
    case "ctrl+u":
      return remove(lineStart(state), cursor);
    case "ctrl+k":
      return remove(cursor, lineEnd(state));
    case "ctrl+y":
      return state.removed === "" ? still(state) : edited(state, insert(state, state.removed), world);
    case "left":
    case "ctrl+b":
      return moved(state, previousCharacter(state), world);
    case "right":
    case "ctrl+f":
      return moved(state, nextCharacter(state), world);
    case "alt+b":
    case "alt+left":
    case "ctrl+left":
      return moved(state, settle(text, previousWord(state)).cursor, world);
    case "alt+f":
    case "alt+right":
    case "ctrl+right":
      return moved(state, settle(text, nextWord(state)).cursor, world);
    case "home":
    case "ctrl+a":
      return moved(state, lineStart(state), world);
    case "end":
    case "ctrl+e":
      return moved(state, lineEnd(state), world);
    case "up":
    case "ctrl+p":
      return vertical(state, -1, world);
    case "down":
    case "ctrl+n":
      return vertical(state, 1, world);
    case "ctrl+r":
      return still({ ...state, mode: { kind: "searching", query: "", at: undefined, before: { text, cursor } } });
    case "ctrl+o":
      return still(state, { kind: "expand" });
    case "ctrl+l":
      return still(state, { kind: "redraw" });
    case "ctrl+z":
      return still(state, { kind: "suspend" });
    case "space":
    case "shift+space":
      return edited(state, insert(state, " "), world);
    default:
      return still(state);
  }
}

/** Within a text of several lines, and then through the history. */
function vertical(state: PromptState, by: -1 | 1, world: PromptWorld): Step {
  const cursor = verticalMove(state, by);
  // A list that opened on the way would take the arrows.
  if (cursor !== undefined) return moved({ ...state, closed: closableAt({ text: state.text, cursor }) }, cursor, world);
  const at = (state.recalled?.at ?? -1) - by;
  if (at >= world.history.length || (at < 0 && state.recalled === undefined)) return still(state);
  const draft = state.recalled?.draft ?? state.text;
  if (at < 0) return replaced(state, draft, { recalled: undefined }, world);
  return replaced(state, world.history[at] ?? "", { recalled: { at, draft } }, world);
}

function submit(state: PromptState, { catalog }: PromptWorld): Step {
  const line = state.text.trimEnd();
  const next: PromptState = { ...emptyState, removed: state.removed };
  if (line.trim() === "") return still(next);
  const command = commandLine(line);
  if (command === undefined) {
    const text = line.trim();
    // Without the space it would be a command.
    return still(next, { kind: "send", text, line: commandLine(text) === undefined ? text : ` ${text}` });
  }
  const entry = catalog.find(command.name);
  if (entry !== undefined) return still(next, { kind: "run", entry, args: (command.args ?? "").trim(), line });
  const [best] = didYouMean(
    command.name,
    catalog.entries.map(({ name }) => name),
  );
  return refused(state, command.name, best, "To send text that starts with a slash, begin with a space.");
}

/** There is no such name. */
function refused(state: PromptState, name: string, best: string | undefined, next: string): Step {
  const meant = best === undefined ? "" : ` Did you mean /${safeLine(best)}?`;
  return still({ ...state, notice: `There is no /${safeLine(name)}.${meant} ${next}` }, { kind: "unknown", name });
}

function wantValues(state: PromptState, world: PromptWorld): Step {
  const wanted = wantedAt(state, world);
  if (wanted === undefined) return still(state);
  return wanted.sources.length === 0 ? still(offered(state, state, wanted.words, world)) : still(state, wanted);
}

/** One value is inserted; of several, what they have in common, and then they are shown. */
function offered(state: PromptState, line: Line, values: readonly string[], world: PromptWorld): PromptState {
  if (line.text !== state.text || line.cursor !== state.cursor || state.mode.kind === "searching") return state;
  const found = fittingAt(line, values, world);
  if ("isComplete" in found) return { ...state, notice: found.isComplete ? undefined : "Nothing to complete here." };
  const { word, matches } = found;
  const { from } = word;
  const only = matches.length === 1 ? withValue(line, from, matches[0] ?? "", world) : undefined;
  if (only !== undefined) return edited(state, only, world).state;
  const longer = matches.length === 1 ? undefined : withCommonStart(line, found, world);
  const next = longer === undefined ? state : edited(state, longer, world).state;
  return { ...next, mode: { kind: "completing", from, values: found.values, matches, selected: 0 } };
}

/** Ctrl-R: shows the newest line of the history that contains what is typed. */
function search(state: PromptState, key: string, world: PromptWorld): Step {
  const { mode } = state;
  if (mode.kind !== "searching") return still(state);
  const accept = (): Step => replaced(state, state.text, { recalled: undefined }, world);
  switch (key) {
    case "ctrl+r":
    case "up":
      return found(state, mode.query, (mode.at ?? -1) + 1, world);
    case "ctrl+s":
    case "down":
      return mode.at === undefined || mode.at === 0 ? still(state) : foundBefore(state, mode.query, mode.at - 1, world);
    case "backspace":
      return found(state, [...mode.query].slice(0, -1).join(""), 0, world);
    case "space":
      return found(state, `${mode.query} `, 0, world);
    case "ctrl+c":
    case "ctrl+g":
      return moved({ ...state, text: mode.before.text, mode: { kind: "idle" } }, mode.before.cursor, world);
    case "enter":
      return mode.at === undefined ? accept() : submit(accept().state, world);
    default: {
      const { state: accepted } = accept();
      return key === "escape" || key === "tab" ? still(accepted) : pressed(accepted, key, world, false);
    }
  }
}

function found(state: PromptState, query: string, from: number, { history }: PromptWorld): Step {
  const { mode } = state;
  if (mode.kind !== "searching") return still(state);
  const typed = query.toLowerCase();
  const at = query === "" ? -1 : history.findIndex((line, n) => n >= from && line.toLowerCase().includes(typed));
  if (at === -1) {
    // What was found before stays.
    const isSame = query === mode.query;
    const line = isSame ? state : mode.before;
    const notice = query === "" || isSame ? undefined : "No such line in the history.";
    return still({
      ...state,
      text: line.text,
      cursor: line.cursor,
      notice,
      mode: { ...mode, query, at: isSame ? mode.at : undefined },
    });
  }
  const text = history[at] ?? "";
  return still({ ...state, text, cursor: text.length, mode: { ...mode, query, at } });
}

function foundBefore(state: PromptState, query: string, until: number, world: PromptWorld): Step {
  const typed = query.toLowerCase();
  const at = world.history.findLastIndex((line, n) => n <= until && line.toLowerCase().includes(typed));
  return at === -1 ? still(state) : found(state, query, at, world);
}
