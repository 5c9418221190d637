// A dialog that shows a text and asks for a decision. Its keys call functions: OpenCode's own dialogs react to commands, which
// an agent could send to OpenCode's server.

import { painter } from "@atomic/terminal/paint";
import { displayWidth, truncate } from "@atomic/terminal/width";
import { foldLines, paragraph } from "@atomic/terminal/wrap";
import { createMemo, createSignal } from "solid-js";
import { answerField, choiceRow } from "./dialog-elements.ts";
import {
  type ChoiceList,
  choiceList,
  type DialogLayout,
  dialogLayout,
  firstRow,
  type ListPosition,
  linesFrom,
  moved,
} from "./dialog-layout.ts";
import { box, painted, screenSize } from "./elements.ts";
import type { KeyBinding, TerminalApi, TerminalElement } from "./terminal-api.ts";

export interface DialogChoice {
  /** One safe line. */
  readonly title: string;
  readonly description?: string | undefined;
  readonly value: string;
  /** Choosing it asks for words first; this is what the empty field shows. */
  readonly asksFor?: string;
  /** It agrees to nothing, so it can be chosen before all of the text has been on the screen. */
  readonly isHarmless?: true;
}

export interface DialogQuestion {
  /** One safe line. */
  readonly title: string;
  /** Safe, painted lines. Those that are wider are continued below, so no part of a question is cut off. */
  body(columns: number): string;
  /** The first one is selected, so it should be harmless. */
  readonly choices: readonly DialogChoice[];
  /** Several choices: the space bar marks them. */
  readonly isMultiple?: boolean;
  readonly size: "medium" | "large" | "xlarge";
  /** What Esc does: a question that you asked yourself is not kept for later. */
  readonly esc?: "back";
  /** Several values are of the marked choices. */
  onAnswer(values: readonly string[], words: string | undefined): void;
  /** The dialog was closed without an answer. */
  onLater(): void;
}

/** What was typed for an answer. It outlives the dialog, so it is there again when the question is opened again. */
export interface AnswerDraft {
  words: string;
}

const widths = { medium: 60, large: 88, xlarge: 116 } as const;
const margin = 2;
const fieldRows = 3;
/**
 * A new dialog accepts no answer for this long, and Enter pressed meanwhile starts the time again: it was meant for what was on the
 * screen before. A key that is held down repeats sooner than this.
 */
const settlingMs = 700;

/** What is drawn now; the keys depend on it. */
interface DrawnDialog {
  readonly list: () => ChoiceList;
  readonly layout: () => DialogLayout;
  readonly firstLine: () => number;
  /** Shows the text from this line on, or from the last one that leaves no empty rows. */
  readonly scrollTo: (line: number) => void;
  /** The end of the text has been on the screen, and so has all before it. */
  readonly isRead: () => boolean;
  /** The selected choice has rows below those that are shown. */
  readonly continues: () => boolean;
}

const continued = "This choice continues below: ↓ shows the rest.";

