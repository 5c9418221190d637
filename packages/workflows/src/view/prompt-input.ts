import { createSignal } from "solid-js";
import type { Editor, TerminalApi } from "./terminal-api.ts";

/**
 * What is typed into OpenCode's prompt. It is looked at where it is, so the prompt itself stays OpenCode's own, or that of
 * the plugin that replaced it.
 */
export interface TypedPrompt {
  /** Empty while a dialog is open. Can be tracked. */
  text(): string;
  replace(text: string): void;
  /** Calls back after every change, until the plugin is disposed. */
  onChange(listener: () => void): void;
}

export function promptInput(api: TerminalApi): TypedPrompt {
  const [text, setText] = createSignal("");
  const listeners = new Set<() => void>();
  let editor: Editor | null = null;
  const look = (): void => {
    setText(api.ui.dialog.open ? "" : (editor?.plainText ?? ""));
    for (const listener of listeners) listener();
  };
  const follow = (): void => {
    const next = api.renderer.currentFocusedEditor;
    if (next !== editor) {
      editor?.editBuffer.off("content-changed", look);
      editor = next;
      editor?.editBuffer.on("content-changed", look);
    }
    look();
  };
  api.renderer.on("focused_editor", follow);
  api.lifecycle.onDispose(() => {
    api.renderer.off("focused_editor", follow);
    editor?.editBuffer.off("content-changed", look);
  });
  follow();
  return {
    text,
    replace: (words) => {
      const { currentFocusedEditor: focused } = api.renderer;
      if (words === "") focused?.clear();
      else focused?.setText(words);
      focused?.gotoBufferEnd();
      follow();
    },
    onChange: (listener) => listeners.add(listener),
  };
}
