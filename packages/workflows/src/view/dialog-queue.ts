import { createEffect, createRoot } from "solid-js";
import { type DialogQuestion, openDialog } from "./dialog.ts";
import type { TypedPrompt } from "./prompt-input.ts";
import type { TerminalApi } from "./terminal-api.ts";

const settledMs = 100;

/** Opens dialogs one at a time: never over another dialog, and never while you type. */
export class DialogQueue {
  readonly #api: TerminalApi;
  readonly #prompt: TypedPrompt;
  readonly #waiting = new Map<string, () => DialogQuestion>();
  /** When the focus last moved, or is about to. */
  #movedAt = 0;
  #pause: NodeJS.Timeout | undefined;
  #open: { readonly key: string; readonly close: () => void } | undefined;

  constructor(api: TerminalApi, prompt: TypedPrompt) {
    this.#api = api;
    this.#prompt = prompt;
    prompt.onChange(() => {
      if (api.renderer.currentFocusedEditor === null) this.#movedAt = performance.now();
      this.#next();
    });
    const dispose = createRoot((end) => {
      createEffect(() => {
        if (api.ui.dialog.open) return;
        this.#movedAt = performance.now();
        this.#next();
      });
      return end;
    });
    api.lifecycle.onDispose(() => {
      clearTimeout(this.#pause);
      dispose();
    });
  }

  /** Asks when there is a moment for it. */
  add(key: string, question: () => DialogQuestion): void {
    if (this.#open?.key === key) return;
    this.#waiting.set(key, question);
    this.#next();
  }

  /** It no longer has to be asked. */
  remove(key: string): void {
    this.#waiting.delete(key);
    if (this.#open?.key === key) this.#open.close();
  }

  /** All that are open or wait to be opened. */
  get keys(): readonly string[] {
    return [...(this.#open === undefined ? [] : [this.#open.key]), ...this.#waiting.keys()];
  }

  #next(): void {
    const { ui, mode } = this.#api;
    const [first] = this.#waiting;
    if (first === undefined || this.#open !== undefined || ui.dialog.open || mode.current() === "autocomplete") return;
    // The focus moves before a dialog of OpenCode is open, and back a moment after it is closed. Whether something is typed in
    // the prompt is only known then.
    if (performance.now() - this.#movedAt < settledMs) {
      this.#pause ??= setTimeout(() => {
        this.#pause = undefined;
        this.#next();
      }, settledMs);
      return;
    }
    if (this.#prompt.text() !== "") return;
    const [key, make] = first;
    this.#waiting.delete(key);
    const over = (): void => {
      this.#open = undefined;
      this.#movedAt = performance.now();
      this.#next();
    };
    // Set first: to open a dialog takes the focus from the prompt, which leads here again.
    this.#open = { key, close: () => undefined };
    const question = make();
    const close = openDialog(this.#api, {
      ...question,
      onAnswer: (values, words) => {
        over();
        question.onAnswer(values, words);
      },
      onLater: () => {
        over();
        question.onLater();
      },
    });
    this.#open = {
      key,
      close: () => {
        over();
        close();
      },
    };
  }
}