/** Opens the dialog; returns how to close it without an answer, which returns what was typed into it. */
export function openDialog(
  api: TerminalApi,
  question: DialogQuestion,
  draft: AnswerDraft = { words: "" },
): () => string {
  const { choices, isMultiple = false, size, esc = "later" } = question;
  const [position, setPosition] = createSignal<ListPosition>({ selected: 0, top: 0 });
  const [marked, mark] = createSignal<ReadonlySet<number>>(new Set());
  const onlyWords = choices.length === 1 && choices[0]?.asksFor !== undefined;
  const [writing, write] = createSignal<DialogChoice | undefined>(onlyWords ? choices[0] : undefined);
  /** Lines are of a width: in another, the text is read from its beginning. */
  const [scrolled, setScrolled] = createSignal({ line: 0, columns: 0 });
  const [isSettled, setSettled] = createSignal(false);
  /** It disappears as soon as it is no longer true. */
  const [notice, setNotice] = createSignal({ text: (): string | undefined => undefined });
  const say = (text: () => string | undefined): void => setNotice({ text });
  const saidNothing = (): void => say(() => undefined);
  let field: TerminalElement | undefined;
  let drawn: DrawnDialog | undefined;
  let isOver = false;
  let settling: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(settling);
    settling = setTimeout(() => setSettled(true), settlingMs);
  };
  settle();
  const finish = (then: () => void): void => {
    if (isOver) return;
    isOver = true;
    release();
    api.ui.dialog.clear();
    then();
  };
  /** The field reports what is typed a moment after the keys. */
  const keepDraft = (): void => {
    if (field !== undefined && field.isDestroyed !== true) draft.words = field.plainText ?? "";
  };
  const typed = (): string => {
    keepDraft();
    return draft.words.trim();
  };
  /** Why it cannot be chosen yet: you cannot agree to what you have not seen. */
  const problemWith = (choice: DialogChoice): string | undefined => {
    if (drawn === undefined) return "";
    if (writing() === undefined && drawn.continues()) return continued;
    if (choice.isHarmless !== true && !drawn.isRead()) return "Read the rest first: pgdn shows more.";
    return undefined;
  };
  const submit = (): void => {
    if (!isSettled()) {
      settle();
      return;
    }
    const choice = writing() ?? choices[position().selected];
    if (choice === undefined) return;
    if (problemWith(choice) !== undefined) say(() => problemWith(choice));
    else if (writing() !== undefined) {
      const words = typed();
      if (words === "") say(() => "Nothing is typed yet: type your answer first.");
      else finish(() => question.onAnswer([choice.value], words));
    } else if (isMultiple) {
      const values = [...marked()].sort((a, b) => a - b).flatMap((at) => choices[at]?.value ?? []);
      const unmarked = "Nothing is marked yet: press space to mark a choice.";
      if (values.length === 0) say(() => (marked().size === 0 ? unmarked : undefined));
      else finish(() => question.onAnswer(values, undefined));
    } else if (choice.asksFor !== undefined) write(choice);
    else finish(() => question.onAnswer([choice.value], undefined));
  };
  const move = (by: 1 | -1): void => {
    if (drawn !== undefined) setPosition(moved(position(), by, drawn.list(), drawn.layout().choiceRows));
  };
  const toggle = (): void => {
    if (drawn?.continues()) {
      say(() => (drawn?.continues() ? continued : undefined));
      return;
    }
    const next = new Set(marked());
    if (!next.delete(position().selected)) next.add(position().selected);
    mark(next);
  };
  const click = (choice: number): void => {
    if (choice !== position().selected) setPosition({ selected: choice, top: 0 });
    if (isMultiple) toggle();
    else submit();
  };
  const leaveField = (): void => {
    keepDraft();
    field = undefined;
    write(undefined);
  };
  /** One line stays, to find the place. */
  const page = (by: 1 | -1): void => {
    if (drawn !== undefined) drawn.scrollTo(drawn.firstLine() + by * Math.max(1, drawn.layout().textRows - 1));
  };
  const key = (name: string, desc: string, run: () => void): KeyBinding => ({
    ...{ key: name, desc },
    cmd: () => {
      saidNothing();
      run();
    },
  });
  const layers = [
    api.keymap.registerLayer({
      ...{ mode: "modal", priority: 10 },
      bindings: [
        key("return", "Answer", submit),
        key("pageup", "Scroll up", () => page(-1)),
        key("pagedown", "Scroll down", () => page(1)),
      ],
    }),
    api.keymap.registerLayer({
      ...{ mode: "modal", priority: 10 },
      enabled: () => writing() === undefined,
      bindings: [
        key("up", "Previous choice", () => move(-1)),
        key("down", "Next choice", () => move(1)),
        // For keyboards without a key for it.
        isMultiple ? key("space", "Mark", toggle) : key("space", "Scroll down", () => page(1)),
      ],
    }),
    api.keymap.registerLayer({
      ...{ mode: "modal", priority: 10 },
      enabled: () => writing() !== undefined && !onlyWords,
      bindings: [key("escape", "Back to the choices", leaveField)],
    }),
  ];
  const release = (): void => {
    clearTimeout(settling);
    for (const remove of layers) remove();
  };

  const render = (): TerminalElement => {
    const dimensions = screenSize();
    const columns = (): number => Math.max(8, Math.min(widths[size], dimensions().width - 2) - 2 * margin);
    const text = createMemo(() => foldLines(question.body(columns()).trimEnd(), columns()));
    const lines = createMemo(() => text().split("\n").length);
    const indent = isMultiple ? 6 : 2;
    const list = createMemo(() => choiceList(choices, columns() - indent));
    const keysWith = (has: { isLong: boolean; place: string; answer: boolean }): string => {
      const isChoosing = writing() === undefined;
      const keys = [
        has.isLong && "pgup/pgdn read",
        isChoosing && `↑↓ choose${has.place}`,
        isChoosing && isMultiple && "space mark",
        has.answer && (isChoosing ? "enter answer" : "enter send"),
        !isChoosing && "ctrl+j new line",
        isChoosing || onlyWords ? `esc ${esc}` : "esc choices",
      ];
      return foldWords(keys.filter((each) => each !== false).join(" · "), columns());
    };
    const placeOf = (at: number, more: string): string => ` (${at} of ${choices.length}${more})`;
    /** As many as the keys may ever take, so nothing moves when they change. */
    const keyRows = createMemo(() => {
      const longest = { isLong: true, place: placeOf(choices.length, ""), answer: true };
      return keysWith(longest).split("\n").length;
    });
    const layout = createMemo(() => {
      const choiceRows = writing() === undefined ? list().rows.length : fieldRows;
      return dialogLayout({ screenRows: dimensions().height, textRows: lines(), choiceRows, keyRows: keyRows() });
    });
    let wasRead = false;
    const firstLine = createMemo(() => {
      const { line, columns: of } = scrolled();
      const wanted = wasRead || of === columns() ? line : 0;
      return Math.max(0, Math.min(wanted, lines() - layout().textRows));
    });
    const lastLine = (): number => Math.min(lines(), firstLine() + layout().textRows);
    const isRead = createMemo(() => {
      wasRead ||= lastLine() >= lines();
      return wasRead;
    });
    const selected = (): number => position().selected;
    const spanOf = (at: number) => list().spans[at] ?? { from: 0, to: 0 };
    const top = createMemo(() => firstRow(position().top, spanOf(selected()), layout().choiceRows, list().rows.length));
    const continues = (): boolean => spanOf(selected()).to > top() + layout().choiceRows;
    const scrollTo = (line: number): void => {
      const last = lines() - layout().textRows;
      setScrolled({ line: Math.max(0, Math.min(line, last)), columns: columns() });
    };
    drawn = { list, layout, firstLine, scrollTo, isRead, continues };
    const paint = painter(true);
    const part = (): string => {
      const isMore = lastLine() < lines();
      const place = `line ${lastLine()} of ${lines()}${isMore ? " · pgdn shows more" : ""}`;
      return paint(isRead() ? "dim" : "yellow", truncate(place, columns()));
    };
    const keys = (): string => {
      const said = notice().text();
      if (said !== undefined) return paint("yellow", foldWords(said, columns()));
      const { isLong, choiceRows } = layout();
      const more = continues() ? ", more below" : "";
      const place = list().rows.length > choiceRows ? placeOf(selected() + 1, more) : "";
      return paint("dim", keysWith({ isLong, place, answer: isSettled() }));
    };
    const row = (below: number): TerminalElement => {
      const item = () => list().rows[top() + below];
      const isSelected = (): boolean => item()?.choice === selected();
      const line = (): string => {
        const { choice = 0, text = "", isFirst = false } = item() ?? {};
        if (!isFirst) return `${" ".repeat(indent)}${text}`;
        const box = isMultiple ? (marked().has(choice) ? "[x] " : "[ ] ") : "";
        return `${isSelected() ? "❯" : " "} ${box}${text}`;
      };
      const isLocked = (): boolean => choices[item()?.choice ?? 0]?.isHarmless !== true && !isRead();
      return choiceRow(api, { line, isSelected, isLocked, onClick: () => click(item()?.choice ?? 0) });
    };
    // Only another number of rows makes new ones.
    const rows = createMemo(() => layout().choiceRows);
    const choosing = (): TerminalElement => box({}, () => Array.from({ length: rows() }, (_, below) => row(below)));
    const typing = (placeholder: string): TerminalElement => {
      const onChange = (): void => {
        keepDraft();
        saidNothing();
      };
      field = answerField(api, { rows: fieldRows, placeholder, words: draft.words, onChange });
      return field;
    };
    const wheel = (event: { readonly scroll?: { readonly direction: string } }): void =>
      scrollTo(firstLine() + (event.scroll?.direction === "up" ? -1 : 1));
    return box(
      { paddingLeft: margin, paddingRight: margin, paddingBottom: 1, gap: () => layout().gap },
      painted(api, () => paint("bold", truncate(question.title, columns()))),
      box(
        { onMouseScroll: wheel },
        box(
          { height: () => layout().textRows },
          painted(api, () => linesFrom(text(), firstLine(), layout().textRows)),
        ),
        () => (layout().isLong ? painted(api, part) : null),
      ),
      () => (writing() === undefined ? choosing() : typing(writing()?.asksFor ?? "")),
      box({ height: keyRows }, painted(api, keys)),
    );
  };

  api.ui.dialog.replace(render, () => {
    if (isOver) return;
    isOver = true;
    keepDraft();
    release();
    question.onLater();
  });
  api.ui.dialog.setSize(size);
  return () => {
    const words = typed();
    finish(() => undefined);
    return words;
  };
}

/** Also of one long word, so nothing is cut off. */
export function foldWords(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return paragraph(text, { columns, colour: false }, { indent: "", breakWords: true }).trimEnd();
}
