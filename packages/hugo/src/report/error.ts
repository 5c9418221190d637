import { isExplained } from "@atomic/durable-files/explained-error";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { Interrupted } from "../cli/interruption.ts";
import type { PartOfError } from "../errors.ts";
import type { ShortPaths } from "./short-paths.ts";

/** Why the program ends without an answer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly at?: string;
  readonly hint?: string;
  /** Each of several things that are wrong. */
  readonly parts?: readonly PartOfError[];
  /** Where in Hugo it happened; only of a bug. */
  readonly stack?: readonly string[];
  readonly exitCode: number;
}

/** Everything that can be thrown, in the one shape that people and programs are told. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Interrupted) return { ...stopped, exitCode: error.exitCode };
  if (isExplained(error) && error.code !== "internal") return { ...partsOf(error), exitCode: error.exitCode };
  if (isRefusal(error)) return { code: "io", message: error.message, hint: refusals[error.code], exitCode: 3 };
  return bug(error);
}

export function formatFailure(failure: Failure, page: Page, short: ShortPaths = (text) => text): string {
  const lead = `${painter(page.colour)("red", "hugo:")} `;
  const { hint, parts = [], stack = [] } = failure;
  const { message, at } = withPlaceOnce(short(failure.message), failure.at === undefined ? "" : short(failure.at));
  const place = at === "" ? "" : paragraph(safeLine(at), page, { lead: "  at ", indent: "  " });
  const next = hint === undefined ? "" : paragraph(safeLine(short(hint)), page, { indent: "" });
  const lines = stack.map((line) => `  ${safeLine(line)}\n`);
  return [formatMessage({ message, parts }, page, lead), place, ...lines, next].join("");
}

/** Many messages have the place where it reads best, if not always all of it. */
function withPlaceOnce(message: string, at: string): { readonly message: string; readonly at: string } {
  if (at === "" || message.includes(at)) return { message, at: "" };
  const file = at.replace(/:\d+(?::\d+)?$/, "");
  for (const name of [file, file.slice(file.lastIndexOf("/") + 1)]) {
    const [before, found, after] = aroundWord(message, name);
    if (found) return { message: `${before}${at}${after}`, at: "" };
  }
  return { message, at };
}

function aroundWord(text: string, word: string): readonly [before: string, found: boolean, after: string] {
  const isOutside = (character: string | undefined): boolean =>
    character === undefined || /[\s"'`(),:;]/.test(character);
  for (let start = text.indexOf(word); start !== -1 && word !== ""; start = text.indexOf(word, start + 1)) {
    const end = start + word.length;
    if (isOutside(text[start - 1]) && isOutside(text[end])) return [text.slice(0, start), true, text.slice(end)];
  }
  return [text, false, ""];
}

/** What is wrong, each of several things on a line of its own. */
export function formatMessage(
  { message, parts = [] }: Pick<Failure, "message" | "parts">,
  page: Page,
  lead: string,
): string {
  if (parts.length < 2) return paragraph(safeLine(message), page, { lead, indent: "  " });
  return parts
    .map((part, i) => {
      const line = safeLine(`${part.at}: ${part.message}`);
      return paragraph(line, page, { lead: i === 0 ? lead : "  ", indent: "    " });
    })
    .join("");
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
  readonly parts?: readonly PartOfError[];
}

function partsOf({ code, message, at, hint, parts = [] }: Explained): Omit<Failure, "exitCode"> {
  return {
    code,
    message,
    ...(at !== undefined && { at }),
    ...(hint !== undefined && { hint }),
    ...(parts.length > 0 && { parts }),
  };
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
    message: "internal error: this is a bug in hugo.",
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
