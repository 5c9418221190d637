import { isExplained } from "@atomic/durable-files/explained-error";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import type { Budget } from "@atomic/workflows/run/budget";
import type { RunState } from "@atomic/workflows/run/run-state";
import type { Context } from "../context.ts";
import type { Attendance } from "../live/watch-run.ts";
import { type Permissions, setupOf } from "../runs/run-setup.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { raisedLine, raisedText } from "../view/raised.ts";
import { failsAgain, restartCommand } from "../view/restart.ts";
import { describeStatus } from "../view/run-status.ts";
import { type LoadedGraph, loadGraph } from "./load-graph.ts";
import { refuseUnknownHost } from "./start-run.ts";
import { type Work, workOn } from "./work-on.ts";

export interface ResumeRequest {
  readonly run: string;
  /** If it has to be a run of this one. */
  readonly workflow?: string;
  /** New limits, for those that are named. */
  readonly budget: Budget;
  /** New answers about tools, for as long as this process works on the run. */
  readonly permissions: Permissions;
  /** Try again what has made the run fail. */
  readonly retry: boolean;
}

/** Goes on with a run, wherever it was left. */
export async function resumeRun(context: Context, request: ResumeRequest, attendance: Attendance): Promise<ExitCode> {
  const { engine, find } = await runsOf(context);
  const runId = await find(request.run);
  const state = await engine.state(runId);
  refuseUnlessOpen(state, request.retry);
  const began = setupOf(state.workspace) ?? {
    workflow: state.name ?? "",
    host: context.env.ATOMIC_HOST || "opencode",
    permissions: {},
  };
  const setup = { ...began, permissions: { ...began.permissions, ...request.permissions } };
  refuseUnknownHost(setup.host);
  const loaded = await loadGraph(context, setup.workflow, { isSilent: attendance.json });
  refuseOtherWorkflow(state, request.workflow, loaded.graph.name);
  await refuseOtherGraph(state, loaded);
  const isRaised = Object.keys(request.budget).length > 0;
  const prepare: Work["prepare"] = async (working) => {
    if (request.retry && state.status.kind === "failed") await working.reopen(runId);
    if (isRaised) await working.raise(runId, request.budget);
    return runId;
  };
  try {
    return await workOn(context, { loaded, setup, prepare }, attendance);
  } catch (error) {
    // Whoever works on it has been told of the budget.
    if (!(isRaised && isExplained(error) && error.code === "run-held")) throw error;
    const raised = await engine.state(runId);
    context.stdout.write(attendance.json ? raisedLine(raised) : raisedText(raised));
    return 0;
  }
}

/** Before anything is told or recorded: its workflow may have changed. */
async function refuseOtherGraph({ runId, graph }: RunState, loaded: LoadedGraph): Promise<void> {
  const { bindGraph } = await import("@atomic/workflows/graph/compile");
  try {
    bindGraph(graph, loaded.compiled, loaded.registry, loaded.options);
  } catch (error) {
    if (!(isExplained(error) && error.code === "graph-invalid")) throw error;
    throw new Refusal("run-not-resumable", {
      message: `The run ${runId} cannot continue: ${error.message}`,
      cause: error,
      exitCode: 3,
    });
  }
}

function refuseUnlessOpen(state: RunState, retry: boolean): void {
  const { runId, status } = state;
  const { kind } = status;
  if (failsAgain(state)) {
    throw new Refusal("run-failed", {
      message: safe`${runId} has ${describeStatus(status)}`,
      hint: `It would end like that again. Start a new run: ${restartCommand(state)}`,
    });
  }
  if (kind === "failed" && !retry) {
    throw new Refusal("run-failed", {
      message: safe`${runId} has ${describeStatus(status)}`,
      hint: `Try again what has failed with: atomic resume ${runId} --retry`,
    });
  }
  if (kind === "done" || kind === "cancelled") {
    throw new Refusal("run-ended", {
      message: `${runId} has ended: it is ${kind}`,
      hint: `\`atomic show ${runId}\` tells what it did.`,
    });
  }
}

function refuseOtherWorkflow({ runId, name }: RunState, wanted: string | undefined, is: string): void {
  if (wanted === undefined || wanted.toLowerCase() === is.toLowerCase()) return;
  throw new Refusal("other-workflow", {
    message: safe`${runId} is a run of ${name ?? is}, not of ${wanted}`,
    hint: `Continue it with: atomic resume ${runId}`,
  });
}
