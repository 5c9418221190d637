import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { UsageError } from "@atomic/terminal/refusal";
import { describeExceeded, usedUp } from "@atomic/workflows/internal/run/budget";
import { type AtomicCommand, commandOf } from "../command.ts";
import { engineOption } from "../options.ts";
import { budgetText } from "../report/format.ts";
import { documentOf } from "../report/path.ts";
import { budgetOf, budgetOptions } from "../run-options.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { whoContinues } from "../view/run-summary.ts";

export const raise: AtomicCommand = commandOf({
  name: "raise",
  summary: "Change a run's limits without continuing it",
  arguments: { run: { count: "one", summary: "The run's id or any unique prefix of it" } },
  options: { ...budgetOptions, engine: engineOption },
  details: [
    "The new limits go to the process working on the run, or to the next one. Everything the run has spent so far counts toward them.",
  ],
  examples: [{ command: "atomic raise calm-otter --budget-usd 10", shows: "Let a run spend $10 instead of $5." }],
  run: async (context, input) => {
    refuseAgent(context.caller, "Changing a run's budget");
    const budget = budgetOf(input);
    if (Object.keys(budget).length === 0) {
      const hint = "Pass at least one of --budget-usd, --budget-tokens, --max-time and --max-steps.";
      throw new UsageError("missing a limit", { hint });
    }
    const { where, engine, database, find } = await runsOf(context, input.engine);
    const runId = await find(input.run);
    const before = await engine.status(runId);
    await engine.raise(runId, budget);
    return { where, wasStopped: before.kind === "stopped", database, state: await engine.state(runId) };
  },
  report: {
    text: ({ state: { runId, budget } }) => `${runId}: the budget is now ${budgetText(budget)}.\n`,
    notes: ({ state, wasStopped, database }, page) => {
      const exceeded = usedUp(state.budget, state.spent);
      if (exceeded !== undefined) return `It still stops: ${describeExceeded(exceeded)}\n`;
      return wasStopped ? whoContinues(state, database !== undefined, page) : "";
    },
    json: ({ where, state: { runId, status, budget, spent } }) => documentOf(where, { runId, status, budget, spent }),
    exitCode: () => 0,
  },
});
