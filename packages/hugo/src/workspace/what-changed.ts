import type { Context } from "../context.ts";
import { changesMade } from "./changes-made.ts";
import { placeFor } from "./place.ts";
import { isUnfinished } from "./store/state-folder.ts";

/** The truth about what a command that failed or was stopped has changed. @param before How many changes there were. */
export function whatChanged(context: Pick<Context, "cwd" | "home" | "env">, before: number): string {
  const places = [false, true].map((global) => placeFor(context, { global }));
  if (places.some(({ stateFolder }) => isUnfinished(stateFolder)))
    return "A change is half-done. The next `hugo` command finishes or undoes it.";
  return changesMade() > before ? "The change itself was completed." : "Nothing was changed.";
}
