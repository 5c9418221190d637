import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { UsageError } from "@atomic/terminal/refusal";
import { describeExceeded, usedUp } from "@atomic/workflows/internal/run/budget";
import { type AtomicCommand, commandOf } from "../command.ts";
import { engineOption } from "../options.ts";
import { budgetText } from "../report/format.ts";
import { documentOf } from "../report/path.ts";
import { budgetOf, budgetOptions } from "../run-options.ts";
import { runsOf } from "../runs/runs-folder.ts";

export const raise: AtomicCommand = commandOf({
  name: "raise",
  summary: "Change a run's limits, without working on it here",
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
    const { where, engine, find } = await runsOf(context, input.engine);
    const runId = await find(input.run);
    await engine.raise(runId, budget);
    return { where, state: await engine.state(runId) };
  },
  report: {
    text: ({ state: { runId, budget } }) => `${runId}: the budget is now ${budgetText(budget)}.\n`,
    notes: ({ state: { budget, spent } }) => {
      const exceeded = usedUp(budget, spent);
      return exceeded === undefined ? "" : `It still stops: ${describeExceeded(exceeded)}\n`;
    },
    json: ({ where, state: { runId, status, budget, spent } }) => documentOf(where, { runId, status, budget, spent }),
    exitCode: () => 0,
  },
});
