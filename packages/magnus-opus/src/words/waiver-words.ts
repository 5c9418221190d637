import type { PersonEvent } from "../run/event.ts";
import { phases } from "../run/phases.ts";

/** What goes with a waiver of a whole phase, and is easily not thought of. Empty: nothing. */
export function waiverWords(event: PersonEvent): string {
  if (event.type !== "waived" || event.gate !== "phase" || phases[event.phase].gate !== "user_approval") return "";
  return event.phase === "architecture"
    ? "With it goes the approval of the plan: building is released."
    : "With it goes the approval of the result.";
}
