// A worker: takes runs from the database and works on each in a process of its own.
import type { ChildProcess } from "node:child_process";
import { hostname } from "node:os";
import { isExplained } from "@atomic/durable-files/explained-error";
import { isAway } from "@atomic/engine-postgres/database";
import { Dispatch, type DispatchedRun } from "@atomic/engine-postgres/dispatch";
import { fleetOfDatabase } from "@atomic/engine-postgres/leftovers";
import { versionProblem } from "@atomic/engine-postgres/migrate";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import { startDue } from "@atomic/engine-postgres/schedules";
import type { Interrupted } from "@atomic/terminal/console";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { jsonLine } from "@atomic/terminal/json";
import { interpreterVersion } from "@atomic/workflows/internal/graph/interpret/interpret";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import type { AtomicContext } from "../context.ts";
import { setupOf } from "../runs/run-setup.ts";
import { type ChildEnd, endOf, isAlive, isCrash, isUnready, startChild } from "./child.ts";
import { untilAborted } from "./git.ts";
import { metricsText, portOf, serveMetrics } from "./metrics.ts";
import { restorePackages } from "./packages.ts";
import { removeRefs, removeWorktrees } from "./remove-leftovers.ts";
import { prepareWorkspace, type StepAttempt } from "./workspace.ts";

export interface WorkerOptions {
  readonly url: string;
  /** How many runs it works on at a time. */
  readonly runs: number;
  readonly hosts: readonly string[] | undefined;
  readonly limits: Readonly<Record<string, number>>;
  /** Where mirrors and worktrees are. */
  readonly workspaces: string;
  /** The folder for runs that name no repository. */
  readonly project: string;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
}

/** After so many crashes in a row, a run ends and says why. */
const maxCrashes = 3;

/** New runs and answers are announced; a worker that died and a time that has come are not. */
const pollMs = 1000;
const schedulesMs = 10_000;

/** How often a run is reserved again until its process has claimed it. A reservation lasts 30 seconds. */
const reserveMs = 10_000;

/** How long children, and the removal of leftovers, may take when the worker is asked to stop. */
const graceMs = 15_000;

/** How often a worker looks for what ended runs left behind. */
const leftoversMs = 600_000;

/** How long a run that cannot be executed here is left to others, at first and at most. */
const backoffMs = { first: 2000, longest: 60_000 };

interface LocalRefusal {
  readonly until: number;
  readonly ms: number;
}

