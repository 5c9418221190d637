import type { Place } from "./place.ts";

const COMMAND = /\bhugo (install|update|remove|enable|disable|diff|ci)\b/g;

/** A next step for where the command ran: whoever works on their own OpenCode needs `-g` there too. */
export function inScope({ scope }: Pick<Place, "scope">, hint: string): string {
  return scope === "global" ? hint.replace(COMMAND, "hugo $1 -g") : hint;
}
