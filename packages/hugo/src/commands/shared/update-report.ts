import type { CommandReport } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Delivered } from "../../delivery/decision.ts";
import type { Capability } from "../../packages/capability.ts";
import { versionLabel, versionStep } from "../../packages/labels.ts";
import type { Collision } from "../../trust/collisions.ts";
import { PARKING } from "../../workspace/copied-files.ts";
import type { ChangeSummary } from "../../workspace/draft.ts";
import { reportedCapabilities } from "./capabilities.ts";
import { formatOutcomes, outcomeWarnings, type ReportFolders, translationWarnings } from "./file-outcomes.ts";
import { nothingInstalled } from "./find-workflows.ts";
import { errorOf, exitCodeOf, type Failed, failureNote, nothingChanged, summaryNotes, warning } from "./notes.ts";
import type { ReportedWorkflow } from "./workflow-status.ts";

export interface Current {
  readonly name: string;
  readonly version: string;
}

/** No one reads a long list. */
const mostCurrent = 3;

export interface UpdateResult extends ChangeSummary, ReportFolders {
  readonly updated: readonly Updated[];
  /** Workflows without a newer version. */
  readonly current: readonly Current[];
  /** Workflows that could not be updated; they are unchanged. */
  readonly failed: readonly Failed[];
  /** The user has not yet seen what the new versions can do. */
  readonly isUnseen: boolean;
  /** With `--exit-code`. */
  readonly isStrict?: boolean;
  /** The user wants to see each capability. */
  readonly isDetailed: boolean;
  /** What the question has shown, and is not repeated. */
  readonly shown: readonly string[];
}

export interface Updated extends Omit<ReportedWorkflow, "version">, Delivered {
  readonly from: string;
  readonly to: string;
  readonly isEnabled: boolean;
  /** The installed version could be looked at; otherwise `widened` lists everything. */
  readonly isCompared: boolean;
  /** What only the new version can do; the user approved it. */
  readonly widened: readonly Capability[];
  /** The hash of the report that was or would be shown; missing if nothing had to be approved. */
  readonly report?: string;
  readonly collisions: readonly Collision[];
}

export const updateReport: CommandReport<UpdateResult> = {
  text: (result, page) => {
    const { updated, current, failed } = result;
    if (updated.length + current.length + failed.length === 0) return paragraph(nothingInstalled, page, { indent: "" });
    return [
      ...updated.map((workflow) => {
        const { dryRun, isUnseen, isDetailed } = result;
        const { name, from, to, isEnabled, entries, files, isCompared, widened } = workflow;
        const paint = painter(page.colour);
        const done = paint("green", dryRun ? "Would update" : "Updated");
        const disabled = isEnabled ? "" : ` ${paint("yellow", "disabled")}`;
        return [
          paragraph(safe`${name}${from === to ? "" : ":"} ${versionStep(from, to)}`.concat(disabled), page, {
            lead: `${done} `,
            indent: "  ",
          }),
          ...entries.map(({ file }) =>
            paragraph(safe`${workflow.package} in ${file}`, page, { lead: "  ", indent: "    " }),
          ),
          formatOutcomes(files, page),
          isUnseen && widened.length > 0 ? reportedCapabilities(widened, { isMore: isCompared, isDetailed }, page) : "",
        ].join("");
      }),
      ...(current.length > mostCurrent
        ? [`${updated.length + failed.length === 0 ? "All" : "The other"} ${current.length} workflows are up to date.`]
        : current.map(({ name, version }) => safe`${name} ${versionLabel(version)} is up to date.`)
      ).map((line) => paragraph(line, page, { indent: "  " })),
    ].join("");
  },
  notes: (result, page) => {
    const { updated, failed, dryRun } = result;
    return [
      ...updated.flatMap((workflow) => {
        const { name, isEnabled, source, files, collisions } = workflow;
        // The files of a disabled workflow are parked.
        const parked = isEnabled ? "" : `/${PARKING}/${name}`;
        const folders = {
          folder: result.folder + parked,
          typedFolder: result.typedFolder + parked,
          place: result.place,
        };
        return [
          ...collisions.map(({ message }) => warning(message, page)),
          outcomeWarnings(files, { ...folders, dryRun, source }, page),
          translationWarnings(workflow, page),
        ];
      }),
      ...failed.map((failure) => failureNote(failure, "updated", page)),
      ...summaryNotes({ ...result, notices: result.notices.filter((text) => !result.shown.includes(text)) }, page),
      updated.length === 0 && result.checkFile === undefined ? nothingChanged(failed, dryRun) : "",
      updated.length > 0 && !dryRun ? paragraph("Restart OpenCode to use the new versions.", page, { indent: "" }) : "",
    ].join("");
  },
  json: ({ updated, current, failed, dryRun, checkFile, notices }) => ({
    dryRun,
    updated,
    current,
    failed,
    checkFile,
    notices,
  }),
  exitCode: (result) => {
    if (result.failed.length > 0) return exitCodeOf(result.failed);
    return result.isStrict && openFiles(result).length > 0 ? 1 : 0;
  },
  error: (result) => {
    if (result.failed.length > 0) return errorOf(result.failed, "was not updated");
    const open = openFiles(result);
    const message = `${count(open.length, "file")} could not be updated because of your edits: ${open.join(", ")}`;
    return { code: "conflict", message, hint: "`hugo diff` shows your edits and the new version's changes." };
  },
};

/** What is not as the new versions have it, because the user's edits are in the way. */
function openFiles({ updated }: UpdateResult): string[] {
  return updated.flatMap(({ files }) =>
    files
      .filter(({ verdict }) => verdict === "conflict" || verdict === "skipped")
      .map(({ destination }) => destination),
  );
}
