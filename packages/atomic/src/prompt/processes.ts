// The programs that the prompt line starts: in the foreground with the whole terminal, or in the background.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { signalCodes } from "@atomic/terminal/exit-codes";
import type { AtomicContext } from "../context.ts";
import { begun } from "../other-programs.ts";
import { sentences } from "../report/sentences.ts";
import { lendTerminal } from "./lend-terminal.ts";
import { type HostRequest, hostCommand, type PromptHost, whyNotStarted } from "./line/host-command.ts";

/** This program again, as it was started. */
function atomicCommand(words: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...words];
}

/** One of this program's own commands. */
export async function runAtomic(context: AtomicContext, words: readonly string[]): Promise<void> {
  await lendTerminal(context, atomicCommand(words));
}

/** Hands the terminal to the host. Returns why it could not, in a sentence. */
export async function handOver(
  context: AtomicContext,
  host: PromptHost,
  request: HostRequest,
): Promise<string | undefined> {
  const ending = await lendTerminal(context, hostCommand(host, request));
  return "because" in ending ? whyNotStarted(host, ending) : describeEnd(host, ending.code);
}

/** Nothing if it ended as it should, or was asked to. */
function describeEnd(host: PromptHost, code: number): string | undefined {
  if (code === 0 || Object.values<number>(signalCodes).includes(code)) return undefined;
  const [signal] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [];
  return signal === undefined ? `${host} ended with ${code}.` : `${host} was ended by ${signal}.`;
}

export interface BackgroundEvents {
  /** The run is there. */
  started(runId: string): void;
  /** It ended before there was a run, or could not continue one. */
  refused(message: string): void;
}

/** `atomic run …` or `atomic resume …` in a process of its own, which continues when this one ends. */
export function runInBackground(
  { cwd, env }: Pick<AtomicContext, "cwd" | "env">,
  [command = "", ...words]: readonly string[],
  events: BackgroundEvents,
): void {
  // In front of your words: behind a `--`, it would be an argument of the workflow.
  const [program, ...rest] = atomicCommand([command, "--json", ...words]);
  const child = begun(() =>
    // A terminal that is closed, and Ctrl-C in it, do not end the run.
    spawn(program, rest, { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true }),
  );
  let runId: string | undefined;
  let failure: string | undefined;
  let stderr = "";
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    const { ok, runId: started, error: { message, hint } = {} } = jsonOf(line);
    if (ok === false && message !== undefined) failure = sentences(message, hint);
    if (typeof started !== "string" || ok === false) return;
    runId = started;
    events.started(started);
    // From now on its journal is read: what it prints, a large result at last, is not kept.
    lines.close();
    child.stdout.resume();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  child.once("error", (error) => events.refused(error.message));
  child.once("close", (code) => {
    if (runId === undefined && code !== 0) events.refused(failure ?? (stderr.trim() || `atomic ended with ${code}`));
  });
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref?(): void }).unref?.();
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
