import { isExplained } from "@atomic/durable-files/explained-error";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { jsonLine } from "@atomic/terminal/json";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { type Budget, describeExceeded, usedUp } from "@atomic/workflows/internal/run/budget";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import type { AtomicContext } from "../context.ts";
import type { RunWatching } from "../live/watch-run.ts";
import { budgetText } from "../report/format.ts";
import { isFromProgram, type Permissions, setupOf } from "../runs/run-setup.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { describeStatus, failsAgain, restartCommand } from "../view/run-status.ts";
import { decideRevision, type RevisionChoice } from "./changed-workflow.ts";
import { loadGraph } from "./load-graph.ts";
import { refuseUnknownHost } from "./start-run.ts";
import { type Work, workOn } from "./work-on.ts";

export interface ResumeRequest {
  readonly run: string;
  /** If set, the run must be one of this workflow. */
  readonly workflow?: string;
  /** New limits, for those that are named. */
  readonly budget: Budget;
  /** How many prompts run at a time, for as long as this process works on the run. */
  readonly maxPrompts?: number | undefined;
  /** New answers about tools, for as long as this process works on the run. */
  readonly permissions: Permissions;
  /** Retry the step that made the run fail. */
  readonly retry: boolean;
  /** What to do if the workflow has changed. */
  readonly revision: RevisionChoice;
  /** What `--engine` says. */
  readonly engine: string | undefined;
}

/** Continues a run, wherever it was left. */
export async function resumeRun(
  context: AtomicContext,
  request: ResumeRequest,
  watching: RunWatching,
): Promise<ExitCode> {
  const { engine, find, where } = await runsOf(context, request.engine);
  const runId = await find(request.run);
  const state = await engine.state(runId);
  refuseUnlessOpen(state, request);
  const began = setupOf(state.workspace) ?? {
    workflow: state.name ?? "",
    host: context.env.ATOMIC_HOST || "opencode",
    permissions: {},
  };
  const setup = {
    ...began,
    ...(request.maxPrompts !== undefined && { maxPrompts: request.maxPrompts }),
    permissions: { ...began.permissions, ...request.permissions },
  };
  refuseUnknownHost(setup.host);
  const isWorker = context.env.ATOMIC_WORKER !== undefined;
  if (isWorker) (await import("../fleet/packages.ts")).refuseOtherPackages(where.project, setup.packages ?? {});
  const loaded = await loadGraph(context, setup.workflow, { isSilent: watching.json }).catch((cause: unknown) => {
    if (!(isFromProgram(state.workspace) && isExplained(cause) && cause.code === "entity-not-found")) throw cause;
    const message = `${runId} was started by a program, and no workflow file has its graph`;
    throw new Refusal("run-not-resumable", { message, hint: `Run the program again with runId "${runId}".`, cause });
  });
  if (isWorker) await (await import("./readiness.ts")).refuseMissingHosts(context, loaded, setup);
  const { name } = loaded.graph;
  if (request.workflow !== undefined && request.workflow.toLowerCase() !== name.toLowerCase()) {
    throw new Refusal("other-workflow", {
      message: safe`${runId} is a run of ${state.name ?? name}, not of ${request.workflow}`,
      hint: `Continue it with: atomic resume ${runId}`,
    });
  }
  // A process that works on it has the workflow as it was when that process began.
  const isWorkedOn = state.status.kind === "running" || state.status.kind === "waiting";
  const revision =
    isWorkedOn && request.revision.from === undefined
      ? undefined
      : await decideRevision(context, state, loaded, request.revision, watching.json);
  const stored = revision?.restart?.graph ?? state.graph;
  // Checked before anything is recorded.
  const { bindGraph } = await import("@atomic/workflows/internal/graph/compile");
  try {
    bindGraph(stored, loaded.compiled, loaded.registry, loaded.options);
  } catch (cause) {
    if (!(isExplained(cause) && cause.code === "graph-invalid")) throw cause;
    const message = `The run ${runId} cannot continue: ${cause.message}`;
    const hint = `To continue with the new graph, from a node on: atomic resume ${runId} --from <node>`;
    throw new Refusal("run-not-resumable", { message, hint, cause, exitCode: 3 });
  }
  const isRaised = Object.keys(request.budget).length > 0;
  const prepare: Work["prepare"] = async (working) => {
    if (revision !== undefined) await working.revise(runId, revision);
    const isRestarted = revision?.restart !== undefined;
    if (request.retry && state.status.kind === "failed" && !isRestarted) await working.reopen(runId);
    if (isRaised) await working.raise(runId, request.budget);
    return runId;
  };
  try {
    const budget = { ...state.budget, ...request.budget };
    return await workOn(context, { loaded, setup, budget, prepare, engine: request.engine }, watching);
  } catch (error) {
    // The process that works on it has received the new budget.
    if (!(isExplained(error) && error.code === "run-held")) throw error;
    if (!isRaised) {
      const { status } = await engine.state(runId);
      const who = "owner" in status ? `process ${status.owner?.pid}` : "another process";
      const next =
        status.kind === "waiting"
          ? `To answer its question: atomic approve ${runId}`
          : `To follow it: atomic show ${runId} --follow`;
      throw new Refusal("run-held", {
        message: `The run ${runId} is already being worked on by ${who}`,
        hint: next,
        cause: error,
        exitCode: 3,
      });
    }
    context.stdout.write(describeRaised(await engine.state(runId), watching.json));
    return 0;
  }
}

function refuseUnlessOpen(state: RunState, { retry, revision }: ResumeRequest): void {
  const { runId, status, workspace } = state;
  const { kind } = status;
  if (kind === "done" || kind === "cancelled") {
    throw new Refusal("run-ended", {
      message: `${runId} has already ended (${kind})`,
      hint:
        kind === "done"
          ? `\`atomic show ${runId} --answer\` prints what it said.`
          : `\`atomic show ${runId}\` shows what it did.`,
    });
  }
  if (kind === "failed" && revision.from === undefined && (failsAgain(state) || !retry)) {
    const hint = isFromProgram(workspace)
      ? "To start a new run, run the program again with another runId."
      : failsAgain(state)
        ? `Retrying would fail the same way. Start a new run: ${restartCommand(state)}`
        : `To retry the failed step: atomic resume ${runId} --retry${revision.keepGraph ? " --keep-graph" : ""}`;
    throw new Refusal("run-failed", { message: safe`${runId} has ${describeStatus(status)}`, hint });
  }
}

/** The new limits of a run that another process works on. */
function describeRaised({ runId, name, status, budget, spent, updatedAt: at }: RunState, json: boolean): string {
  if (json) {
    const what = { type: "budget-raised", version: 1, workflow: name };
    return jsonLine({ ok: true, runId, ...what, status, budget, spent, exitCode: 0, at });
  }
  const process = "owner" in status ? `process ${status.owner.pid}` : "the process working on it";
  const exceeded = usedUp(budget, spent);
  const next = exceeded === undefined ? `${process} continues` : `${process} stops: ${describeExceeded(exceeded)}`;
  return `${runId}: the budget is now ${budgetText(budget)}; ${next}.\n`;
}
