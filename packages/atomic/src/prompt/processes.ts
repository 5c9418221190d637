// The programs that the prompt line starts: in the foreground with the whole terminal, or in the background.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { signalCodes } from "@atomic/terminal/exit-codes";
import type { AtomicContext } from "../context.ts";
import { begun, notStarted, runInForeground } from "../other-programs.ts";
import { sentences } from "../report/sentences.ts";
import type { PromptSession } from "./enter-line.ts";
import { lendTerminal } from "./lend-terminal.ts";
import { type HostRequest, hostCommand, type PromptHost, whyNotStarted } from "./line/host-command.ts";

/** This program again, as it was started. */
function atomicCommand(words: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...words];
}

/** The commands that ask, draw or stay. All others only print, so what is typed meanwhile is for the prompt line. */
const needTerminal: ReadonlySet<string> = new Set(["approve", "setup", "ui", "worker"]);

/** One of this program's own commands. Returns its exit code; undefined if it did not start. */
export async function runAtomic(
  session: PromptSession,
  words: readonly string[],
  env: AtomicContext["env"] = session.context.env,
): Promise<number | undefined> {
  const [name = ""] = words;
  const command = atomicCommand(words);
  const { signals, cwd, stderr } = session.context;
  const ending =
    needTerminal.has(name) || words.includes("--follow") || words.includes("--watch")
      ? await session.lend(() => lendTerminal({ signals, cwd, env, stderr }, command))
      : await runInForeground({ signals, cwd, env }, command, "without keys");
  return "code" in ending ? ending.code : undefined;
}

/** Hands the terminal to the host. Returns why it could not, in a sentence. */
export async function handOver(
  session: PromptSession,
  request: Omit<HostRequest, "model">,
): Promise<string | undefined> {
  const { context, host, model } = session;
  const ending = await session.lend(() => lendTerminal(context, hostCommand(host, { ...request, model })));
  return "because" in ending ? whyNotStarted(host, ending) : describeEnd(host, ending.code);
}

/** Nothing if it ended as it should, or was asked to. */
function describeEnd(host: PromptHost, code: number): string | undefined {
  if (code === 0 || Object.values<number>(signalCodes).includes(code)) return undefined;
  const [signal] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [];
  return signal === undefined ? `${host} exited with code ${code}.` : `${host} was killed (${signal}).`;
}

export interface BackgroundEvents {
  /** The run is there. */
  started(runId: string, pid: number): void;
  /** It ended before there was a run, or could not continue one. */
  refused(message: string): void;
}

/**
 * `atomic run …` or `atomic resume …` in a process of its own, which continues when this one ends.
 *
 * @param begins Called when there is a process.
 */
export function runInBackground(
  { cwd, env }: Pick<AtomicContext, "cwd" | "env">,
  [command = "", ...words]: readonly string[],
  begins: () => BackgroundEvents,
): void {
  // In front of your words: behind a `--`, it would be an argument of the workflow.
  const [program, ...rest] = atomicCommand([command, "--json", ...words]);
  const child = begun(() =>
    // A terminal that is closed, and Ctrl-C in it, do not end the run. What its workflow prints has no reader here: a pipe would
    // make the run wait for us while we are stopped.
    spawn(program, rest, { cwd, env: { ...env }, stdio: ["ignore", "pipe", "ignore"], detached: true }),
  );
  const events = begins();
  let runId: string | undefined;
  let failure: string | undefined;
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    if (runId !== undefined) return;
    const { ok, runId: started, error: { message, hint } = {} } = jsonOf(line);
    if (ok === false && message !== undefined) failure = sentences(message, hint);
    if (typeof started !== "string" || ok === false) return;
    runId = started;
    events.started(started, child.pid ?? 0);
    // From now on its journal is read: what it prints, a large result at last, is not kept.
    lines.close();
    child.stdout.resume();
  });
  let isRefused = false;
  const refuse = (message: string): void => {
    if (runId === undefined && !isRefused) events.refused(message);
    isRefused = true;
  };
  // On Node, a program that did not start ends as well.
  child.once("error", (error) => {
    const why = notStarted(program, { cwd, env }, error);
    refuse(why instanceof Error ? why.message : error.message);
  });
  child.once("close", (code, signal) => {
    const end = signal === null ? `exited with code ${code}` : `was killed (${signal})`;
    refuse(failure ?? `atomic ${end} before the run started.`);
  });
  child.unref();
  (child.stdout as unknown as { unref?(): void }).unref?.();
}

interface ResultLine {
  readonly ok?: boolean;
  readonly runId?: unknown;
  readonly error?: { readonly message?: string; readonly hint?: string };
}

function jsonOf(line: string): ResultLine {
  try {
    return JSON.parse(line);
  } catch (error) {
    // What a workflow's own code writes to the process's output is not ours.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
