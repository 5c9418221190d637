import { createSignal } from "solid-js";
import { fillPrompt, type PromptContent, promptContent, takePrompt } from "./prompt-content.ts";
import type { Editor, TerminalApi } from "./terminal-api.ts";

/**
 * What is typed into OpenCode's prompt. It is looked at where it is, so the prompt itself stays OpenCode's own, or that of
 * the plugin that replaced it.
 */
export interface TypedPrompt {
  /** Empty while a dialog is open. Can be tracked, but is a moment behind the keys. */
  text(): string;
  /** Read from the prompt itself, for a key that acts on all that was typed before it. */
  read(): PromptContent;
  /** What is typed is for an agent: not for a shell (`!`), nor into a field with another purpose. */
  isForAgent(): boolean;
  replace(text: string): void;
  /** Empties the prompt. Returns how to put the content back, which reports whether it could: not over what was typed since. */
  take(): () => boolean;
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
    read: () => promptContent(api),
    isForAgent: () => api.renderer.currentFocusedEditor?.traits?.status === undefined,
    replace: (words) => {
      fillPrompt(api.renderer.currentFocusedEditor, words);
      follow();
    },
    take: () => {
      const putBack = takePrompt(api);
      follow();
      return () => {
        const isBack = putBack();
        follow();
        return isBack;
      };
    },
    onChange: (listener) => listeners.add(listener),
  };
}
