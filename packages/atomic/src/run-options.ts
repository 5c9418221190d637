// The command-line options of a run, whether it starts or continues.

import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { FlagSpec, ParsedSpec } from "@atomic/terminal/command";
import { UsageError } from "@atomic/terminal/refusal";
import { changesFiles } from "@atomic/workflows/internal/entities/normalize/tool-names";
import { readToolWord } from "@atomic/workflows/internal/hosts/tool-word";
import type { Action } from "@atomic/workflows/internal/permission/rules";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import type { AtomicContext } from "./context.ts";
import { durationOption, numberOption, parseDuration, textOption, wholeOption } from "./options.ts";
import type { Permissions } from "./runs/run-setup.ts";

type BudgetOptions = Readonly<Record<"budget-usd" | "budget-tokens" | "max-time" | "max-steps", ParsedSpec<number>>>;

export const budgetOptions: BudgetOptions = {
  "budget-usd": numberOption("amount", "Stop when this many dollars are spent"),
  "budget-tokens": wholeOption("n", "Stop when this many tokens are used"),
  "max-time": durationOption("Stop after this much working time (90s, 10m, 2h); waiting does not count"),
  "max-steps": wholeOption("n", "Stop after this many steps"),
};

export const maxPromptsOption: ParsedSpec<number> = {
  ...wholeOption("n", "Run at most this many prompts at a time; the default is 8"),
  takes: "a positive whole number",
  parse: (word) => (/^0*[1-9]\d*$/.test(word) ? Number(word) : undefined),
};

export type BudgetInput = { readonly [Name in keyof BudgetOptions]: number | undefined };

export function budgetOf(input: BudgetInput): Budget {
  const named = {
    usd: input["budget-usd"],
    tokens: input["budget-tokens"],
    wallMs: input["max-time"],
    steps: input["max-steps"],
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

type PolicyOptions = Readonly<Record<"allow" | "deny" | "ask", ParsedSpec<string> & { readonly many: true }>>;

export const policyOptions: PolicyOptions = {
  allow: { ...textOption("tool", "Let agents use this tool without asking you; `all` means every tool"), many: true },
  deny: { ...textOption("tool", "Do not let agents use this tool"), many: true },
  ask: { ...textOption("tool", "Ask you each time an agent wants to use this tool"), many: true },
};

export type PolicyInput = { readonly [Name in keyof PolicyOptions]: readonly string[] };

/** If a tool has two answers, the stricter one counts. `edit` also allows the other tools that change files, unless they are named. */
export function permissionsOf(input: PolicyInput): Permissions {
  const permissions: Record<string, Action> = {};
  for (const answer of ["allow", "ask", "deny"] as const) {
    for (const word of input[answer].flatMap((words) => words.split(",")).map((each) => each.trim())) {
      if (word === "") continue;
      const read = readToolWord(word);
      if (!read.ok) throw new UsageError(`--${answer}: ${read.problem}`, { hint: read.hint });
      for (const tool of read.tools) permissions[tool] = answer;
    }
  }
  if (permissions.edit === "allow" && permissions["*"] !== "allow") {
    for (const tool of changesFiles) permissions[tool] ??= "allow";
  }
  return permissions;
}

/** An agent may neither grant permissions nor raise the budget of an existing run. */
export function refuseGrants({ caller }: AtomicContext, input: PolicyInput & BudgetInput, isResumed: boolean): void {
  if (input.allow.length > 0) refuseAgent(caller, "--allow");
  if (isResumed && Object.keys(budgetOf(input)).length > 0) refuseAgent(caller, "Changing a run's budget");
}

export const idleOption: ParsedSpec<number> = {
  ...durationOption("Fail a prompt when its host is silent for this long (default: 30m); a node's own limit wins"),
  takes: "a duration longer than zero, such as 90s or 10m",
  // Every prompt would fail at once.
  parse: (word) => parseDuration(word) || undefined,
};

export const noWaitOption: FlagSpec = { kind: "flag", summary: "Exit instead of waiting when the run needs an answer" };
