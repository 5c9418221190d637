import type { RunEvent, StepNote } from "@atomic/workflows/run/events";
import type { RunView } from "../view/run-view.ts";

/** Whoever tells people or programs what happens in a run. The view knows already of what is told. */
export interface Watcher {
  event(event: RunEvent, n: number, view: RunView): void;
  note(note: StepNote, view: RunView): void;
  /** What the workflow's own code prints. */
  print(text: string): void;
  /** Something else is written to the terminal now: nothing is drawn until `resume`. */
  pause(keep: boolean): void;
  resume(): void;
  /** The last picture stays. */
  close(): void;
}
