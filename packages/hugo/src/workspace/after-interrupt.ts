import type { Context } from "../context.ts";
import { placeFor } from "./place.ts";
import { isUnfinished } from "./store/state-folder.ts";

/** The truth about what a stopped command has left behind. */
export function afterInterrupt(context: Pick<Context, "cwd" | "home" | "env">): string {
  const places = [false, true].map((global) => placeFor(context, { global }));
  return places.some(({ stateFolder }) => isUnfinished(stateFolder))
    ? "A change is half-done. The next `hugo` command finishes or undoes it."
    : "No change was left half-done. Run the command again to continue.";
}
