import type { Budget } from "@atomic/workflows/run/budget";
import type { RunState } from "@atomic/workflows/run/run-state";
import { safe } from "@atomic/workflows/terminal/safe-text";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Attendance } from "../live/attend-run.ts";
import { Refusal } from "../refusal.ts";
import { describeStatus } from "../report/run-status.ts";
import { setupOf } from "../runs/run-setup.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { loadGraph } from "./load-graph.ts";
import { refuseUnknownHost } from "./start-run.ts";
import { type Work, workOn } from "./work-on.ts";

export interface ResumeRequest {
  readonly run: string;
  /** If it has to be a run of this one. */
  readonly workflow?: string;
  /** New limits, for those that are named. */
  readonly budget: Budget;
  /** Try again what has made the run fail. */
  readonly retry: boolean;
}

/** Goes on with a run, wherever it was left. */
export async function resumeRun(context: Context, request: ResumeRequest, attendance: Attendance): Promise<ExitCode> {
  const { engine, find } = await runsOf(context);
  const runId = await find(request.run);
  const state = await engine.state(runId);
  refuseUnlessOpen(state, request.retry);
  const setup = setupOf(state.workspace) ?? {
    workflow: state.name ?? "",
    host: context.env.ATOMIC_HOST || "opencode",
    permissions: {},
  };
  refuseUnknownHost(setup.host);
  const loaded = await loadGraph(context, setup.workflow);
  refuseOtherWorkflow(state, request.workflow, loaded.graph.name);
  const prepare: Work["prepare"] = async (working) => {
    if (request.retry && state.status.kind === "failed") await working.reopen(runId);
    if (Object.keys(request.budget).length > 0) await working.raise(runId, request.budget);
    return runId;
  };
  return await workOn(context, { loaded, setup, prepare }, attendance);
}

function refuseUnlessOpen({ runId, status }: RunState, retry: boolean): void {
  const { kind } = status;
  if (kind === "failed" && !retry) {
    throw new Refusal(safe`${runId} has ${describeStatus(status)}`, {
      hint: `Try again what has failed with: atomic resume ${runId} --retry`,
    });
  }
  if (kind === "done" || kind === "cancelled") {
    throw new Refusal(`${runId} has ended: it is ${kind}`, { hint: `\`atomic show ${runId}\` tells what it did.` });
  }
}

function refuseOtherWorkflow({ runId, name }: RunState, wanted: string | undefined, is: string): void {
  if (wanted === undefined || wanted.toLowerCase() === is.toLowerCase()) return;
  throw new Refusal(safe`${runId} is a run of ${name ?? is}, not of ${wanted}`, {
    hint: `Go on with it by: atomic resume ${runId}`,
  });
}
