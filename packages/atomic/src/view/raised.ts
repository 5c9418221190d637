// A run that another process works on has been given other limits.

import { jsonLine } from "@atomic/terminal/json";
import { describeExceeded, usedUp } from "@atomic/workflows/run/budget";
import type { RunState } from "@atomic/workflows/run/run-state";
import { budgetText } from "../report/amounts.ts";

export function raisedText(state: RunState): string {
  const { runId, budget, spent, status } = state;
  const who = "owner" in status ? `process ${status.owner.pid}` : "the process that works on it";
  const exceeded = usedUp(budget, spent);
  const what = exceeded === undefined ? `${who} continues` : `${who} stops: ${describeExceeded(exceeded)}`;
  return `${runId}: the budget is now ${budgetText(budget)}; ${what}.\n`;
}

export function raisedLine({ runId, name, status, budget, spent, updatedAt }: RunState): string {
  const workflow = name === undefined ? {} : { workflow: name };
  return jsonLine({
    ok: true,
    runId,
    type: "budget-raised",
    version: 1,
    ...workflow,
    status,
    budget,
    spent,
    exitCode: 0,
    at: updatedAt,
  });
}
