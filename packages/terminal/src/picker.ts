// A list to choose from: what keys do to it, and how it looks. Pure.
import { painter } from "./paint.ts";
import { safeLine } from "./safe-text.ts";
import { displayWidth, padEnd, truncate } from "./width.ts";

export interface PickerItem {
  /** What is returned if it is chosen. */
  readonly value: string;
  /** What kind of thing it is, in one word. */
  readonly group: string;
  readonly label: string;
  readonly detail: string;
}

export interface Picker {
  readonly title: string;
  readonly items: readonly PickerItem[];
  readonly filter: string;
  /** Which of the items that match is marked. */
  readonly at: number;
  readonly chosen: ReadonlySet<string>;
  /** Why the last key did nothing. */
  readonly notice?: string;
}

export type PickerKey =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "move"; readonly by: number }
  | { readonly kind: "toggle" | "toggle all" | "backspace" | "clear" | "accept" | "cancel" };

const PAGE = 10;
const FAR = 1_000_000;

const NAMED: ReadonlyMap<string, PickerKey> = new Map([
  ["\x1b[A", { kind: "move", by: -1 }],
  ["\x1bOA", { kind: "move", by: -1 }],
  ["\x1b[B", { kind: "move", by: 1 }],
  ["\x1bOB", { kind: "move", by: 1 }],
  ["\x1b[5~", { kind: "move", by: -PAGE }],
  ["\x1b[6~", { kind: "move", by: PAGE }],
  ["\x1b[H", { kind: "move", by: -FAR }],
  ["\x1bOH", { kind: "move", by: -FAR }],
  ["\x1b[F", { kind: "move", by: FAR }],
  ["\x1bOF", { kind: "move", by: FAR }],
  ["\x10", { kind: "move", by: -1 }], // Ctrl-P
  ["\x0e", { kind: "move", by: 1 }], // Ctrl-N
  [" ", { kind: "toggle" }],
  ["\t", { kind: "toggle" }],
  ["\x01", { kind: "toggle all" }], // Ctrl-A
  ["\x7f", { kind: "backspace" }],
  ["\b", { kind: "backspace" }],
  ["\x15", { kind: "clear" }], // Ctrl-U
  ["\r", { kind: "accept" }],
  ["\n", { kind: "accept" }],
  ["\x04", { kind: "cancel" }], // Ctrl-D
  ["\x1b", { kind: "cancel" }],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them
const KEYS = /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO[A-Za-z]|\x1b(?:[^[O]|$)|[\s\S]/gu;

/** What was typed, key by key; keys that mean nothing here are dropped. */
export function readKeys(typed: string): PickerKey[] {
  return Array.from(typed.matchAll(KEYS), ([key]) => key).flatMap((key): PickerKey[] => {
    const named = NAMED.get(key);
    if (named !== undefined) return [named];
    return /^[^\p{Cc}]+$/u.test(key) ? [{ kind: "text", text: key }] : [];
  });
}

/** The items that match what was typed: first those with a matching name. */
export function matchingItems({ items, filter }: Pick<Picker, "items" | "filter">): readonly PickerItem[] {
  const typed = filter.toLowerCase();
  if (typed === "") return items;
  const named = items.filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(typed));
  const described = items.filter((item) => !named.includes(item) && item.detail.toLowerCase().includes(typed));
  return [...named, ...described];
}

/** The list after a key, or how it ended: with values, or undefined if it was cancelled. */
export function pressKey(
  picker: Picker,
  key: PickerKey,
): { readonly next: Picker } | { readonly end: readonly string[] | undefined } {
  const { notice: _, ...list } = picker;
  const found = matchingItems(list);
  const moved = (at: number): number => Math.max(0, Math.min(found.length - 1, at));
  const filtered = (filter: string): { next: Picker } => ({ next: { ...list, filter, at: 0 } });
  switch (key.kind) {
    case "text":
      return filtered(list.filter + key.text);
    case "backspace":
      return filtered([...list.filter].slice(0, -1).join(""));
    case "clear":
      return filtered("");
    case "move":
      return { next: { ...list, at: moved(list.at + key.by) } };
    case "toggle": {
      const item = found[list.at];
      if (item === undefined) return { next: list };
      const chosen = new Set(list.chosen);
      if (!chosen.delete(item.value)) chosen.add(item.value);
      return { next: { ...list, chosen } };
    }
    case "toggle all": {
      const chosen = new Set(list.chosen);
      const isAll = found.every(({ value }) => chosen.has(value));
      for (const { value } of found) isAll ? chosen.delete(value) : chosen.add(value);
      return { next: { ...list, chosen } };
    }
    case "accept":
      if (list.chosen.size > 0) return { end: [...list.chosen] };
      return { next: { ...list, notice: "Nothing is selected yet: press space to select." } };
    case "cancel":
      return { end: undefined };
  }
}

interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
}

const HELP = "type to search · ↑↓ move · space select · enter accept · esc cancel";
const WIDEST_LABEL = 36;

/** The lines of the whole screen, none of them wider than it. */
export function drawPicker(picker: Picker, { columns, rows, colour }: Screen): string[] {
  const paint = painter(colour);
  const found = matchingItems(picker);
  const cut = (text: string): string => truncate(text, columns - 1);
  const amounts = `${picker.chosen.size} selected, ${found.length} of ${picker.items.length} shown`;
  const search = truncate(`Search: ${safeLine(picker.filter)}`, Math.max(10, columns - displayWidth(amounts) - 4));
  const gap = " ".repeat(Math.max(1, columns - 1 - displayWidth(search) - displayWidth(amounts)));
  const height = Math.max(1, rows - 5);
  const start = Math.max(0, Math.min(picker.at - Math.floor(height / 2), found.length - height));
  const shown = found.slice(start, start + height);
  const width = Math.min(WIDEST_LABEL, Math.max(0, ...found.map(({ label }) => displayWidth(safeLine(label)))));
  const groupWidth = Math.max(0, ...picker.items.map(({ group }) => group.length));
  const list = shown.map(({ value, label, group, detail }, i) => {
    const isAt = start + i === picker.at;
    const mark = picker.chosen.has(value) ? "[x]" : "[ ]";
    const name = padEnd(truncate(safeLine(label), width), width);
    const head = `${isAt ? ">" : " "} ${mark} ${name}`;
    const tail = truncate(
      `  ${padEnd(group, groupWidth)}  ${safeLine(detail)}`.trimEnd(),
      columns - 1 - displayWidth(head),
    );
    return `${isAt ? paint("cyan", head) : picker.chosen.has(value) ? paint("green", head) : head}${paint("dim", tail)}`;
  });
  if (list.length === 0) list.push(paint("dim", cut("  Nothing matches. Press backspace to search for less.")));
  while (list.length < height) list.push("");
  return [
    paint("bold", cut(safeLine(picker.title))),
    cut(search) + gap + paint("dim", amounts),
    ...list,
    paint("dim", cut(safeLine(found[picker.at]?.detail ?? ""))),
    paint("yellow", cut(picker.notice ?? "")),
    paint("dim", cut(HELP)),
  ].slice(0, rows);
}
