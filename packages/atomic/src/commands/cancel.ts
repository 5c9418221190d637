import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { ArgumentSpec, Command, InputOf } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import type { RunStatus } from "@atomic/workflows/run/run-state";
import type { Context } from "../context.ts";
import type { Where } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { describeStatus } from "../view/run-status.ts";

type Arguments = { readonly run: ArgumentSpec & { readonly count: "one" } };
type Options = Readonly<Record<never, never>>;

interface CancelResult {
  readonly where: Where;
  readonly runId: string;
  readonly before: RunStatus;
  readonly status: RunStatus;
}

export const cancel: Command<Context, Arguments, Options, CancelResult> = {
  name: "cancel",
  summary: "End a run for good and abort what it is doing",
  arguments: { run: { count: "one", summary: "Its id or any unique prefix" } },
  options: {},
  examples: [{ command: "atomic cancel calm-otter", shows: "Its agents are aborted, whichever process they run in." }],
  run: cancelRun,
  report: {
    text: ({ runId, before, status }) => `${sentence(runId, before, status)}\n`,
    notes: () => "",
    json: ({ where, runId, status }) => ({ version: 1, project: where.project, home: where.home, runId, status }),
    exitCode: ({ before }) => (isEnd(before) && before.kind !== "cancelled" ? 1 : 0),
    error: ({ runId, before, status }) => ({ code: "run-ended", message: sentence(runId, before, status) }),
  },
};

async function cancelRun(context: Context, { run }: InputOf<Arguments, Options>): Promise<CancelResult> {
  refuseAgent(context.caller, "atomic cancel");
  const { where, engine, find } = await runsOf(context);
  const runId = await find(run);
  const before = await engine.status(runId);
  await engine.cancel(runId);
  return { where, runId, before, status: await engine.status(runId) };
}

function sentence(runId: string, before: RunStatus, status: RunStatus): string {
  if (isEnd(before)) return safe`${runId} has already ended: ${describeStatus(before)}`;
  if (status.kind === "cancelled") return `${runId} is cancelled.`;
  return `${runId} is being cancelled: the process that works on it stops what is running.`;
}

function isEnd({ kind }: RunStatus): boolean {
  return kind === "done" || kind === "failed" || kind === "cancelled";
}
