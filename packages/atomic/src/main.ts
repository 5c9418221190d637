import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "@atomic/terminal/command";
import { endByHangup } from "@atomic/terminal/console";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { type Failure, failureOf, writeFailure } from "@atomic/terminal/failure";
import { loadedByBun } from "@atomic/terminal/loaded-by-bun";
import { reportFailure, runProgram } from "@atomic/terminal/run-program";
import { commandGroups, commands } from "./commands.ts";
import { type AtomicContext, contextOf } from "./context.ts";
import { type AbruptEnd, failureOfEnd } from "./foreign-code.ts";
import { packageFolder } from "./package-folder.ts";

/** What `bin/atomic.js` calls. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  const context = contextOf(process, argv);
  // Before code of a workflow runs, whatever is thrown is our own.
  const failureOfThis = (end: AbruptEnd): Failure =>
    end.kind === "threw" && context.loaded.workflow === undefined
      ? failureOf(end.error, "atomic")
      : failureOfEnd(end, context.loaded.workflow);
  const unlisten = context.onAbruptEnd((end) => context.fail(failureOfThis(end)));
  const loaded = loadedByBun("atomic", process);
  const code = await (loaded === undefined
    ? main(argv, context)
    : reportFailure(loaded, argv, context, { name: "atomic" }));
  process.exitCode = code;
  unlisten();
  // The answer is written; what is thrown now cannot be part of it.
  context.onAbruptEnd((end) => {
    if (end.kind !== "threw") return undefined;
    if (code !== 0) return code as ExitCode;
    const failure = failureOfThis(end);
    writeFailure(failure, { program: "atomic", json: false }, context);
    return failure.exitCode as ExitCode;
  });
  if (code === signalCodes.SIGHUP) endByHangup(process);
  // A workflow's code may have left something open that would keep this process forever.
  const leave = async (): Promise<void> => {
    await Promise.all([context.stdout.written?.(), context.stderr.written?.()]);
    process.exit();
  };
  if (code > 128) await leave();
  else setTimeout(leave, graceMs).unref();
}

const graceMs = 500;

/** The whole program: arguments in, exit code out. */
export async function main(argv: readonly string[], context: AtomicContext): Promise<number> {
  return await runProgram(atomicIn(context), argv, context);
}

/** `atomic`, in its surroundings. */
export function atomicIn(context: AtomicContext): Program<AtomicContext> {
  return {
    name: "atomic",
    about:
      "Run coding-agent workflows, and see which agents, skills and commands they can use, in any tool's format. In a terminal, `atomic` without a command opens a prompt line.",
    commands,
    groups: commandGroups,
    runsWorkflows: true,
    firstSteps: ["setup", "run", "show", "approve", "entities", "which", "lint"],
    version: async () => JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")).version,
    // An agent at a terminal it created would wait forever.
    withoutWords: async ({ stdin, stderr, caller, env }) => {
      if (!stdin.isTTY || !stderr.isTTY || stdin.edit === undefined || caller.agent() !== undefined) return undefined;
      if (env.TERM === "dumb") return await (await import("./prompt/plain-prompt.ts")).plainPrompt(context);
      return await (await import("./prompt/prompt-line.ts")).promptLine(context);
    },
    // Not a copy, because that would look up the current folder.
    open: (_, { signal, showWork }) => {
      const quiet = showWork();
      return { context: Object.create(context, { interrupted: { value: signal }, quiet: { value: quiet } }), quiet };
    },
    names: async (argument) => {
      if (argument === "run") {
        const { runsOf } = await import("./runs/runs-folder.ts");
        const { engine } = await runsOf(context, undefined);
        return (await engine.list()).map(({ runId }) => runId);
      }
      if (argument !== "workflow" && argument !== "name") return undefined;
      const { loadEntities } = await import("./entities/load-entities.ts");
      const { registry } = await loadEntities(context);
      const found = registry.all(argument === "workflow" ? "workflow" : undefined);
      return [...new Set(found.map(({ displayName }) => displayName))];
    },
  };
}
