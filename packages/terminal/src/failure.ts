// Why a program ends without an answer, for people and for programs: the one place where errors become text.
import { isExplained } from "@atomic/durable-files/explained-error";
import { jsonLine } from "./json.ts";
import { type Page, withRunner } from "./page.ts";
import { painter } from "./paint.ts";
import type { Output } from "./process-output.ts";
import { safeLine } from "./safe-text.ts";
import { paragraph } from "./wrap.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly at?: string;
  readonly hint?: string;
  /** Each of several things that are wrong. */
  readonly parts?: readonly PartOfFailure[];
  /** Where in the program it happened; only of a bug. */
  readonly stack?: readonly string[];
  /** Facts that only programs get. */
  readonly facts?: object;
  readonly exitCode: number;
}

export interface PartOfFailure {
  /** `file:line:col`. */
  readonly at: string;
  readonly message: string;
  /** What to do about this one. */
  readonly hint?: string;
}

/** Everything that can be thrown, in the one shape that people and programs get. */
export function failureOf(error: unknown, program: string): Failure {
  if (isExplained(error) && error.code !== "internal") {
    const { code, message, at, hint, exitCode } = error;
    const parts = "parts" in error ? (error.parts as readonly PartOfFailure[]) : [];
    return {
      code,
      message,
      ...(at !== undefined && { at }),
      ...(hint !== undefined && hint !== "" && { hint }),
      ...(parts.length > 0 && { parts }),
      ...("facts" in error && { facts: error.facts as object }),
      exitCode,
    };
  }
  if (error instanceof Error && "syscall" in error && "code" in error) {
    const hint = systemRefusals.get(error.code);
    if (hint !== undefined) return { code: "io", message: error.message, hint, exitCode: 3 };
  }
  return {
    code: "internal",
    message: `internal error: this is a bug in ${program}.`,
    stack: stackOf(error),
    hint: "Please report it and include these lines. The next command repairs anything this one left unfinished.",
    exitCode: 70,
  };
}

/** Most explanations of refusals say it in their own words. */
const SAID = /\b(?:nothing|no project files) (?:was|were) (?:changed|written|installed|removed)\b/i;

/** The same with what was changed, unless that goes without saying. A bug may have done anything. */
export function sayingWhatChanged(failure: Failure, changed: string | undefined): Failure {
  const { code, message, hint = "" } = failure;
  if (changed === undefined || ["internal", "usage"].includes(code) || SAID.test(`${message} ${hint}`)) return failure;
  const text = code === "interrupted" ? `${changed} ${hint}` : `${hint} ${changed}`;
  return { ...failure, hint: text.trim() };
}

/** The same from a command that only reads: that it changed nothing goes without saying. */
export function withoutChanges(failure: Failure): Failure {
  const { hint, ...rest } = failure;
  const next = hint?.replace(/ ?\bNothing was changed\.$/, "") ?? "";
  return next === "" ? rest : { ...rest, hint: next };
}

/** One document on one line, so it can also be the last one in a stream. */
export function formatFailureAsJson({ exitCode: _, facts, ...error }: Failure): string {
  return jsonLine({ ok: false, error: { ...error, ...facts } });
}

/** Writes why the program ends. If stdout does not take the document, stderr gets the text, as far as it can be written. */
export function writeFailure(
  failure: Failure,
  { program, json, shorten }: { readonly program: string; readonly json: boolean; shorten?: (text: string) => string },
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
): void {
  const runnable = (page: Page): Failure =>
    failure.hint === undefined ? failure : { ...failure, hint: withRunner(failure.hint, program, page) };
  const text = formatFailure(runnable(stderr), program, stderr, shorten);
  const attempts = json ? [{ output: stdout, written: formatFailureAsJson(runnable(stdout)) }] : [];
  for (const { output, written } of [...attempts, { output: stderr, written: text }]) {
    try {
      output.write(written);
      return;
    } catch (error) {
      // A full disk, for one, does not even take the report that it is full.
      if (!(error instanceof Error && "syscall" in error)) throw error;
    }
  }
}

/** What, where and what next. `shorten` writes paths as people do. */
export function formatFailure(
  failure: Failure,
  program: string,
  page: Page,
  shorten: (text: string) => string = (text) => text,
): string {
  const lead = `${painter(page.colour)("red", `${program}:`)} `;
  const { hint = "", parts = [], stack = [] } = failure;
  const { message, at } = withPlaceOnce(shorten(failure.message), failure.at === undefined ? "" : shorten(failure.at));
  const place = at === "" ? "" : paragraph(safeLine(at), page, { lead: "  at ", indent: "  " });
  const lines = stack.map((line) => `  ${safeLine(line)}\n`);
  const next = hint === "" ? [] : shorten(hint).split("\n");
  return [
    formatMessage({ message, parts }, page, lead),
    place,
    ...lines,
    ...next.map((line) => {
      // Spaces at the beginning of a line are ours.
      const text = line.replace(/^ +/, "");
      return paragraph(" ".repeat(line.length - text.length) + safeLine(text), page, { indent: "  " });
    }),
  ].join("");
}

/** What is wrong, with each problem on its own line. */
export function formatMessage(
  { message, parts = [] }: Pick<Failure, "message" | "parts">,
  page: Page,
  lead: string,
): string {
  const several = parts.map(({ at, message, hint = "" }) => `${at}: ${message}${hint === "" ? "" : ` ${hint}`}`);
  const [first = "", ...others] = several.length < 2 ? message.split("\n") : several;
  return [
    paragraph(safeLine(first), page, { lead, indent: "  " }),
    ...others.map((line) => paragraph(safeLine(line), page, { lead: "  ", indent: "    " })),
  ].join("");
}

/** Many messages have the place where it reads best, if not always all of it. */
function withPlaceOnce(message: string, at: string): { readonly message: string; readonly at: string } {
  if (at === "" || message.includes(at)) return { message, at: "" };
  const file = at.replace(/:\d+(?::\d+)?$/, "");
  for (const name of [file, file.slice(file.lastIndexOf("/") + 1)]) {
    for (let start = message.indexOf(name); start !== -1 && name !== ""; start = message.indexOf(name, start + 1)) {
      const end = start + name.length;
      const isWord = wordEdge.test(message[start - 1] ?? "") && wordEdge.test(message[end] ?? "");
      if (isWord) return { message: `${message.slice(0, start)}${at}${message.slice(end)}`, at: "" };
    }
  }
  return { message, at };
}

const wordEdge = /^[\s"'`(),:;]?$/;

/** What the system may refuse to any program; only the user can change that. */
const systemRefusals: ReadonlyMap<unknown, string> = new Map([
  ["EACCES", "Check its owner and permissions."],
  ["EPERM", "Check its owner and permissions."],
  ["EROFS", "The disk is read-only."],
  ["ENOSPC", "The disk is full: free up space, then run the command again."],
  ["EDQUOT", "Your disk quota is used up: free up space, then run the command again."],
  ["EMFILE", "Too many files are open: raise the limit (`ulimit -n`), then run the command again."],
  ["ENFILE", "Too many files are open on this machine: close some programs or wait, then run the command again."],
  ["EIO", "The disk or the terminal failed."],
]);

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
