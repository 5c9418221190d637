// The exact commands with which you help a run along: typed in OpenCode, or in a shell that has our program.

export const typeChoices = "UI_FOCUSED, API_FOCUSED or MIXED";

/** Only in OpenCode, because agents can use a shell. */
export const confirmCommand = "`/magnus-confirm` in OpenCode";

type PersonCommand = "approve" | "type" | "waive" | "reject" | "resume" | "cancel" | "raise";

/** `what`: the gate to waive, or the limit to raise. */
export function personCommand({ run }: { readonly run: string }, name: PersonCommand, what = ""): string {
  const commands: Readonly<Record<PersonCommand, readonly [typed: string, shell: string]>> = {
    approve: ["/approve", `approve ${run}`],
    type: ["/approve --type=<type>", `approve ${run} --type=<type>`],
    waive: [`/waive ${what} <reason>`, `waive ${run} ${what} "<reason>"`],
    reject: ["/reject <what to change>", `reject ${run} "<what to change>"`],
    resume: ["/magnus-resume", `resume ${run}`],
    cancel: ["/magnus-cancel", `cancel ${run}`],
    raise: [`/magnus-raise ${what}=<amount>`, `raise ${run} ${what}=<amount>`],
  };
  const [typed, shell] = commands[name];
  return isInShell ? `\`${typed}\` (or in a shell \`magnus-opus ${shell}\`)` : `\`${typed}\``;
}

let isInShell = true;

/** What is printed must work as printed: a plugin that Hugo installed does not put `magnus-opus` on the PATH. */
export function offerShell(isThere: boolean): void {
  isInShell = isThere;
}
