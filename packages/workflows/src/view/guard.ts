import { safeLine } from "@atomic/terminal/safe-text";
import type { TerminalApi } from "./terminal-api.ts";

/** Runs what a plugin does. The first failure is shown, once; none of them reaches OpenCode. */
export type Guard = (run: () => void | Promise<void>) => void;

export function guard(api: TerminalApi, title: string): Guard {
  let isTold = false;
  const tell = (error: unknown): void => {
    if (isTold) return;
    isTold = true;
    const message = safeLine(error instanceof Error ? error.message : String(error));
    api.ui.toast({ variant: "error", title, message, duration: 10_000 });
  };
  return (run) => {
    try {
      const running = run();
      if (running instanceof Promise) running.catch(tell);
    } catch (error) {
      tell(error);
    }
  };
}
