// The exact words with which a person helps a run on: typed in OpenCode, or in a shell.
import type { GateName } from "./phase-name.ts";

type Run = { readonly run: string };

export const typeChoices = "UI_FOCUSED, API_FOCUSED or MIXED";

export function approveCommand({ run }: Run): string {
  return both("/approve", `magnus-opus approve ${run}`);
}

export function typeCommand({ run }: Run): string {
  return both("/approve --type=<type>", `magnus-opus approve ${run} --type=<type>`);
}

export function waiveCommand({ run }: Run, gate: GateName | "phase"): string {
  return both(`/waive ${gate} <why>`, `magnus-opus waive ${run} ${gate} "<why>"`);
}

export function rejectCommand({ run }: Run): string {
  return both("/reject <what to change>", `magnus-opus reject ${run} "<what to change>"`);
}

export function resumeCommand({ run }: Run): string {
  return both("/magnus-resume", `magnus-opus resume ${run}`);
}

/** Only in OpenCode: a shell is what an agent has, too. */
export const confirmCommand = "`/magnus-confirm` in OpenCode";

export function cancelCommand({ run }: Run): string {
  return both("/magnus-cancel", `magnus-opus cancel ${run}`);
}

export function raiseCommand({ run }: Run, limit: string): string {
  return both(`/magnus-raise ${limit}=<amount>`, `magnus-opus raise ${run} ${limit}=<amount>`);
}

function both(typed: string, shell: string): string {
  return `\`${typed}\` (or in a shell \`${shell}\`)`;
}
