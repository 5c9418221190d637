// The exact commands with which you help a run along, where you read about them: in OpenCode, in a shell that has our program, or
// in a question of `atomic run`. What is printed must work as printed.
import type { ExceededLimit } from "./budget.ts";
import { withCommands } from "./command-names.ts";
import type { MagnusState } from "./state.ts";

export const typeChoices = "UI_FOCUSED, API_FOCUSED or MIXED";

/** Only in OpenCode, because agents can use a shell. */
export function confirmCommand({ commandNames }: CommandNamesOf): string {
  return withCommands("`/magnus-confirm` in OpenCode", commandNames);
}

/** Of a run. */
type CommandNamesOf = Pick<MagnusState, "commandNames">;

type PersonCommand = "approve" | "type" | "waive" | "reject" | "resume" | "cancel" | "raise";

/** `what`: the gate to waive, or the limit to raise. */
export function personCommand(
  { run, commandNames }: Pick<MagnusState, "run" | "commandNames">,
  name: PersonCommand,
  what = "",
): string {
  const commands: Readonly<Record<PersonCommand, readonly [typed: string, shell: string]>> = {
    approve: ["/approve", `approve ${run}`],
    type: ["/approve --type=<type>", `approve ${run} --type=<type>`],
    waive: [`/waive ${what} <reason>`, `waive ${run} ${what} "<reason>"`],
    reject: ["/reject <what to change>", `reject ${run} "<what to change>"`],
    resume: ["/magnus-resume", `resume ${run}`],
    cancel: ["/magnus-cancel", `cancel ${run}`],
    raise: [`/magnus-raise ${what}=<amount>`, `raise ${run} ${what}=<amount>`],
  };
  const [ours, shell] = commands[name];
  const typed = withCommands(ours, commandNames);
  // An answer begins with the name of the action.
  if (offered.commands === "answers")
    return `\`${name === "type" ? "approve" : name}${/ .*/s.exec(typed)?.[0] ?? ""}\``;
  return offered.commands === "shell" ? `\`${typed}\` (or in a shell \`magnus-opus ${shell}\`)` : `\`${typed}\``;
}

/** Raises the limit that was reached: the run's, or the current phase's. */
export function raiseCommand(
  state: Pick<MagnusState, "run" | "commandNames">,
  { of, limit }: Pick<ExceededLimit, "of" | "limit">,
): string {
  return personCommand(state, "raise", `${of === "run" ? "" : "phase."}${limit === "ms" ? "minutes" : limit}`);
}

/** How you update Magnus Opus, as an addition to "update it"; empty if nothing is known about how it was installed. */
export function updateCommand(): string {
  return offered.update === undefined ? "" : ` (\`${offered.update}\`)`;
}

interface OfferedCommands {
  /** `shell`: in OpenCode, or with `magnus-opus`, which is on the PATH; a plugin that Hugo installed does not put it there. */
  readonly commands: "opencode" | "shell" | "answers";
  readonly update?: string | undefined;
}

let offered: OfferedCommands = { commands: "shell", update: "hugo update magnus-opus" };

export function isShellOffered(): boolean {
  return offered.commands === "shell";
}

/** Each process says once what can be typed where its texts are read. */
export function offerCommands(commands: OfferedCommands): void {
  offered = commands;
}
