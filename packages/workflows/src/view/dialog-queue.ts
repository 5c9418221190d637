import { createEffect, createRoot } from "solid-js";
import { type AnswerDraft, type DialogQuestion, openDialog } from "./dialog.ts";
import type { Guard } from "./guard.ts";
import { later } from "./later.ts";
import { unsentMs } from "./notices.ts";
import type { TypedPrompt } from "./prompt-input.ts";
import type { TerminalApi } from "./terminal-api.ts";

/** The focus moves before a dialog of OpenCode is open, and back a moment after it is closed. Only then is it known what is typed. */
const settledMs = 100;
/** Who pressed a key this recently may press the next one, and it must not answer a question that has only just appeared. */
const typingMs = 1000;

interface Waiting {
  readonly question: () => DialogQuestion;
  /** It comes when there is a moment for it. */
  readonly isAsked: boolean;
  /** You opened it on purpose, so nothing that you have typed keeps it back. */
  readonly isOpened: boolean;
}

/** Opens dialogs one at a time: never over another dialog or a question of OpenCode's own, and never while you type. */
export class DialogQueue {
  readonly #api: TerminalApi;
  readonly #prompt: TypedPrompt;
  readonly #guard: Guard;
  #waiting = new Map<string, Waiting>();
  /** Kept until the question is gone: you may close its dialog, or your answer may not arrive. */
  readonly #drafts = new Map<string, AnswerDraft>();
  /** Their drafts are on their way, or you decided without them. */
  readonly #answered = new Set<string>();
  /** When the focus last moved, or is about to. */
  #movedAt = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;
  /** What is pressed until then was meant for a dialog that has closed by itself. */
  #strayUntil = Number.NEGATIVE_INFINITY;
  /** A message is on the screen until then. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #pause: NodeJS.Timeout | undefined;
  #open: { readonly key: string; readonly close: () => string } | undefined;

  constructor(api: TerminalApi, prompt: TypedPrompt, guard: Guard) {
    this.#api = api;
    this.#prompt = prompt;
    this.#guard = guard;
    prompt.onChange(() => this.#moved());
    const pressed = (): void => {
      this.#pressedAt = performance.now();
      if (this.isStray) this.#strayUntil = this.#pressedAt + typingMs;
      else if (this.#heldUntil > this.#pressedAt) {
        this.#heldUntil = Number.NEGATIVE_INFINITY;
        this.#soonAgain();
      }
    };
    // Before OpenCode's own listener: it stops keys that do something, such as those that open, use and close its palette.
    api.renderer.keyInput.prependListener("keypress", pressed);
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
    this.#waiting.set(key, { question, isAsked: true, isOpened: this.#waiting.get(key)?.isOpened ?? false });
    this.#soon();
  }

  /** Asks at once, before all others: you pressed a key for it. It takes the place of one that you opened before and have not seen yet. */
  open(key: string, question: () => DialogQuestion): void {
    const opened: Waiting = { question, isAsked: this.#waiting.get(key)?.isAsked ?? false, isOpened: true };
    const others = [...this.#waiting].filter(([each, { isAsked }]) => each !== key && isAsked);
    this.#waiting = new Map([
      [key, opened],
      ...others.map(([each, other]) => [each, { ...other, isOpened: false }] as const),
    ]);
    this.#pressedAt = Number.NEGATIVE_INFINITY;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    this.#soonAgain();
  }

  /** A message that a dialog would cover is shown now: the next one waits until it is gone, or you press a key. */
  hold(): void {
    this.#heldUntil = performance.now() + unsentMs;
  }

  /** It no longer has to be asked. If its dialog was open, or something was typed into it before, returns what was typed. */
  remove(key: string): string | undefined {
    this.#waiting.delete(key);
    const kept = this.#answered.has(key) ? "" : (this.#drafts.get(key)?.words.trim() ?? "");
    const isOpen = this.#open?.key === key;
    if (isOpen) this.#strayUntil = performance.now() + typingMs;
    const typed = isOpen ? this.#open?.close() : kept || undefined;
    this.#drafts.delete(key);
    this.#answered.delete(key);
    return typed;
  }

  /** The last key was meant for a dialog that has just closed by itself, while you typed. */
  get isStray(): boolean {
    return performance.now() < this.#strayUntil;
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

  #soonAgain(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#soon();
  }

  /** For how long no dialog may open, in milliseconds. */
  #patience(): number {
    const until = Math.max(this.#movedAt + settledMs, this.#pressedAt + typingMs, this.#heldUntil);
    return Math.max(0, until - performance.now());
  }

  #next(): void {
    const { ui, mode } = this.#api;
    const [first] = this.#waiting;
    if (first === undefined || this.#open !== undefined || ui.dialog.open || mode.current() === "autocomplete") return;
    if (this.#patience() > 0) {
      this.#soon();
      return;
    }
    const [key, { question, isOpened }] = first;
    // Called again when the prompt changes, or has the focus again.
    if ((this.#prompt.text() !== "" && !isOpened) || isAsking(this.#api)) return;
    this.#waiting.delete(key);
    this.#guard(() => this.#show(key, question()));
  }

  #show(key: string, question: DialogQuestion): void {
    const over = (): void => {
      this.#open = undefined;
      this.#moved();
    };
    // Set first: to open a dialog takes the focus from the prompt, which leads here again.
    this.#open = { key, close: () => "" };
    const draft = this.#drafts.get(key) ?? { words: "" };
    this.#drafts.set(key, draft);
    this.#answered.delete(key);
    const shown: DialogQuestion = {
      ...question,
      onAnswer: (values, words) => {
        over();
        if (!values.includes(later)) this.#answered.add(key);
        question.onAnswer(values, words);
      },
      onLater: () => {
        over();
        question.onLater();
      },
    };
    const close = openDialog(this.#api, shown, draft);
    this.#open = {
      key,
      close: () => {
        over();
        return close();
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
