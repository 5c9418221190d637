// The composition root: a graph, a host, decisions and an engine become a run that can be watched.
import { isExplained } from "@atomic/durable-files/explained-error";
import { Interrupted } from "@atomic/terminal/console";
import { type ExitCode, type Interrupt, signalCodes } from "@atomic/terminal/exit-codes";
import { failureOf } from "@atomic/terminal/failure";
import { writePieces } from "@atomic/terminal/process-output";
import { Refusal } from "@atomic/terminal/refusal";
import { defaultMaxPrompts, type Services } from "@atomic/workflows/internal/graph/services";
import { hostMakers } from "@atomic/workflows/internal/hosts/host-makers";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import type { Interpret, LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { JournalEntry } from "@atomic/workflows/internal/run/events";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import type { AtomicContext } from "../context.ts";
import { describeEnd } from "../foreign-code.ts";
import { type RunWatching, watchRun } from "../live/watch-run.ts";
import { canDraw } from "../live/watcher.ts";
import { engineFor } from "../runs/engine-for.ts";
import { runAnswer, wholeStatus } from "../runs/run-result.ts";
import type { RunSetup } from "../runs/run-setup.ts";
import { exitCodeOf } from "../view/run-status.ts";
import {
  answerPieces,
  resultPieces,
  type SummarizedRun,
  summaryBelowLines,
  summaryBelowPicture,
} from "../view/run-summary.ts";
import type { LoadedGraph } from "./load-graph.ts";
import { readScript } from "./read-script.ts";

export interface Work {
  readonly loaded: LoadedGraph;
  readonly setup: RunSetup;
  /** With the limits that are about to be set. */
  readonly budget: Budget;
  /** Gets the engine ready: starts a run, or prepares one to continue. Returns its id. */
  readonly prepare: (engine: LocalEngine) => Promise<string>;
  /** What `--engine` says. */
  readonly engine: string | undefined;
}

/** Works on a run until it ends, stops or is left, and reports the outcome. */
export async function workOn(context: AtomicContext, work: Work, watching: RunWatching): Promise<ExitCode> {
  const { engine, dispose } = await assemble(context, work);
  const reportOf = (run: SummarizedRun): { readonly code: ExitCode; readonly pieces: Iterable<string> } => {
    const { status, left, broken } = run;
    const ended = left === undefined ? exitCodeOf(status) : left === "no-wait" ? 4 : signalCodes[left];
    const code = broken === undefined ? ended : 7;
    const summary = canDraw(context) ? summaryBelowPicture : summaryBelowLines;
    if (!watching.json) context.stderr.write(summary(run, context.stderr));
    return {
      code,
      pieces: watching.json ? resultPieces(run, code, context.stdout) : answerPieces(run, context.stdout),
    };
  };
  /** The process ends when this returns. */
  const reportAtOnce = (run: SummarizedRun): ExitCode => {
    const { code, pieces } = reportOf(run);
    for (const piece of pieces) context.stdout.write(piece);
    return code;
  };
  let watched: SummarizedRun | undefined;
  let runId: string | undefined;
  let interrupt: Interrupt | undefined;
  const unlisten = context.signals.listen((received) => {
    // A worker's child may get a signal twice: from the worker, and with the worker's process group.
    if (interrupt !== undefined && context.env.ATOMIC_WORKER !== undefined) return;
    if (interrupt !== undefined) context.exit(context.fail(failureOf(new Interrupted(received), "atomic")));
    interrupt = received;
  });
  try {
    context.interrupted?.throwIfAborted();
    const id = await work.prepare(engine);
    runId = id;
    const before: JournalEntry[] = [];
    for await (const entry of engine.journal(id)) before.push(entry);
    const take = { engine, take: () => engine.run(id), before };
    const ended = await watchRun(context, take, { ...watching, interrupt: () => interrupt }, reportAtOnce);
    const { status, view } = ended;
    watched = {
      ...ended,
      status: watching.json ? await wholeStatus(engine, id, status) : status,
      answer: await runAnswer(engine, view.state, status),
      hasWorkers: engine.name === "postgres",
    };
  } catch (cause) {
    if (!(isExplained(cause) && cause.code === "io" && runId !== undefined)) throw cause;
    const { code, message } = cause;
    const hint = [...(cause.hint === undefined ? [] : [cause.hint]), `Then continue it: atomic resume ${runId}`];
    throw new Refusal(code, { message, hint: hint.join(" "), cause, exitCode: 3 });
  } finally {
    unlisten();
    // A step may have left something behind that fails only now. The run has ended anyway, and its result is reported.
    const ended = watched;
    const unlistenToEnd = ended && context.onAbruptEnd((end) => reportAtOnce({ broken: describeEnd(end), ...ended }));
    try {
      await dispose();
    } finally {
      unlistenToEnd?.();
    }
  }
  const { code, pieces } = reportOf(watched);
  try {
    await writePieces(context.stdout, pieces);
  } catch (cause) {
    // Run again, the command would start another run.
    const isFull = cause instanceof Error && "code" in cause && ["ENOSPC", "EDQUOT"].includes(String(cause.code));
    if (!isFull) throw cause;
    const hint = `Nothing of the run is lost: atomic show ${watched.view.state.runId} --answer`;
    throw new Refusal("io", { message: cause.message, hint, cause, exitCode: code === 0 ? 1 : code });
  }
  return code;
}

async function assemble(
  context: AtomicContext,
  { loaded, setup, budget, engine: given }: Work,
): Promise<{ readonly engine: LocalEngine; readonly dispose: () => Promise<void> }> {
  const { compiled, registry, options, where } = loaded;
  const folder = where.project;
  const [
    { interpreterOf, interpreterVersion },
    { nodeHostOf },
    { taskLoopDecisions },
    { criteriaLoopDecisions },
    { liveRuns },
  ] = await Promise.all([
    import("@atomic/workflows/internal/graph/interpret/interpret"),
    import("@atomic/workflows/internal/hosts/node-host-of"),
    import("@atomic/workflows/internal/tasks/task-loop-decisions"),
    import("@atomic/workflows/internal/tasks/criteria-loop-decisions"),
    import("@atomic/workflows/internal/tasks/claim"),
  ]);
  // Read now, so an unreadable script starts nothing.
  const script = setup.script === undefined ? undefined : await readScript(setup.script);
  const host = nodeHostOf({
    hosts: hostMakers({ folder, env: context.env, script }),
    default: setup.host,
    folder,
    model: setup.model,
    permissions: setup.permissions,
    needsPrice: budget.usd !== undefined,
  });
  const maxPrompts = setup.maxPrompts ?? defaultMaxPrompts;
  const services: Services = {
    host,
    maxPrompts,
    taskLoop: taskLoopDecisions({ folder, isLive: liveRuns(() => engine) }),
    criteriaLoop: criteriaLoopDecisions({ folder }),
    idleTimeoutMs: setup.idleTimeoutMs,
  };
  const interpret = interpreterOf(compiled, registry, services, options);
  const queues = { agents: maxPrompts };
  const program = {
    interpret: await savedBy(context, setup, interpret, folder),
    interpreter: interpreterVersion,
    queues,
  };
  const engine: LocalEngine = await engineFor(context, folder, given, program);
  const dispose = async (): Promise<void> => {
    await host.dispose();
    await engine.close();
  };
  return { engine, dispose };
}

/** A worker saves the run's files after each step; where you work on a run yourself, they are your own. */
async function savedBy(
  { env: { ATOMIC_WORKER: fleet } }: AtomicContext,
  { repository }: RunSetup,
  interpret: Interpret,
  folder: string,
): Promise<Interpret> {
  if (fleet === undefined || repository === undefined) return interpret;
  const [{ savingSteps }, { saveWorkspace }] = await Promise.all([
    import("../fleet/saved-steps.ts"),
    import("../fleet/workspace.ts"),
  ]);
  return savingSteps(interpret, async (runId, step) => {
    try {
      await saveWorkspace(folder, { runId, ...step, fleet, repository });
    } catch (cause) {
      if (!(isExplained(cause) && cause.code === "git-failed")) throw cause;
      // Nothing is wrong with the step: it is repeated when the repository can be reached, here or elsewhere.
      const message = `The files that ${step.key} changed cannot be saved: ${cause.message}`;
      throw new RunError("not-ready", { message, hint: cause.hint, cause });
    }
  });
}
