// What the page needs of a record or a note. Results may be large, and are loaded when you look at them. Pure.
import type { BranchEnding, JournalEntry, RunEvent, StepNote, Stored } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";

/** In characters of JSON: the way that a decision took, the names of tasks, why an item failed. */
const longestResult = 2000;

function thinResult(stored: Stored): Stored {
  return "value" in stored && JSON.stringify(stored.value ?? null).length <= longestResult ? stored : { value: null };
}

function thinEnding(ending: BranchEnding): BranchEnding {
  return ending.ok ? { ok: true, result: thinResult(ending.result) } : ending;
}

export function thinEntry({ n, event }: JournalEntry): JournalEntry {
  return { n, event: thinEvent(event) };
}

function thinEvent(event: RunEvent): RunEvent {
  switch (event.type) {
    case "step-finished":
      return { ...event, result: thinResult(event.result) };
    case "branch-ended":
      return { ...event, ending: thinEnding(event.ending) };
    case "signal-received": {
      const { value } = event;
      if (JSON.stringify(value ?? null).length <= longestResult) return event;
      return { ...event, value: typeof value === "string" ? value.slice(0, longestResult) : "…" };
    }
    case "run-ended":
      return event.outcome.kind === "done" ? { ...event, outcome: { kind: "done", result: { value: null } } } : event;
    case "run-created": {
      const { input } = event;
      return JSON.stringify(input ?? null).length <= longestResult ? event : { ...event, input: "…" };
    }
    default:
      return event;
  }
}

export function thinStatus(status: RunStatus): RunStatus {
  return status.kind === "done" ? { ...status, result: { value: null } } : status;
}

const longestText = 300;

/** The last note of each step, with texts short enough for a line. */
export function lastNotes(notes: readonly StepNote[]): readonly StepNote[] {
  const last = new Map(notes.map((note) => [note.key, note]));
  return [...last.values()].map((note) => ({ ...note, note: shortNote(note.note) }));
}

function shortNote(note: Json): Json {
  const text = JSON.stringify(note ?? null, (name, value: unknown) => {
    if (name === "output" || name === "diff" || name === "system") return undefined;
    // What an agent says grows at its end.
    return typeof value === "string"
      ? name === "text"
        ? value.slice(-longestText)
        : value.slice(0, longestText)
      : value;
  });
  return JSON.parse(text) as Json;
}
