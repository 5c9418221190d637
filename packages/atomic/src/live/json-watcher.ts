import { jsonLine } from "@atomic/terminal/json";
import type { Output } from "@atomic/terminal/process-output";
import type { Watcher } from "./watcher.ts";

/** One line of JSON for everything that happens. */
export function jsonWatcher(output: Output, prints: Output): Watcher {
  return {
    event: (event, n, { state }) => output.write(jsonLine({ runId: state.runId, n, ...event })),
    note: (note, { state }) => output.write(jsonLine({ runId: state.runId, ...note })),
    print: (text) => prints.write(text),
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}
