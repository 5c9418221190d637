// The composition root: a graph, a host, decisions and an engine become a run that somebody attends to.

import { type ExitCode, type Interrupt, signalCodes } from "@atomic/terminal/exit-codes";
import { failureOf } from "@atomic/terminal/failure";
import { Interrupted } from "@atomic/terminal/interruption";
import type { NodeHost } from "@atomic/workflows/graph/node-host";
import type { Services } from "@atomic/workflows/graph/services";
import type { LocalEngine, Run } from "@atomic/workflows/run/engine";
import type { JournalEntry } from "@atomic/workflows/run/events";
import type { Context } from "../context.ts";
import { type Attendance, type Attended, attendRun } from "../live/watch-run.ts";
import { canDraw } from "../live/watcher-for.ts";
import type { RunSetup } from "../runs/run-setup.ts";
import { runsFolder } from "../runs/runs-folder.ts";
import { exitCodeOf } from "../view/run-status.ts";
import { outputText, resultLine, summaryBelowLines, summaryBelowPicture } from "../view/run-summary.ts";
import { hostMakers } from "./hosts.ts";
import type { LoadedGraph } from "./load-graph.ts";
import { readScript } from "./read-script.ts";

export interface Work {
  readonly loaded: LoadedGraph;
  readonly setup: RunSetup;
  /** Gets the engine ready: starts a run, or prepares one to go on. Gives its id. */
  readonly prepare: (engine: LocalEngine) => Promise<string>;
}

/** Works on a run until it ends, stops or is given back, and tells about it. */
export async function workOn(context: Context, work: Work, attendance: Attendance): Promise<ExitCode> {
  const { engine, dispose } = await assemble(context, work);
  let attended: Attended | undefined;
  let interrupt: Interrupt | undefined;
  const unlisten = context.signals.listen((received) => {
    if (interrupt !== undefined) context.exit(context.fail(failureOf(new Interrupted(received), "atomic")));
    interrupt = received;
  });
  try {
    context.interrupted?.throwIfAborted();
    const runId = await work.prepare(engine);
    const before: JournalEntry[] = [];
    for await (const entry of engine.journal(runId)) before.push(entry);
    const take = (): Promise<Run> => engine.run(runId);
    const told = (how: Attended): ExitCode => tell(context, how, attendance);
    attended = await attendRun(context, engine, before, take, { ...attendance, interrupt: () => interrupt }, told);
  } finally {
    unlisten();
    await disposed(context, dispose, attended, attendance);
  }
  return tell(context, attended, attendance);
}

function tell(context: Context, attended: Attended, { json }: Attendance): ExitCode {
  const code = codeOf(attended);
  if (json) context.stdout.write(resultLine(attended, code));
  else {
    const summary = canDraw(context) ? summaryBelowPicture : summaryBelowLines;
    context.stderr.write(summary(attended, context.stderr));
    context.stdout.write(outputText(attended));
  }
  return code;
}

function codeOf({ status, left, broken }: Attended): ExitCode {
  if (broken !== undefined) return 7;
  if (left === undefined) return exitCodeOf(status);
  return left === "no-wait" ? 4 : signalCodes[left];
}

interface Assembled {
  readonly engine: LocalEngine;
  readonly dispose: () => Promise<void>;
}

/** A step may have left something behind that fails only now. The run has ended anyway, and its result is reported. */
async function disposed(
  context: Context,
  dispose: () => Promise<void>,
  attended: Attended | undefined,
  attendance: Attendance,
): Promise<void> {
  const unlisten = attended && context.onAbruptEnd((broken) => tell(context, { broken, ...attended }, attendance));
  try {
    await dispose();
  } finally {
    unlisten?.();
  }
}

async function assemble(context: Context, { loaded, setup }: Work): Promise<Assembled> {
  const { compiled, registry, options, where } = loaded;
  const folder = where.project;
  const [{ interpreterOf, interpreterVersion }, { embeddedEngine }, { nodeHostOf }, tasks] = await Promise.all([
    import("@atomic/workflows/graph/interpret"),
    import("@atomic/workflows/run/embedded"),
    import("@atomic/workflows/hosts/node-host-of"),
    import("./loop-services.ts"),
  ]);
  // Read now, so that nothing is started with a script that cannot be.
  const script = setup.script === undefined ? undefined : await readScript(setup.script);
  const host = nodeHostOf({
    hosts: hostMakers({ folder, env: context.env, script }),
    default: setup.host,
    folder,
    permissions: setup.permissions,
  });
  const services: Services = {
    host: setup.model === undefined ? host : withModel(host, setup.model),
    ...tasks.loopServices(folder, () => engine),
  };
  const interpret = interpreterOf(compiled, registry, services, options);
  const engine: LocalEngine = embeddedEngine(runsFolder(folder), { interpret, interpreter: interpreterVersion });
  return { engine, dispose: () => host.dispose() };
}

/** For nodes that name no model themselves. */
function withModel(host: NodeHost, model: string): NodeHost {
  return {
    open: (request, info) => host.open({ model, ...request }, info),
    send: (request, session, info) => host.send({ model, ...request }, session, info),
    close: (session, info) => host.close(session, info),
  };
}