/** Until it is asked to stop. Then its runs are released, and others continue them. */
export async function superviseRuns(context: AtomicContext, options: WorkerOptions): Promise<ExitCode> {
  const { stdout } = context;
  const children = new Map<string, ChildProcess>();
  const starting = new Set<string>();
  const refusals = new Map<string, LocalRefusal>();
  const totals = { taken: 0, left: 0, crashed: 0, notReady: 0 };
  let stopped = (context.interrupted?.reason as Interrupted | undefined)?.interrupt;
  // What comes while the loop looks for runs is not forgotten: it looks once more before it waits.
  let isWoken = false;
  let ring: () => void = () => undefined;
  const wake = (): void => {
    isWoken = true;
    ring();
  };
  let failure: { readonly error: unknown } | undefined;
  const log = (event: string, more: object = {}): void =>
    stdout.write(jsonLine({ at: context.now(), event, worker: `${hostname()}:${process.pid}`, ...more }));
  const left = (): ExitCode => {
    log("stopped");
    return stopped === "SIGTERM" ? 0 : signalCodes[stopped ?? "SIGINT"];
  };
  const stopping = new AbortController();
  const overdue = new AbortController();
  /** Children that did not end in time. */
  const killed = new Set<ChildProcess>();
  const endAll = (): void => {
    for (const child of children.values()) {
      if (child.kill("SIGKILL")) killed.add(child);
      // A program that a step has started may keep them open.
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    }
    overdue.abort();
  };
  let unlisten: () => void = () => undefined;
  const asked = new Promise<undefined>((resolve) => {
    unlisten = context.signals.listen((signal) => {
      stopped ??= signal;
      log("draining", { signal, runs: [...children.keys()] });
      for (const child of children.values()) child.kill("SIGTERM");
      stopping.abort();
      setTimeout(endAll, graceMs).unref();
      resolve(undefined);
      wake();
    });
  });
  /** Until `wake` is called. */
  const awoken = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const opening = Dispatch.open(options.url, {
    hosts: options.hosts,
    limits: options.limits,
    children: () => new Map([...children].flatMap(([runId, child]) => (isAlive(child) ? [[runId, child.pid]] : []))),
    wake,
    failed: (error) => {
      failure = { error };
      wake();
    },
  });
  // A database that does not answer does not keep the worker from stopping.
  const dispatch = stopped === undefined ? await Promise.race([opening, asked]) : undefined;
  if (dispatch === undefined) {
    opening.catch(() => undefined); // too late to matter
    unlisten();
    return left();
  }
  const { database } = dispatch;
  const folder = { path: options.workspaces, fleet: await fleetOfDatabase(database) };
  /** Starts scheduled runs, and ends those that crash every worker. */
  const refused = (runId: string, crashes: number) =>
    postgresEngine(options.url, {
      interpreter: interpreterVersion,
      interpret: async () => {
        throw new RunError("lost", {
          message: `The run ${runId} has crashed ${crashes} workers in a row, so it is not tried again`,
          hint: "`atomic show` says which step it was at. Retry it with: atomic resume --retry",
        });
      },
    });
  const engine = await refused("", 0);
  const metrics =
    options.metrics &&
    (await serveMetrics(options.metrics, async () =>
      metricsText({ ...totals, running: children.size, places: options.runs }, await dispatch.counts()),
    ));
  if (metrics !== undefined) log("metrics", { url: `http://${options.metrics?.host}:${portOf(metrics)}/metrics` });

  const work = async (taken: DispatchedRun): Promise<void> => {
    const { runId } = taken;
    let problem: string | undefined;
    let ended: ChildEnd | undefined;
    let hasCrashed = false;
    const reserving = setInterval(() => {
      dispatch.reserve(runId).catch((error) => {
        if (!isAway(error)) failure = { error };
      });
    }, reserveMs);
    try {
      if (taken.crashes >= maxCrashes) {
        const ending = await refused(runId, taken.crashes);
        await (await ending.run(runId)).ended;
        await ending.close();
        log("given-up", { run: runId, crashes: taken.crashes });
        return;
      }
      const repository = setupOf(taken.workspace)?.repository;
      const isFinished = async (step: StepAttempt): Promise<boolean> => await dispatch.hasFinished(runId, step);
      const prepare = async () =>
        repository ? await prepareWorkspace(folder, runId, repository, isFinished) : options.project;
      const cwd = await untilAborted(stopping.signal, prepare);
      if (repository !== undefined) await restorePackages(cwd, stopping.signal);
      if (stopped !== undefined) return;
      const child = startChild(runId, cwd, options.url, folder.fleet);
      children.set(runId, child);
      ended = await endOf(child);
      const { code, signal, last } = ended;
      problem = last;
      hasCrashed = isCrash(ended) && !killed.has(child);
      log(killed.has(child) ? "killed" : hasCrashed ? "crashed" : "left", {
        run: runId,
        code,
        ...(signal !== null && { signal }),
        ...(code !== 0 && last !== "" && { problem: last }),
      });
    } catch (error) {
      // Git, or a folder of this machine: another worker may have it.
      if (!isExplained(error) && !isSystemError(error)) throw error;
      problem = error.message;
    } finally {
      clearInterval(reserving);
      children.delete(runId);
      const now = await dispatch.left(runId, hasCrashed);
      totals.left += 1;
      if (hasCrashed) totals.crashed += 1;
      const isRefused = problem !== undefined && (ended === undefined || isUnready(ended));
      if (isRefused && now.isReady && stopped === undefined) {
        const ms = Math.min(backoffMs.longest, 2 * (refusals.get(runId)?.ms ?? backoffMs.first / 2));
        refusals.set(runId, { ms, until: performance.now() + ms });
        totals.notReady += 1;
        log("not-ready", { run: runId, problem, retryInMs: ms });
      } else refusals.delete(runId);
      if (now.isOver) tidyAt = 0;
    }
  };

  /** Why this worker starts nothing. */
  let outdated: string | undefined;
  let tidyAt = 0;
  let tidying: Promise<void> | undefined;
  /** What ended runs left, here and in repositories. What fails, or is interrupted, is found again next time. */
  const tidy = async (): Promise<void> => {
    const worktrees = async (): Promise<void> => {
      const { removed, problems } = await removeWorktrees(database, folder, starting);
      if (removed.length > 0) log("removed", { worktrees: removed });
      for (const problem of problems) log("leftover", { problem });
    };
    const refs = async (): Promise<void> => {
      for (const { runId, problem } of await removeRefs(database)) log("leftover", { run: runId, problem });
    };
    for (const remove of [worktrees, refs]) {
      try {
        await untilAborted(overdue.signal, remove);
      } catch (error) {
        if (!isExplained(error) && !isSystemError(error)) throw error;
        log("leftover", { problem: error.message });
      }
    }
  };

  log("ready", { runs: options.runs, hosts: options.hosts, limits: options.limits });
  try {
    for (let lookedAt = Number.NEGATIVE_INFINITY; stopped === undefined && failure === undefined; ) {
      isWoken = false;
      try {
        const problem = (await versionProblem(database))?.message;
        if (problem !== undefined && problem !== outdated) log("not-ready", { problem });
        outdated = problem;
        if (outdated === undefined && performance.now() - lookedAt > schedulesMs) {
          lookedAt = performance.now();
          const { started, problems } = await startDue(database, (request) => engine.start(request));
          for (const runId of started) log("scheduled", { run: runId });
          for (const each of problems) log("schedule-failed", each);
        }
        while (outdated === undefined && starting.size < options.runs && stopped === undefined) {
          const skipped = [...refusals].flatMap(([runId, { until }]) => (until > performance.now() ? runId : []));
          const taken = await dispatch.take([...skipped, ...starting]);
          if (taken === undefined) break;
          totals.taken += 1;
          log("taken", { run: taken.runId });
          starting.add(taken.runId);
          void work(taken)
            .catch((error) => {
              // The database learns by itself that the run is free.
              if (isAway(error)) log("database-away", { run: taken.runId, problem: (error as Error).message });
              else failure = { error };
            })
            .finally(() => {
              starting.delete(taken.runId);
              wake();
            });
        }
      } catch (error) {
        if (!isAway(error)) throw error;
        log("database-away", { problem: (error as Error).message });
      }
      if (tidying === undefined && performance.now() > tidyAt) {
        tidyAt = performance.now() + leftoversMs;
        tidying = tidy()
          .catch((error) => {
            failure = { error };
            wake();
          })
          .finally(() => {
            tidying = undefined;
          });
      }
      if (!isWoken && stopped === undefined && failure === undefined) await awoken(pollMs);
    }
    while (starting.size > 0) await awoken();
    await tidying;
  } finally {
    unlisten();
    metrics?.close();
    await engine.close();
    await dispatch.close();
  }
  if (failure !== undefined) throw failure.error;
  return left();
}

/** Such as a folder that cannot be written, or a program that cannot be started. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}
