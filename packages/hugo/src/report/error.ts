import { DurableError } from "@atomic/durable-files/errors";
import type { Page } from "@atomic/workflows/terminal/page";
import { painter } from "@atomic/workflows/terminal/paint";
import { safeLine } from "@atomic/workflows/terminal/safe-text";
import { paragraph } from "@atomic/workflows/terminal/wrap";
import { Interrupted } from "../cli/interruption.ts";
import { UsageError } from "../cli/usage-error.ts";
import { HugoError } from "../errors.ts";

/** Why the program ends without an answer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly at?: string;
  readonly hint?: string;
  /** Where in Hugo it happened; only of a bug. */
  readonly stack?: readonly string[];
  readonly exitCode: number;
}

/** Everything that can be thrown, in the one shape that people and programs are told. */
export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return { ...partsOf(error), exitCode: 2 };
  if (error instanceof Interrupted) return { ...stopped, exitCode: error.exitCode };
  if (error instanceof HugoError) return { ...partsOf(error), exitCode: error.exitCode };
  if (error instanceof DurableError && error.code !== "internal") return { ...partsOf(error), exitCode: 4 };
  if (isRefusal(error)) return { code: "io", message: error.message, hint: refusals[error.code], exitCode: 4 };
  return bug(error);
}

export function formatFailure(failure: Failure, page: Page): string {
  const lead = `${painter(page.colour)("red", "hugo:")} `;
  const { message, at, hint, stack = [] } = failure;
  // Many messages begin with the place, or have it where it reads best.
  const place =
    at === undefined || message.includes(at) ? "" : paragraph(safeLine(at), page, { lead: "  at ", indent: "  " });
  const next = hint === undefined ? "" : paragraph(safeLine(hint), page, { indent: "" });
  const lines = stack.map((line) => `  ${safeLine(line)}\n`);
  return [paragraph(safeLine(message), page, { lead, indent: "  " }), place, ...lines, next].join("");
}

const stopped = {
  code: "interrupted",
  message: "stopped before it was done",
  hint: "Nothing is half changed: the next command repairs what may be left. Run the command again to go on.",
};

interface Explained {
  readonly code: string;
  readonly message: string;
  readonly at?: string | undefined;
  readonly hint?: string | undefined;
}

function partsOf({ code, message, at, hint }: Explained): Pick<Failure, "code" | "message" | "at" | "hint"> {
  return { code, message, ...(at !== undefined && { at }), ...(hint !== undefined && { hint }) };
}

/** What the system may refuse to any program; nobody but the user can change that. */
const refusals = {
  EACCES: "Check who owns it and who may use it.",
  EPERM: "Check who owns it and who may use it.",
  EROFS: "It lies on a disk that can only be read.",
  ENOSPC: "The disk is full: make room and run the command again.",
  EDQUOT: "Your share of the disk is used up: make room and run the command again.",
  EMFILE: "Too many files are open: raise the limit (`ulimit -n`) and run the command again.",
  ENFILE: "Too many files are open on this machine: run the command again.",
  EIO: "The disk or the terminal failed.",
} as const;

function isRefusal(error: unknown): error is Error & { readonly code: keyof typeof refusals } {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return false;
  return typeof error.code === "string" && Object.hasOwn(refusals, error.code);
}

function bug(error: unknown): Failure {
  return {
    code: "internal",
    message: "failed, and that is a bug of hugo",
    stack: stackOf(error),
    hint: "Please report it with these lines. The next command repairs what this one may have left unfinished.",
    exitCode: 70,
  };
}

/** With the reasons behind the error, as deep as they go. */
function stackOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const lines = (error.stack || String(error)).split("\n");
  // Not every runtime repeats the message at the top of the stack.
  if (!lines[0]?.includes(error.message.split("\n")[0] ?? "")) lines.unshift(String(error));
  if (error.cause === undefined || depth === 5) return lines;
  const [first = "", ...rest] = stackOf(error.cause, depth + 1);
  return [...lines, `caused by ${first}`, ...rest];
}
