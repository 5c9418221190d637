// Ctrl-C while the prompt line works on what was entered.
import type { Signals } from "@atomic/terminal/console";
import type { Interrupt } from "@atomic/terminal/exit-codes";
import type { Key } from "@atomic/terminal/keys";

/** The same signals, and Ctrl-C as a key: the terminal makes no signal of it while it passes on every key. */
export class KeyedSignals implements Signals {
  readonly #signals: Signals;
  readonly #listeners: ((interrupt: Interrupt) => void)[] = [];

  constructor(signals: Signals) {
    this.#signals = signals;
  }

  listen(hear: (interrupt: Interrupt) => void): () => void {
    const unlisten = this.#signals.listen(hear);
    this.#listeners.push(hear);
    return () => {
      unlisten();
      const at = this.#listeners.lastIndexOf(hear);
      if (at !== -1) this.#listeners.splice(at, 1);
    };
  }

  /** Ends what an entered line waits for. Returns whether it can be ended. */
  interrupt(): boolean {
    const hear = this.#listeners.at(-1);
    hear?.("SIGINT");
    return hear !== undefined;
  }
}

export function isCtrlC(key: Key): boolean {
  return key.kind === "press" && key.key === "ctrl+c";
}

/**
 * What cannot be ended, for example because it waits for a database, can be left to itself: then it gets nothing more of
 * the session.
 */
export function actAbandonably<Session extends object, Result>(
  session: Session,
  act: (session: Session) => Promise<Result | undefined>,
): { readonly result: Promise<Result | undefined>; abandon(result: Result): void } {
  let isAbandoned = false;
  const lent = new Proxy(session, {
    get: (target, name) => {
      if (isAbandoned) throw new Error("This line was interrupted.");
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  let abandon: (result: Result) => void = () => undefined;
  const abandoned = new Promise<Result>((resolve) => {
    abandon = (result) => {
      isAbandoned = true;
      resolve(result);
    };
  });
  return { result: Promise.race([act(lent), abandoned]), abandon: (result) => abandon(result) };
}
