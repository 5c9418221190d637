// A dialog that shows a text and asks for a decision. Its keys call functions: OpenCode's own dialogs react to commands, which
// an agent could send to OpenCode's server.

import { painter } from "@atomic/terminal/paint";
import { truncate } from "@atomic/terminal/width";
import { foldLines } from "@atomic/terminal/wrap";
import { createMemo, createSignal } from "solid-js";
import { type DialogLayout, dialogLayout } from "./dialog-layout.ts";
import { box, element, painted, screenSize } from "./elements.ts";
import type { KeyBinding, TerminalApi, TerminalElement } from "./terminal-api.ts";

export interface DialogChoice {
  /** One safe line. */
  readonly title: string;
  readonly description?: string | undefined;
  readonly value: string;
  /** Choosing it asks for words first; this is what the empty field shows. */
  readonly asksFor?: string;
}

export interface DialogQuestion {
  /** One safe line. */
  readonly title: string;
  /** Safe, painted lines. Those that are wider are continued below, so no part of a question is cut off. */
  body(columns: number): string;
  readonly choices: readonly DialogChoice[];
  /** Several choices: the space bar marks them. */
  readonly isMultiple?: boolean;
  readonly size: "medium" | "large" | "xlarge";
  /** Several values are of the marked choices. */
  onAnswer(values: readonly string[], words: string | undefined): void;
  /** The dialog was closed without an answer. */
  onLater(): void;
}

const widths = { medium: 60, large: 88, xlarge: 116 } as const;
const margin = 2;
const fieldRows = 3;

