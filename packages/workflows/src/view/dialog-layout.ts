// How a dialog shares its rows between the text and the choices, so neither runs off the screen and all of both can be read. Pure.
import { displayWidth } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";

export interface DialogLayout {
  readonly textRows: number;
  /** The text is longer: a row below it shows which part this is. */
  readonly isLong: boolean;
  readonly choiceRows: number;
  /** Empty rows between the parts: none in a small terminal. */
  readonly gap: 0 | 1;
}

/** The title, and a margin above and below. */
const frameRows = 3;
const gaps = 3;
/** With less room than this, the gaps are given up. */
const smallRoom = 8;

export function dialogLayout(now: {
  readonly screenRows: number;
  readonly textRows: number;
  readonly choiceRows: number;
  /** The keys, below everything. */
  readonly keyRows: number;
}): DialogLayout {
  // OpenCode draws dialogs from a quarter of the screen on.
  const spacious = Math.floor((now.screenRows * 3) / 4) - frameRows - now.keyRows - gaps;
  const gap = spacious < smallRoom ? 0 : 1;
  const room = Math.max(2, gap === 0 ? spacious + gaps : spacious);
  const whole = share(now, room);
  // The row that says which part it is comes on top of at least one row of each.
  const isLong = whole.textRows < now.textRows && room > 2;
  return { ...(isLong ? share(now, room - 1) : whole), isLong, gap };
}

/** Both are seen; the text comes first, because it is what the choices are about. */
function share(all: { readonly textRows: number; readonly choiceRows: number }, room: number) {
  const fewestChoices = Math.min(all.choiceRows, Math.max(1, Math.floor(room / 2)));
  const textRows = Math.min(all.textRows, Math.max(1, room - fewestChoices));
  return { textRows, choiceRows: Math.min(all.choiceRows, Math.max(1, room - textRows)) };
}

/** The rows of one choice in the list of all rows. */
export interface ChoiceSpan {
  readonly from: number;
  readonly to: number;
}

export interface ChoiceList {
  readonly rows: readonly { readonly choice: number; readonly text: string; readonly isFirst: boolean }[];
  readonly spans: readonly ChoiceSpan[];
}

/** Every choice in as many rows as it takes: two that only differ at their ends must not look the same. */
export function choiceList(
  choices: readonly { readonly title: string; readonly description?: string | undefined }[],
  columns: number,
): ChoiceList {
  const rows = choices.flatMap(({ title, description }, choice) => {
    const text = description ? `${title}  ${description}` : title;
    // A short one stays as it is: a paragraph would also be broken behind a character that is as wide as it has room for.
    const lines =
      displayWidth(text) <= columns
        ? [text]
        : paragraph(text, { columns, colour: false }, { indent: "", breakWords: true }).trimEnd().split("\n");
    return lines.map((line, at) => ({ choice, text: line, isFirst: at === 0 }));
  });
  const spans = choices.map((_, choice) => {
    const from = rows.findIndex((row) => row.choice === choice);
    return { from, to: from + rows.filter((row) => row.choice === choice).length };
  });
  return { rows, spans };
}

/** The first row that is shown, so the selected choice is on the screen: in the middle, or from `top` on if it has more rows. */
export function firstRow(top: number, { from, to }: ChoiceSpan, shown: number, all: number): number {
  if (to - from > shown) return Math.max(from, Math.min(top, to - shown));
  return Math.max(0, Math.min(from - Math.floor((shown - (to - from)) / 2), all - shown));
}

export interface ListPosition {
  readonly selected: number;
  /** Where to begin in a choice that has more rows than are shown. */
  readonly top: number;
}

/** One key up or down: through a choice that has more rows than are shown, then to the next one. */
export function moved(
  { selected, top }: ListPosition,
  by: 1 | -1,
  { spans, rows }: ChoiceList,
  shown: number,
): ListPosition {
  const span = spans[selected] ?? { from: 0, to: 0 };
  const first = firstRow(top, span, shown, rows.length);
  const step = Math.max(1, shown - 1);
  if (by > 0 && span.to > first + shown) return { selected, top: Math.min(first + step, span.to - shown) };
  if (by < 0 && span.from < first && span.to - span.from > shown)
    return { selected, top: Math.max(first - step, span.from) };
  return { selected: (selected + by + spans.length) % spans.length, top: 0 };
}

/** Lines of a painted text, in the colours that they have in all of it. */
export function linesFrom(text: string, first: number, count: number): string {
  const lines = text.split("\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
  const colours = lines.slice(0, first).flatMap((line) => line.match(/\x1b\[\d+m/g) ?? []);
  return colours.join("") + lines.slice(first, first + count).join("\n");
}
