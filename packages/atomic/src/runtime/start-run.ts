import type { ExitCode } from "@atomic/terminal/exit-codes";
import { suggestion } from "@atomic/terminal/read-command-line";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { hostNames } from "@atomic/workflows/internal/hosts/host-makers";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import { makeRunsFolder, reserveRunId, runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { AtomicContext } from "../context.ts";
import type { RunWatching } from "../live/watch-run.ts";
import { type RunSetup, setupToJson } from "../runs/run-setup.ts";
import type { LoadedGraph } from "./load-graph.ts";
import { type Work, workOn } from "./work-on.ts";

export interface RunRequest {
  readonly loaded: LoadedGraph;
  readonly input: Json;
  readonly budget: Budget;
  readonly setup: RunSetup;
}

/** Starts a run and works on it. */
export async function startRun(context: AtomicContext, request: RunRequest, watching: RunWatching): Promise<ExitCode> {
  const { loaded, input, budget, setup } = request;
  refuseUnknownHost(setup.host);
  const prepare: Work["prepare"] = async (engine) => {
    const folder = runsFolder(loaded.where.project);
    makeRunsFolder(folder);
    const runId = reserveRunId(folder, Math.random);
    const { json } = loaded.compiled;
    await engine.start({ runId, graph: json as Json, input, budget, name: json.name, workspace: setupToJson(setup) });
    return runId;
  };
  return await workOn(context, { loaded, setup, prepare }, watching);
}

/** It may come from the environment. */
export function refuseUnknownHost(host: string): void {
  if ((hostNames as readonly string[]).includes(host)) return;
  throw new Refusal("host-unknown", {
    message: safe`unknown host "${host}"${suggestion(host, hostNames)}`,
    exitCode: 2,
    hint: `Known hosts: ${hostNames.join(", ")}. Choose one with --host or ATOMIC_HOST.`,
  });
}
