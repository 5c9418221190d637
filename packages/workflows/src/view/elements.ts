// Elements without JSX: OpenCode does not compile JSX in packages. A function among the values is called again when what it
// reads changes, except for `on…`, which is called when something happens.
import { createElement, effect, insert, setProp, useTerminalDimensions } from "@opentui/solid";
import { onCleanup } from "solid-js";
import { paintedText } from "./painted-text.ts";
import type { TerminalApi, TerminalElement } from "./terminal-api.ts";

type Values = Readonly<Record<string, unknown>>;

export function element(tag: string, values: Values = {}, ...children: readonly unknown[]): TerminalElement {
  const node = createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "function" && !name.startsWith("on")) effect(() => setProp(node, name, value()));
    else setProp(node, name, value);
  }
  if (children.length > 0) insert(node, children.length === 1 ? children[0] : children);
  return node;
}

export function box(values: Values, ...children: readonly unknown[]): TerminalElement {
  return element("box", { flexShrink: 0, ...values }, ...children);
}

/** Lines in the colours of `painter()`. They are not wrapped: who paints them knows the width. */
export function painted(api: TerminalApi, lines: () => string, values: Values = {}): TerminalElement {
  const node = element("text", { wrapMode: "none", flexShrink: 0, ...values });
  // Not by `setProp`, which makes a string of it.
  effect(() => {
    node.content = paintedText(lines(), api.theme.current);
  });
  return node;
}

/** Of the whole terminal. Only while something is drawn, as with `mounted`. */
export function screenSize(): () => { readonly width: number; readonly height: number } {
  return useTerminalDimensions();
}

/** Calls the first function now, and the second when what is being drawn is gone. */
export function mounted(now: () => void, gone: () => void): void {
  now();
  onCleanup(gone);
}
