import type { Output } from "@atomic/terminal/process-output";
import { eventLines } from "../view/event-lines.ts";
import { kindsOf, type NodeKinds } from "../view/node-kinds.ts";
import type { Watcher } from "./watcher.ts";

/** A few lines of text for what a person may want to know, as for a log. */
export function lineWatcher(output: Output): Watcher {
  let kinds: NodeKinds | undefined;
  return {
    event: (event, _, view) => {
      kinds ??= kindsOf(view.state.graph);
      output.write(eventLines(event, view, kinds, output));
    },
    note: () => undefined,
    print: (text) => output.write(text),
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}