/** Opens the dialog; returns how to close it without an answer. */
export function openDialog(api: TerminalApi, question: DialogQuestion): () => void {
  const { choices, isMultiple = false, size } = question;
  const [selected, select] = createSignal(0);
  const [marked, mark] = createSignal<ReadonlySet<number>>(new Set());
  const onlyWords = choices.length === 1 && choices[0]?.asksFor !== undefined;
  const [writing, write] = createSignal<DialogChoice | undefined>(onlyWords ? choices[0] : undefined);
  let field: TerminalElement | undefined;
  let scroll: TerminalElement | undefined;
  let isOver = false;
  const finish = (then: () => void): void => {
    if (isOver) return;
    isOver = true;
    release();
    api.ui.dialog.clear();
    then();
  };
  const submit = (): void => {
    const choice = writing();
    if (choice !== undefined) {
      const words = (field?.plainText ?? "").trim();
      if (words !== "") finish(() => question.onAnswer([choice.value], words));
      return;
    }
    const current = choices[selected()];
    if (current === undefined) return;
    if (current.asksFor !== undefined) {
      write(current);
      return;
    }
    const several = isMultiple ? [...marked()].sort((a, b) => a - b).flatMap((at) => choices[at]?.value ?? []) : [];
    finish(() => question.onAnswer(several.length > 0 ? several : [current.value], undefined));
  };
  const move = (by: number): void => select((selected() + by + choices.length) % choices.length);
  const toggle = (): void => {
    const next = new Set(marked());
    if (!next.delete(selected())) next.add(selected());
    mark(next);
  };
  const bindings: readonly (KeyBinding & { readonly whileWriting?: true })[] = [
    { key: "return", desc: "Answer", cmd: submit, whileWriting: true },
    { key: "up", desc: "Previous choice", cmd: () => move(-1) },
    { key: "down", desc: "Next choice", cmd: () => move(1) },
    { key: "pageup", desc: "Scroll up", cmd: () => scroll?.scrollBy?.(-pageOf(api)), whileWriting: true },
    { key: "pagedown", desc: "Scroll down", cmd: () => scroll?.scrollBy?.(pageOf(api)), whileWriting: true },
    ...(isMultiple ? [{ key: "space", desc: "Mark", cmd: toggle }] : []),
  ];
  const layers = [
    api.keymap.registerLayer({ mode: "modal", priority: 10, bindings: bindings.filter((each) => each.whileWriting) }),
    api.keymap.registerLayer({
      mode: "modal",
      priority: 10,
      enabled: () => writing() === undefined,
      bindings: bindings.filter((each) => !each.whileWriting),
    }),
  ];
  const release = (): void => {
    for (const remove of layers) remove();
  };

  const render = (): TerminalElement => {
    const dimensions = screenSize();
    const columns = (): number => Math.min(widths[size], dimensions().width - 2) - 2 * margin;
    const text = createMemo(() => foldLines(question.body(columns()).trimEnd(), columns()));
    const lines = createMemo(() => text().split("\n").length);
    const layout = createMemo(() => {
      const below = writing() === undefined ? choices.length : fieldRows;
      return dialogLayout({ screenRows: dimensions().height, lines: lines(), choices: below, selected: selected() });
    });
    const height = (): number => layout().textRows;
    scroll = element("scrollbox", { height, scrollbarOptions: { visible: false } }, painted(api, text));
    const paint = painter(true);
    const keys = (): string => {
      const { textRows, choiceRows } = layout();
      const long = lines() > textRows ? `pgup/pgdn scroll ${lines()} lines · ` : "";
      if (writing() !== undefined) return `${long}enter send · esc later`;
      const place = choices.length > choiceRows ? ` (${selected() + 1} of ${choices.length})` : "";
      return `${long}↑↓ choose${place} · ${isMultiple ? "space mark · " : ""}enter answer · esc later`;
    };
    return box(
      { paddingLeft: margin, paddingRight: margin, paddingBottom: 1, gap: 1 },
      painted(api, () => paint("bold", truncate(question.title, columns()))),
      scroll,
      () => (writing() === undefined ? list(columns, layout) : input(writing()?.asksFor ?? "")),
      painted(api, () => paint("dim", truncate(keys(), columns()))),
    );
  };
  const list = (columns: () => number, layout: () => DialogLayout): TerminalElement => {
    const row = (below: number): TerminalElement => {
      const at = (): number => layout().firstChoice + below;
      const isSelected = (): boolean => selected() === at();
      const line = (): string => {
        const { title = "", description } = choices[at()] ?? {};
        const box = isMultiple ? (marked().has(at()) ? "[x] " : "[ ] ") : "";
        return truncate(
          `${isSelected() ? "❯" : " "} ${box}${title}${description ? `  ${description}` : ""}`,
          columns(),
        );
      };
      return element("text", {
        wrapMode: "none",
        fg: () => (isSelected() ? api.theme.current.primary : api.theme.current.text),
        content: line,
        onMouseUp: () => {
          select(at());
          if (isMultiple) toggle();
          else submit();
        },
      });
    };
    // Only another number of rows makes new ones.
    const rows = createMemo(() => layout().choiceRows);
    return box({}, () => Array.from({ length: rows() }, (_, below) => row(below)));
  };
  const input = (placeholder: string): TerminalElement => {
    const { text, textMuted, backgroundElement } = api.theme.current;
    const colours = { textColor: text, focusedTextColor: text, cursorColor: text, placeholderColor: textMuted };
    const backgrounds = { backgroundColor: backgroundElement, focusedBackgroundColor: backgroundElement };
    field = element("textarea", { height: fieldRows, placeholder, ...colours, ...backgrounds });
    // At once, so no key gets lost; and again, because OpenCode may take the focus away once more while it draws the dialog.
    const take = (): void => {
      if (field?.isDestroyed === false && field.focused !== true) field.focus?.();
    };
    queueMicrotask(take);
    setTimeout(take, 1);
    return field;
  };

  api.ui.dialog.replace(render, () => {
    if (isOver) return;
    isOver = true;
    release();
    question.onLater();
  });
  api.ui.dialog.setSize(size);
  return () => finish(() => undefined);
}

function pageOf({ renderer }: TerminalApi): number {
  return Math.max(1, Math.floor(renderer.height / 3));
}
