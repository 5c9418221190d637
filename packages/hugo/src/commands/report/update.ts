import type { Report } from "@atomic/terminal/command";
import { formatMessage } from "@atomic/terminal/failure";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import { PARKING } from "../../workspace/step.ts";
import { errorOf, exitCodeOf, type Failed } from "../shared/failed.ts";
import { circumstanceNotes, nothingInstalled, warning } from "../shared/notes.ts";
import type { Updated } from "../shared/update-one.ts";
import type { Current, UpdateResult } from "../update.ts";
import { titledCapabilities } from "./capabilities.ts";
import { formatOutcomes, outcomeWarnings, translationWarnings } from "./file-outcomes.ts";

export const updateReport: Report<UpdateResult> = {
  text,
  notes,
  json: ({ updated, current, failed, dryRun, notices }) => ({ dryRun, updated, current, failed, notices }),
  exitCode: ({ failed }) => exitCodeOf(failed),
  error: ({ failed }) => errorOf(failed, "was not updated"),
};

function text(result: UpdateResult, page: Page): string {
  const { updated, current, failed } = result;
  if (updated.length + current.length + failed.length === 0) return paragraph(nothingInstalled, page, { indent: "" });
  return [
    ...updated.map((workflow) => sheet(workflow, result, page)),
    ...currentLines(current, updated.length + failed.length === 0).map((line) =>
      paragraph(line, page, { indent: "  " }),
    ),
  ].join("");
}

/** Of many, nobody reads each. */
const mostCurrent = 3;

function currentLines(current: readonly Current[], areAll: boolean): string[] {
  if (current.length > mostCurrent)
    return [`${areAll ? "All" : "The other"} ${current.length} workflows are up to date.`];
  return current.map(({ name, version }) => safe`${name} ${versionLabel(version)} is up to date.`);
}

function sheet(updated: Updated, { dryRun, isUnseen }: UpdateResult, page: Page): string {
  const { name, from, to, isEnabled, entries, files, widened } = updated;
  const paint = painter(page.colour);
  const done = paint("green", dryRun ? "Would update" : "Updated");
  const disabled = isEnabled ? "" : ` ${paint("yellow", "disabled")}`;
  return [
    paragraph(safe`${name}: ${versionLabel(from)} → ${versionLabel(to)}`.concat(disabled), page, {
      lead: `${done} `,
      indent: "  ",
    }),
    ...entries.map(({ file, spec }) => paragraph(safe`${spec} in ${file}`, page, { lead: "  ", indent: "    " })),
    formatOutcomes(files, page),
    isUnseen && widened.length > 0 ? titledCapabilities(widened, { isMore: true }, page) : "",
  ].join("");
}

function notes(result: UpdateResult, page: Page): string {
  const { updated, failed, dryRun } = result;
  return [
    ...updated.flatMap((workflow) => [
      ...workflow.collisions.map(({ message }) => warning(message, page)),
      outcomeWarnings(workflow.files, whereabouts(workflow, result), page),
      translationWarnings(workflow, page),
    ]),
    ...failed.map((failure) => formatFailed(failure, page)),
    ...circumstanceNotes(result, page),
    updated.length > 0 && !dryRun ? paragraph("Restart OpenCode to use the new versions.", page, { indent: "" }) : "",
  ].join("");
}

/** The files of a disabled workflow are parked. */
function whereabouts({ name, isEnabled, source }: Updated, { folder, typedFolder, dryRun }: UpdateResult) {
  const below = (path: string): string => (isEnabled ? path : `${path}/${PARKING}/${name}`);
  return { folder: below(folder), typedFolder: below(typedFolder), dryRun, source };
}

function formatFailed(failed: Failed, page: Page): string {
  const { name, message, at, hint, capabilities = [], answer } = failed;
  const lead = `${painter(page.colour)("red", safe`${name} was not updated:`)} `;
  if (answer === "declined") return paragraph(`it was declined. ${hint}`, page, { lead, indent: "  " });
  const where = at === undefined || message.includes(at) ? "" : ` (${at})`;
  return [
    formatMessage({ ...failed, message: `${message}${where}` }, page, lead),
    capabilities.length === 0 ? "" : titledCapabilities(capabilities, { isMore: true }, page),
    paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
  ].join("");
}
