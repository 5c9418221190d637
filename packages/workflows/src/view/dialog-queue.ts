import { createEffect, createRoot } from "solid-js";
import { type DialogQuestion, openDialog } from "./dialog.ts";
import type { Guard } from "./guard.ts";
import type { TypedPrompt } from "./prompt-input.ts";
import type { TerminalApi } from "./terminal-api.ts";

/** The focus moves before a dialog of OpenCode is open, and back a moment after it is closed. Only then is it known what is typed. */
const settledMs = 100;
/** Who pressed a key this recently may press the next one, and it must not answer a question that has only just appeared. */
const typingMs = 1000;

/** Opens dialogs one at a time: never over another dialog or a question of OpenCode's own, and never while you type. */
export class DialogQueue {
  readonly #api: TerminalApi;
  readonly #prompt: TypedPrompt;
  readonly #guard: Guard;
  #waiting = new Map<string, () => DialogQuestion>();
  /** When the focus last moved, or is about to. */
  #movedAt = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #pause: NodeJS.Timeout | undefined;
  #open: { readonly key: string; readonly close: () => void } | undefined;

  constructor(api: TerminalApi, prompt: TypedPrompt, guard: Guard) {
    this.#api = api;
    this.#prompt = prompt;
    this.#guard = guard;
    prompt.onChange(() => this.#moved());
    const pressed = (): void => {
      this.#pressedAt = performance.now();
    };
    api.renderer.keyInput.on("keypress", pressed);
    const dispose = createRoot((end) => {
      createEffect(() => {
        if (!api.ui.dialog.open && !isAsking(api)) this.#moved();
      });
      return end;
    });
    api.lifecycle.onDispose(() => {
      clearTimeout(this.#pause);
      api.renderer.keyInput.off("keypress", pressed);
      dispose();
    });
  }

  /** Asks when there is a moment for it. */
  add(key: string, question: () => DialogQuestion): void {
    if (this.#open?.key === key) return;
    this.#waiting.set(key, question);
    this.#soon();
  }

  /** Asks at once, before all others: you pressed a key for it. */
  open(key: string, question: () => DialogQuestion): void {
    this.#waiting.delete(key);
    this.#waiting = new Map([[key, question], ...this.#waiting]);
    this.#pressedAt = Number.NEGATIVE_INFINITY;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#soon();
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

  #moved(): void {
    this.#movedAt = performance.now();
    this.#soon();
  }

  /** Never at once: the focus may just be moving, and a dialog that takes it in the middle of that leaves the prompt with two. */
  #soon(): void {
    if (this.#waiting.size === 0) return;
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#next();
    }, this.#patience());
  }

  /** For how long no dialog may open, in milliseconds. */
  #patience(): number {
    return Math.max(0, this.#movedAt + settledMs - performance.now(), this.#pressedAt + typingMs - performance.now());
  }

  #next(): void {
    const { ui, mode } = this.#api;
    const [first] = this.#waiting;
    if (first === undefined || this.#open !== undefined || ui.dialog.open || mode.current() === "autocomplete") return;
    if (this.#patience() > 0) {
      this.#soon();
      return;
    }
    // Called again when the prompt changes, or has the focus again.
    if (this.#prompt.text() !== "" || isAsking(this.#api)) return;
    const [key, make] = first;
    this.#waiting.delete(key);
    this.#guard(() => this.#show(key, make()));
  }

  #show(key: string, question: DialogQuestion): void {
    const over = (): void => {
      this.#open = undefined;
      this.#moved();
    };
    // Set first: to open a dialog takes the focus from the prompt, which leads here again.
    this.#open = { key, close: () => undefined };
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

/** OpenCode asks something itself, in the place of the prompt, which then does not have the focus. Subagents have no prompt. */
function isAsking({ route, state, renderer }: TerminalApi): boolean {
  const { name, params } = route.current;
  if (name !== "session" || typeof params?.sessionID !== "string") return false;
  const { session } = state;
  const { sessionID } = params;
  if (session.permission(sessionID).length > 0 || session.question(sessionID).length > 0) return true;
  return renderer.currentFocusedEditor === null && session.get(sessionID)?.parentID === undefined;
}
