import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import { type AtomicCommand, commandOf } from "../command.ts";
import { engineOption } from "../options.ts";
import { documentOf, type Where } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { describeStatus, hasEnded } from "../view/run-status.ts";

interface CancelResult {
  readonly where: Where;
  readonly runId: string;
  readonly before: RunStatus;
  readonly status: RunStatus;
}

export const cancel: AtomicCommand = commandOf({
  name: "cancel",
  summary: "End a run for good and abort any work in progress",
  arguments: { run: { count: "one", summary: "The run's id or any unique prefix of it" } },
  options: { engine: engineOption },
  examples: [
    {
      command: "atomic cancel calm-otter",
      shows: "End the run and abort its agents, even those running in another process.",
    },
  ],
  run: async (context, { run, engine: given }) => {
    refuseAgent(context.caller, "atomic cancel");
    const { where, engine, find } = await runsOf(context, given);
    const runId = await find(run);
    const before = await engine.status(runId);
    await engine.cancel(runId);
    return { where, runId, before, status: await engine.status(runId) };
  },
  report: {
    text: (result, page) => paragraph(describeCancel(result), page, { indent: "  " }),
    notes: () => "",
    json: ({ where, runId, status }) => documentOf(where, { runId, status }),
    exitCode: ({ before }) => (hasEnded(before) && before.kind !== "cancelled" ? 1 : 0),
    error: (result) => ({ code: "run-ended", message: describeCancel(result) }),
  },
});

function describeCancel({ runId, before, status }: CancelResult): string {
  if (hasEnded(before)) return safe`${runId} has already ended: ${describeStatus(before)}`;
  if (status.kind === "cancelled") return `${runId} is cancelled.`;
  return `${runId} is being cancelled; the process working on it is stopping its agents.`;
}
