import type { AnswerError } from "@atomic/terminal/command";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { formatMessage } from "@atomic/terminal/failure";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Context } from "../../context.ts";
import type { HugoError, HugoErrorCode, PartOfError } from "../../errors.ts";
import type { Capability } from "../../packages/capability.ts";
import { acceptedReports } from "../../report-hash.ts";
import { NotApproved } from "../../trust/ask-approval.ts";
import type { CheckChange, CheckStatus } from "../../workspace/check-file.ts";
import type { ChangeSummary } from "../../workspace/draft.ts";
import type { CommonInput } from "./hugo-command.ts";

/** A line for stderr that the user should read; foreign text in it is escaped. */
export function warning(message: string, page: Page): string {
  return paragraph(safeLine(message), page, { lead: `${painter(page.colour)("yellow", "Warning:")} `, indent: "  " });
}

export function noticeLines(notices: readonly string[], page: Page): string[] {
  return notices.map((notice) => paragraph(safeLine(notice), page, { indent: "  " }));
}

export function summaryNotes(
  { dryRun, notices, checkFile }: Pick<ChangeSummary, "dryRun" | "notices" | "checkFile">,
  page: Page,
): string[] {
  return [
    ...noticeLines([...notices, ...(checkFile === undefined ? [] : [aboutCheckFile(checkFile, dryRun)])], page),
    ...(dryRun ? ["Dry run: nothing was written.\n"] : []),
  ];
}

/** How hugo-check.js differs from what Hugo wrote; empty if it does not. */
export function differentCheckFile(check: CheckStatus | undefined): string[] {
  const effect = "so a clone without its plugins does not say that they are missing";
  if (check === undefined || check.state === "clean") return [];
  if (check.state === "modified") return [`${check.path} is locally modified.`];
  if (check.state === "foreign") return [`${check.path} was not written by Hugo, ${effect}.`];
  if (check.state === "blocked") {
    return [`${check.because}, ${effect}. Move it somewhere else, then run \`hugo ci\`.`];
  }
  return [`${check.path} is missing, ${effect}. \`hugo ci\` restores it.`];
}

/** Why `verify` and `health` fail when nothing else is wrong: `ci` and every other change will refuse. */
export function blockedError(check: CheckStatus | undefined): AnswerError {
  return {
    code: "file-taken",
    message: check?.because ?? "Something is in the way of hugo-check.js",
    at: check?.path,
    hint: "Move it somewhere else, then run `hugo ci`.",
  };
}

function aboutCheckFile({ path, did, because }: CheckChange, dryRun: boolean): string {
  const why = because === "foreign" ? "Hugo did not write it" : "locally modified";
  switch (did) {
    case "added":
      return `${dryRun ? "Would add" : "Added"} ${path}: in a clone, it says which plugins are missing.`;
    case "updated":
      return `${dryRun ? "Would update" : "Updated"} ${path}.`;
    case "removed":
      return `${dryRun ? "Would remove" : "Removed"} ${path}, because no plugin is left.`;
    case "kept":
      return `Keeping ${path} — ${why}.`;
    case "left":
      return `Leaving ${path} — ${why}. Delete manually if desired.`;
  }
}

/** How to approve exactly these reports without a terminal. */
export function acceptingNote(
  { user }: Pick<Context, "user">,
  { dryRun }: Pick<CommonInput, "dryRun">,
  reports: readonly (string | undefined)[],
): string[] {
  const hashes = [...acceptedReports(user), ...reports.filter((hash) => hash !== undefined)];
  const which = hashes.length === 1 ? "this report" : "these reports";
  return dryRun && hashes.length > 0 ? [`To accept exactly ${which} in a script: --yes=${hashes.join(",")}`] : [];
}

/** Why one of several workflows was left unchanged. */
export interface Failed {
  readonly name: string;
  readonly code: HugoErrorCode;
  readonly message: string;
  readonly at?: string;
  readonly hint: string;
  /** Each of several things that are wrong. */
  readonly parts?: readonly PartOfError[];
  readonly exitCode: ExitCode;
  /** What was not approved: the hash of its report, and what the report says. */
  readonly report?: string;
  readonly capabilities?: readonly Capability[];
  readonly notices?: readonly string[];
  /** Whether the user saw them. */
  readonly answer?: NotApproved["answer"];
}

export function failureOf(name: string, error: HugoError): Failed {
  const { code, message, at, hint, parts, exitCode } = error;
  const details = {
    ...(at !== undefined && { at }),
    ...(parts.length > 0 && { parts }),
    ...(error instanceof NotApproved && { ...error.facts, answer: error.answer }),
  };
  return { name, code, message, hint, exitCode, ...details };
}

const NOTHING = /Nothing was (?:changed|installed|written)\./;

/** A reason knows only its own workflow. @param hasOthers Others were changed. */
export function amongOthers(failed: readonly Failed[], hasOthers: boolean): Failed[] {
  return failed.map((each) =>
    hasOthers ? { ...each, hint: each.hint.replace(NOTHING, `${each.name} was not changed.`) } : each,
  );
}

/** @param did Completes "review was not …". */
export function failureNote(failure: Failed, did: "updated" | "adopted", page: Page): string {
  const { name, message, at, hint, answer } = failure;
  const lead = `${painter(page.colour)("red", safe`${name} was not ${did}:`)} `;
  if (answer === "declined")
    return paragraph(`the ${did === "updated" ? "update" : "adoption"} was declined. ${hint}`, page, {
      lead,
      indent: "  ",
    });
  const where = at === undefined || message.includes(at) ? "" : ` (${at})`;
  return [
    formatMessage({ ...failure, message: `${message}${where}` }, page, lead),
    paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
  ].join("");
}

/** At the end, unless a single reason or the note about a dry run says so. */
export function nothingChanged(failed: readonly Failed[], dryRun: boolean): string {
  const isSaid = dryRun || failed.length === 0 || failed.some(({ hint }) => hint.includes("Nothing was"));
  return isSaid ? "" : "Nothing was changed.\n";
}

/** The reason if only one failed; otherwise which ones, because `failed` has a reason for each. */
export function errorOf(failed: readonly Failed[], what: string): AnswerError {
  const [first, ...others] = failed;
  if (first !== undefined && others.length === 0) {
    const { name, code, message, at, hint } = first;
    return { code, message: `${name} ${what}: ${message}`, at, hint };
  }
  const codes = new Set(failed.map(({ code }) => code));
  const [only = "several"] = codes;
  return {
    code: codes.size > 1 ? "several" : only,
    message: `${failed.length} workflows ${what.replace(/^was /, "were ")}: ${failed.map(({ name }) => name).join(", ")}`,
    hint: "See `failed` for each reason.",
  };
}

/** The exit code of a single reason, otherwise 1. */
export function exitCodeOf(failed: readonly Failed[]): ExitCode {
  const codes = new Set(failed.map(({ exitCode }) => exitCode));
  const [only = 0] = codes;
  return codes.size > 1 ? 1 : only;
}
