import type { ExitCode } from "@atomic/terminal/exit-codes";
import { jsonLine } from "@atomic/terminal/json";
import { suggestion } from "@atomic/terminal/read-command-line";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { hostNames } from "@atomic/workflows/internal/hosts/host-makers";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import type { StartRequest } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import { startNew } from "@atomic/workflows/internal/run/run-id";
import type { AtomicContext } from "../context.ts";
import type { SharedFiles } from "../fleet/shared-files.ts";
import type { RunWatching } from "../live/watch-run.ts";
import { engineFor, engineUrl } from "../runs/engine-for.ts";
import { type RunSetup, setupToJson } from "../runs/run-setup.ts";
import { suggestionLines } from "../view/questions.ts";
import type { LoadedGraph } from "./load-graph.ts";
import { readScript } from "./read-script.ts";
import { hostsOf } from "./readiness.ts";
import { type Work, workOn } from "./work-on.ts";

export interface RunRequest {
  readonly loaded: LoadedGraph;
  readonly input: Json;
  readonly budget: Budget;
  readonly setup: RunSetup;
  /** What `--engine` says. */
  readonly engine: string | undefined;
}

/** Starts a run and works on it. */
export async function startRun(context: AtomicContext, request: RunRequest, watching: RunWatching): Promise<ExitCode> {
  const { loaded, setup, budget, engine: given } = request;
  refuseUnknownHost(setup.host);
  const prepare: Work["prepare"] = async (engine) => await startNew(engine, startRequestOf(request), Math.random);
  return await workOn(context, { loaded, setup, budget, prepare, engine: given }, watching);
}

/** Starts a run and leaves it to a worker, or to `atomic resume`. */
export async function startDetached(
  context: AtomicContext,
  request: RunRequest,
  snapshot: boolean,
  json: boolean,
): Promise<ExitCode> {
  const { loaded, setup } = request;
  refuseUnknownHost(setup.host);
  // Read now, so an unreadable script starts nothing.
  if (setup.script !== undefined) await readScript(setup.script);
  const { interpreterVersion } = await import("@atomic/workflows/internal/graph/interpret/interpret");
  const interpret = async (): Promise<never> => {
    throw new Error("This engine only starts runs.");
  };
  const { project } = loaded.where;
  const engine = await engineFor(context, project, request.engine, { interpret, interpreter: interpreterVersion });
  const url = await engineUrl(context, project, request.engine);
  const shared = url === undefined ? undefined : await shareRun(url, loaded, snapshot);
  const started = startRequestOf({ ...request, setup: { ...setup, ...shared?.setup } });
  // A worker must not find the run before its files are there.
  const runId = await startNew(
    {
      start: async (each) => {
        if (shared?.push === undefined) return await engine.start(each);
        if ((await engine.stamp(each.runId)) !== undefined || !(await shared.push(each.runId))) return "exists";
        const isNew = await engine.start(each);
        if (isNew === "exists") await shared.unpush?.(each.runId);
        return isNew;
      },
    },
    started,
    Math.random,
  );
  if (json) {
    const what = { ok: true, runId, type: "started", version: 1, workflow: started.name };
    context.stdout.write(jsonLine({ ...what, exitCode: 0, at: context.now() }));
    return 0;
  }
  context.stdout.write(`${runId}\n`);
  context.stderr.write(
    suggestionLines([{ command: `atomic resume ${runId}`, does: "work on it here" }], context.stderr),
  );
  return 0;
}

interface SharedRun extends Pick<SharedFiles, "push" | "unpush"> {
  readonly setup: Pick<RunSetup, "repository" | "packages">;
}

/** What other machines need to execute the run. Refuses what they could not have. */
export async function shareRun(url: string, loaded: LoadedGraph, snapshot: boolean): Promise<SharedRun> {
  const [{ sharedFiles }, { refuseLocalFiles }, { packagesOf }] = await Promise.all([
    import("../fleet/shared-files.ts"),
    import("./readiness.ts"),
    import("../fleet/packages.ts"),
  ]);
  const { project } = loaded.where;
  const files = await sharedFiles(project, snapshot ? await fleetAt(url) : undefined);
  await refuseLocalFiles(loaded, files !== undefined);
  const packages = packagesOf(project);
  const hasSome = Object.keys(packages).length > 0;
  return { ...files, setup: { ...(files && { repository: files.repository }), ...(hasSome && { packages }) } };
}

async function fleetAt(url: string): Promise<string> {
  const [{ Database }, { parseEngineUrl }, { fleetOfDatabase }] = await Promise.all([
    import("@atomic/engine-postgres/database"),
    import("@atomic/engine-postgres/engine-url"),
    import("@atomic/engine-postgres/leftovers"),
  ]);
  const database = new Database(parseEngineUrl(url));
  try {
    return await fleetOfDatabase(database);
  } finally {
    await database.close();
  }
}

export function startRequestOf({ loaded, input, budget, setup }: RunRequest): Omit<StartRequest, "runId"> {
  const { json } = loaded.compiled;
  return {
    graph: json as Json,
    input,
    budget,
    name: json.name,
    workspace: setupToJson({ ...setup, source: loaded.source }),
    needs: hostsOf(json, setup.host),
  };
}

/** It may come from the environment. */
export function refuseUnknownHost(host: string): void {
  if ((hostNames as readonly string[]).includes(host)) return;
  throw new Refusal("host-unknown", {
    message: safe`unknown host "${host}"` + suggestion(host, hostNames),
    exitCode: 2,
    hint: `Known hosts: ${hostNames.join(", ")}. Choose one with --host or ATOMIC_HOST.`,
  });
}
