import { safeLine } from "@atomic/terminal/safe-text";
import type { TerminalApi, Toast } from "./terminal-api.ts";

/**
 * Runs what a plugin does. No failure reaches OpenCode: it is shown. What fails again in the background is not repeated; what
 * you did yourself always has an answer.
 */
export type Guard = (run: () => void | Promise<void>, by?: "background" | "you") => void;

/** Loading our files in the first 400 ms makes OpenCode's first frame 100 to 200 ms later; nothing that we show is missed so early. */
const firstFrameMs = 400;

/** OpenCode draws its first frame when all plugins have started, so what takes time is loaded afterwards. */
export function afterFirstFrame(api: Pick<TerminalApi, "lifecycle">, run: () => void): void {
  const timer = setTimeout(run, firstFrameMs);
  api.lifecycle.onDispose(() => clearTimeout(timer));
}

/** @param show Shows a failure. */
export function guard(show: (failure: Omit<Toast, "title">) => void): Guard {
  const shown = new Set<string>();
  return (run, by = "background") => {
    const fail = (error: unknown): void => {
      const message = safeLine(error instanceof Error ? error.message : String(error));
      if (by === "background" && shown.has(message)) return;
      shown.add(message);
      show({ variant: "error", message, duration: 10_000 });
    };
    try {
      const running = run();
      if (running instanceof Promise) running.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}
