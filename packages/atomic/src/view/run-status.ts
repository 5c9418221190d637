import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Colour } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import type { HostErrorCode } from "@atomic/workflows/hosts/host-error";
import type { RunState, RunStatus } from "@atomic/workflows/run/run-state";
import { formatTime } from "../report/amounts.ts";
import { shorten } from "../report/shorten.ts";
import { failsAgain, restartCommand } from "./restart.ts";

/** How a run is doing, as the end of a sentence about it. Not yet safe for a terminal. */
export function describeStatus(status: RunStatus): string {
  return status.kind === "failed" ? describeFailure(status, shorten) : describe(status);
}

/** The same in full length. */
export function describeWhole(status: RunStatus): string {
  return status.kind === "failed" ? describeFailure(status, (text) => text) : describe(status);
}

function describeFailure({ error }: Extract<RunStatus, { kind: "failed" }>, told: (text: string) => string): string {
  return `failed: ${error.key === undefined ? "" : `${error.key}: `}${told(error.message)}`;
}

function describe(status: RunStatus): string {
  switch (status.kind) {
    case "pending":
      return "not being worked on";
    case "running":
      return "running";
    case "interrupted":
      return "interrupted: its process is gone";
    case "waiting":
      return waitsFor(status);
    case "paused":
      return `paused until ${formatTime(status.until)}: ${status.reason}`;
    case "stopped":
      return `stopped: ${status.reason}`;
    case "damaged":
      return `damaged: ${status.reason}`;
    default:
      return status.kind;
  }
}

function waitsFor({ for: waits }: Extract<RunStatus, { kind: "waiting" }>): string {
  const signals = waits.filter(({ kind }) => kind === "signal").length;
  if (signals > 0) return signals === 1 ? "waiting for an answer" : `waiting for ${signals} answers`;
  const dates = waits.flatMap((wait) => (wait.until === undefined ? [] : [wait.until]));
  return dates.length === 0 ? "waiting" : `waiting until ${formatTime(Math.min(...dates))}`;
}

/** One or two words, for a table. */
export function statusWord({ kind }: RunStatus): string {
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

/** What may be done about it; undefined if nothing has to be. */
export function nextStep(state: RunState, status: RunStatus = state.status): string | undefined {
  const { runId } = state;
  switch (status.kind) {
    case "pending":
    case "interrupted":
      return `atomic resume ${runId}`;
    case "stopped":
      return `atomic resume ${runId} --${raises[status.exceeded.limit]}`;
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

/** The host's program, its package or its server. */
const unavailable: ReadonlySet<string> = new Set(["host-missing", "host-failed"] satisfies HostErrorCode[]);

/** Of `atomic run` and `atomic resume`. */
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

export function safeStatus(status: RunStatus): string {
  return safeLine(describeStatus(status));
}
