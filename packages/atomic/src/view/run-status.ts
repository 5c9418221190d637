import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Colour } from "@atomic/terminal/paint";
import { type ArgumentsJson, flagOf } from "@atomic/workflows/internal/entities/workflow-arguments";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { HostErrorCode } from "@atomic/workflows/internal/hosts/host";
import type { Action } from "@atomic/workflows/internal/permission/rules";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState, RunStatus } from "@atomic/workflows/internal/run/run-state";
import { formatTime, shorten } from "../report/format.ts";
import { isFromProgram, setupOf } from "../runs/run-setup.ts";
import { shellWord } from "./questions.ts";

/** How a run is doing, as the end of a sentence about it; `full`, however long. Not yet safe for a terminal. */
export function describeStatus(status: RunStatus, full = false): string {
  switch (status.kind) {
    case "pending":
      return "not being worked on";
    case "interrupted":
      return "interrupted: its process is gone";
    case "waiting": {
      const signals = status.for.filter(({ kind }) => kind === "signal").length;
      if (signals > 0) return signals === 1 ? "waiting for an answer" : `waiting for ${signals} answers`;
      const dates = status.for.flatMap(({ until }) => (until === undefined ? [] : [until]));
      return dates.length === 0 ? "waiting" : `waiting until ${formatTime(Math.min(...dates))}`;
    }
    case "paused":
      return `paused until ${formatTime(status.until)}: ${status.reason}`;
    case "stopped":
      return `stopped: ${status.reason}`;
    case "damaged":
      return `damaged: ${status.reason}`;
    case "failed": {
      const { key, message } = status.error;
      return `failed: ${key === undefined ? "" : `${key}: `}${full ? message : shorten(message)}`;
    }
    default:
      return status.kind;
  }
}

/** Why a run cannot be read, for a list that already names the run: without the path of its folder. */
export function damageOf(runId: string, reason: string): string {
  const start = reason.indexOf(" /");
  const end = reason.lastIndexOf(`/${runId}/`);
  if (start === -1 || end < start) return reason;
  const file = reason.slice(end + runId.length + 2);
  const journal = "journal.jsonl";
  return reason.slice(0, start) + (file.startsWith(journal) ? file.slice(journal.length) : ` ${file}`);
}

/** One or two words, for a table. */
export function statusWord({ kind }: Pick<RunStatus, "kind">): string {
  return kind === "pending" ? "idle" : kind;
}

export function statusColour({ kind }: RunStatus): Colour {
  switch (kind) {
    case "done":
      return "green";
    case "failed":
    case "damaged":
      return "red";
    case "running":
      return "cyan";
    case "cancelled":
    case "cancelling":
    case "pending":
      return "dim";
    default:
      return "yellow";
  }
}

/** For good: a stopped run can continue. */
export function hasEnded({ kind }: RunStatus): boolean {
  return kind === "done" || kind === "failed" || kind === "cancelled";
}

/**
 * The command that continues the run, or what else to do; undefined if there is nothing to do.
 *
 * @param hasWorkers The run is in a database, so a worker continues it.
 */
export function nextStep(
  state: RunState,
  status: RunStatus = state.status,
  hasWorkers: boolean = false,
): string | undefined {
  const { runId } = state;
  if (isFromProgram(state.workspace)) {
    if (status.kind === "failed") return "run the program again with another runId";
    if (!["pending", "interrupted", "stopped"].includes(status.kind)) return undefined;
    return `run the program again with runId "${runId}"${status.kind === "stopped" ? " and a larger budget" : ""}`;
  }
  switch (status.kind) {
    case "pending":
    case "interrupted":
      return hasWorkers ? "a worker continues it" : `atomic resume ${runId}`;
    case "stopped":
      return `atomic ${hasWorkers ? "raise" : "resume"} ${runId} --${raises[status.exceeded.limit]}`;
    case "failed":
      return failsAgain({ status }) ? restartCommand({ ...state, status }) : `atomic resume ${runId} --retry`;
    default:
      return undefined;
  }
}

const raises = {
  usd: "budget-usd <more>",
  tokens: "budget-tokens <more>",
  wallMs: "max-time <more>",
  steps: "max-steps <more>",
};

/**
 * Whether another attempt would only repeat the failure: a loop that ended before it was done has nothing to retry,
 * because its limits are those it began with.
 */
export function failsAgain({ status }: Pick<RunState, "status">): boolean {
  return status.kind === "failed" && status.error.name === "LoopIncompleteError";
}

/** The command that starts such a run again as it was started, with more turns if there were too few. */
export function restartCommand({ name, graph, input, status, workspace, budget }: RunState): string {
  const { arguments: declared = {} } = graph as unknown as GraphJson & { readonly arguments?: ArgumentsJson };
  const given = (typeof input === "object" && input !== null ? input : {}) as { readonly [key: string]: Json };
  const [, turns] = /after (\d+) iteration/.exec(status.kind === "failed" ? status.error.message : "") ?? [];
  const words = Object.entries(declared).flatMap(([key, argument]) => {
    const value = given[key];
    if (key === "maxIterations" && value === Number(turns)) return [`${flagOf(key)} <more>`];
    if (value === undefined || value === false) return [];
    if ("default" in argument && argument.default === value) return [];
    if (argument.type === "boolean") return [flagOf(key)];
    return [argument.type === "rest" ? shellWord(String(value)) : `${flagOf(key)} ${shellWord(String(value))}`];
  });
  const { host, model, script, maxPrompts, permissions = {}, idleTimeoutMs } = setupOf(workspace) ?? {};
  const tools = (action: Action): string[] => {
    const named = Object.entries(permissions).flatMap(([tool, answer]) => (answer === action ? [tool] : []));
    return named.map((tool) => `--${action} ${tool === "*" ? "all" : shellWord(tool)}`);
  };
  const seconds = (ms: number): string => `${ms / 1000}s`;
  const { usd, tokens, wallMs, steps } = budget;
  return [
    "atomic run",
    shellWord(name ?? "<workflow>"),
    ...words,
    // A script implies its host.
    ...(host === undefined || script !== undefined ? [] : [`--host ${host}`]),
    ...(model === undefined ? [] : [`--model ${shellWord(model)}`]),
    ...(script === undefined ? [] : [`--script ${shellWord(script)}`]),
    ...(maxPrompts === undefined ? [] : [`--max-prompts ${maxPrompts}`]),
    ...tools("allow"),
    ...tools("deny"),
    ...tools("ask"),
    ...(usd === undefined ? [] : [`--budget-usd ${usd}`]),
    ...(tokens === undefined ? [] : [`--budget-tokens ${tokens}`]),
    ...(wallMs === undefined ? [] : [`--max-time ${seconds(wallMs)}`]),
    ...(steps === undefined ? [] : [`--max-steps ${steps}`]),
    ...(idleTimeoutMs === undefined ? [] : [`--idle-timeout ${seconds(idleTimeoutMs)}`]),
  ].join(" ");
}

/** The host's program, its package, its server or a login. */
const unavailable: ReadonlySet<string> = new Set<HostErrorCode>(["host-missing", "host-failed", "login-missing"]);

/** The exit code of `atomic run` and `atomic resume`. */
export function exitCodeOf(status: RunStatus): ExitCode {
  switch (status.kind) {
    case "done":
      return 0;
    case "waiting":
      return 4;
    case "stopped":
      return 5;
    case "cancelled":
    case "cancelling":
      return 8;
    case "failed":
      return unavailable.has(status.error.code ?? "") ? 6 : 1;
    default:
      return 1;
  }
}
