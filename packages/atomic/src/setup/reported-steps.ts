// What `atomic setup` did with each part, or would do, and how it is printed.
import { relative } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { isExplained } from "@atomic/durable-files/explained-error";
import { Interrupted } from "@atomic/terminal/console";
import { type ExitCode, exitCodes } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Where } from "../report/path.ts";
import type { FoundAgent, SetupStep } from "./steps.ts";

/** `would`: it was only shown. `not-possible`: its plan failed, and you did not choose it. */
type StepDid =
  | "done"
  | "would"
  | "there"
  | "left-out"
  | "not-possible"
  | "not-chosen"
  | "declined"
  | "failed"
  | "taken-back";

export interface ReportedStep extends Pick<SetupStep, "name" | "title" | "affects"> {
  readonly did: StepDid;
  /** Which files, or why not. */
  readonly detail: string;
  /** Of the error because of which it failed. */
  readonly exitCode?: number | undefined;
}

/** The other parts do not depend on it, so they are still done. A bug and Ctrl-C end everything. */
export function failedStep(error: unknown): Required<Pick<ReportedStep, "did" | "detail" | "exitCode">> {
  if (!isExplained(error) || error instanceof Interrupted) throw error;
  // Nothing is wrong with the file, so the hint is all there is to do.
  const again = error instanceof DurableError && error.code === "changed" ? "; run the command again" : "";
  return { did: "failed", detail: `${error.message}${again}`, exitCode: error.exitCode };
}

/** A dry run has the same exit code as the real one. 3 promises that nothing was changed. */
export function exitCodeOf(steps: readonly ReportedStep[]): ExitCode {
  const failed = steps.filter(({ did }) => did === "failed");
  const [code, ...others] = new Set(failed.map(({ exitCode = 1 }) => exitCode));
  if (code === undefined) return 0;
  const isChanged = steps.some(({ did }) => ["done", "would", "taken-back"].includes(did));
  if (others.length > 0 || (code === 3 && isChanged)) return 1;
  // It may be of another program.
  return exitCodes.find((each) => each.code === code)?.code ?? 1;
}

interface ProjectReport {
  readonly where: Where;
  readonly agents: readonly FoundAgent[];
  readonly steps: readonly ReportedStep[];
  readonly undo: boolean;
  readonly dryRun: boolean;
  /** The plan was shown before the question, with the agents. */
  readonly wasShown: boolean;
}

/** @param offered These are numbered, for the question. */
export function projectText(
  { where, agents, steps, undo, dryRun, wasShown }: ProjectReport,
  page: Page,
  offered: readonly ReportedStep[] = [],
): string {
  const paint = painter(page.colour);
  const folder = relative(where.cwd, where.project);
  const placeOf = ({ affects }: ReportedStep): string =>
    affects === "this project" && folder !== "" ? folder : affects;
  if (undo && steps.length === 0) {
    const text = safe`There is nothing to undo in ${where.project}: \`atomic setup\` has changed nothing here, or has already been undone. If you ran it in another folder, run this there.`;
    return paragraph(text, page, { indent: "" });
  }
  const isChanged = steps.some(({ did }) => did === "done" || did === "taken-back");
  const isComplete = steps.every(({ did }) => did === "there" || did === "left-out");
  let title = dryRun ? "Would set up:" : "Set up:";
  if (undo) title = dryRun ? "Would undo:" : "Undid:";
  else if (!isChanged && !steps.some(({ did }) => did === "would"))
    title = isComplete ? "Everything is already set up:" : "Nothing was changed:";
  const marks: Readonly<Record<StepDid, string>> = {
    done: paint("green", "+"),
    would: paint("green", undo ? "-" : "+"),
    "taken-back": paint("green", "-"),
    there: paint("dim", "="),
    "left-out": paint("dim", "–"),
    "not-possible": paint("dim", "–"),
    "not-chosen": paint("dim", "–"),
    declined: paint("yellow", "–"),
    failed: paint("red", "✗"),
  };
  const reasons: Partial<Record<StepDid, string>> = {
    there: "already there",
    "not-possible": "not possible now: ",
    "not-chosen": "not chosen",
    declined: "declined",
    failed: dryRun ? "would fail: " : "failed: ",
  };
  const lines = steps.map((step) => {
    const { did, detail } = step;
    const reason = reasons[did];
    const shown = reason === undefined ? detail : reason.endsWith(": ") ? `${reason}${detail}` : reason;
    const at = offered.indexOf(step);
    const lead = `  ${at === -1 ? "" : `${at + 1} `}${marks[did]} `;
    const place = ["would", "done", "taken-back"].includes(did) ? safe` (in ${placeOf(step)})` : "";
    const text = `${step.title}${place}${shown === "" ? "" : `: ${paint("dim", safeLine(shown))}`}`;
    return paragraph(text, page, { lead, indent: at === -1 ? "      " : "        " });
  });
  if (undo || wasShown) return `${wasShown ? "\n" : ""}${title}\n${lines.join("")}`;
  const found = agents.flatMap(({ name, path }) => (path === undefined ? [] : [name]));
  const missing = agents.flatMap(({ name, path }) => (path === undefined ? [name] : []));
  const parts = [
    ...(found.length > 0 ? [`found ${found.join(", ")}`] : []),
    ...(missing.length > 0 ? [`did not find ${missing.join(", ")}`] : []),
  ];
  return `${paragraph(`Agents: ${parts.join("; ")}.`, page, { indent: "" })}\n${title}\n${lines.join("")}`;
}
