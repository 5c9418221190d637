// A worker: takes runs from the database and works on each in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { hostname } from "node:os";
import { isExplained } from "@atomic/durable-files/explained-error";
import { Dispatch, type TakenRun } from "@atomic/engine-postgres/dispatch";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import { startDue } from "@atomic/engine-postgres/schedules";
import { type ExitCode, type Interrupt, signalCodes } from "@atomic/terminal/exit-codes";
import { jsonLine } from "@atomic/terminal/json";
import { interpreterVersion } from "@atomic/workflows/internal/graph/interpret/interpret";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import type { AtomicContext } from "../context.ts";
import { setupOf } from "../runs/run-setup.ts";
import { metricsText } from "./metrics.ts";
import { prepareWorkspace, removeWorkspace } from "./workspace.ts";

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

/** Notifications tell of new runs and answers; what nobody tells of is that a worker has died, or that a time has come. */
const pollMs = 1000;
const schedulesMs = 10_000;

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
  let stopped: Interrupt | undefined;
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

  let isClosing = false;
  const dispatch = await Dispatch.open(options.url, {
    hosts: options.hosts,
    limits: options.limits,
    wake,
    failed: (error) => {
      // A statement that was under way when its connection closed.
      if (isClosing) return;
      failure = { error };
      wake();
    },
  });
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

  const unlisten = context.signals.listen((signal) => {
    stopped ??= signal;
    log("draining", { signal, runs: [...children.keys()] });
    for (const child of children.values()) child.kill("SIGTERM");
    wake();
  });

  const work = async (taken: TakenRun): Promise<void> => {
    const { runId } = taken;
    let problem: string | undefined;
    let isCrash = false;
    try {
      if (taken.crashes >= maxCrashes) {
        const ending = await refused(runId, taken.crashes);
        await (await ending.run(runId)).ended;
        await ending.close();
        log("given-up", { run: runId, crashes: taken.crashes });
        return;
      }
      const repository = setupOf(taken.workspace)?.repository;
      const cwd = repository ? await prepareWorkspace(options.workspaces, runId, repository) : options.project;
      if (stopped !== undefined) return;
      const argv = [process.argv[1] ?? "", "resume", runId, "--no-wait", "--json", "--engine", options.url];
      const env = { ...process.env, ATOMIC_WORKER: "1" };
      const child = spawn(process.execPath, argv, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
      children.set(runId, child);
      const { code, signal, last } = await endOf(child);
      isCrash = signal !== null || code === 7 || code === 70 || (code ?? 0) > 143;
      problem = last;
      log(isCrash ? "crashed" : "left", { run: runId, code, ...(signal !== null && { signal }) });
    } catch (error) {
      // Git, or a folder of this machine: another worker may have it.
      if (!isExplained(error)) throw error;
      problem = error.message;
    } finally {
      children.delete(runId);
      const left = await dispatch.left(runId, isCrash);
      totals.left += 1;
      if (isCrash) totals.crashed += 1;
      if (left.isOver) await removeWorkspace(options.workspaces, runId);
      else if (!isCrash && left.isReady && left.records === taken.records && stopped === undefined) {
        const ms = Math.min(backoffMs.longest, 2 * (refusals.get(runId)?.ms ?? backoffMs.first / 2));
        refusals.set(runId, { ms, until: performance.now() + ms });
        totals.notReady += 1;
        log("not-ready", { run: runId, problem, retryInMs: ms });
      } else refusals.delete(runId);
    }
  };

  log("ready", { runs: options.runs, hosts: options.hosts, limits: options.limits });
  try {
    for (let lookedAt = Number.NEGATIVE_INFINITY; stopped === undefined && failure === undefined; ) {
      isWoken = false;
      if (performance.now() - lookedAt > schedulesMs) {
        lookedAt = performance.now();
        for (const runId of await startDue(dispatch.database, (request) => engine.start(request))) {
          log("scheduled", { run: runId });
        }
      }
      while (starting.size < options.runs && stopped === undefined) {
        const skipped = [...refusals].flatMap(([runId, { until }]) => (until > performance.now() ? runId : []));
        const taken = await dispatch.take([...skipped, ...starting]);
        if (taken === undefined) break;
        totals.taken += 1;
        log("taken", { run: taken.runId });
        starting.add(taken.runId);
        void work(taken)
          .catch((error) => {
            failure = { error };
          })
          .finally(() => {
            starting.delete(taken.runId);
            wake();
          });
      }
      if (isWoken) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    while (starting.size > 0) {
      await new Promise<void>((resolve) => {
        ring = resolve;
      });
    }
  } finally {
    isClosing = true;
    unlisten();
    metrics?.close();
    await engine.close();
    await dispatch.close();
  }
  if (failure !== undefined) throw failure.error;
  log("stopped");
  return stopped === "SIGTERM" ? 0 : signalCodes[stopped ?? "SIGINT"];
}

/** How a child ended, and the last thing it said that explains it. */
async function endOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly last: string }> {
  let last = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      last = (last + text).slice(-4000);
    });
  }
  const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return { ...end, last: messageIn(last) };
}

/** The error in the last document, or the last line. */
function messageIn(output: string): string {
  const line = output.trimEnd().split("\n").at(-1) ?? "";
  try {
    const { error } = JSON.parse(line) as { error?: { message?: string } };
    return error?.message ?? "";
  } catch (error) {
    if (error instanceof SyntaxError) return line;
    throw error;
  }
}

async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  text: () => Promise<string>,
): Promise<Server> {
  const server = createServer((_request, response) => {
    text().then(
      (body) => response.setHeader("content-type", "text/plain; version=0.0.4").end(body),
      (error) => response.writeHead(503).end(`${error}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function portOf(server: Server): number {
  return (server.address() as { readonly port: number }).port;
}
