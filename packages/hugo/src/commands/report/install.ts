import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { contentAmounts } from "../../packages/content-amounts.ts";
import { versionLabel } from "../../packages/version-label.ts";
import type { InstallResult } from "../install.ts";
import type { Installed } from "../shared/install-one.ts";
import { circumstanceNotes, warning } from "../shared/notes.ts";
import { asDelivered, titledCapabilities } from "./capabilities.ts";
import { formatOutcomes, outcomeWarnings, translationWarnings } from "./file-outcomes.ts";

export const installReport: Report<InstallResult> = {
  text: (result, page) => result.workflows.map((workflow) => sheet(workflow, result, page)).join(""),
  notes,
  json: ({ workflows, dryRun, notices }) => ({ dryRun, workflows, notices }),
  exitCode: () => 0,
};

function sheet(installed: Installed, { folder, isUnseen, dryRun }: InstallResult, page: Page): string {
  const { name, version, isAgain, entries, files, capabilities } = installed;
  const done = dryRun ? "Would install" : isAgain ? "Reinstalled" : "Installed";
  const added = files.filter(({ verdict }) => verdict === "added");
  return [
    paragraph(safe`workflow "${name}" ${versionLabel(version)} (${contentAmounts(installed)})`, page, {
      lead: `${painter(page.colour)("green", done)} `,
      indent: "  ",
    }),
    ...entries.map(({ file, spec }) => paragraph(safe`${spec} in ${file}`, page, { lead: "  ", indent: "    " })),
    added.length > 0 ? `  ${count(added.length, "file")} in ${folder}\n` : "",
    formatOutcomes(
      files.filter(({ verdict }) => verdict !== "added"),
      page,
    ),
    isUnseen ? titledCapabilities(asDelivered(capabilities, installed.delivery), { isMore: false }, page) : "",
  ].join("");
}

function notes(result: InstallResult, page: Page): string {
  const { workflows, dryRun } = result;
  return [
    ...workflows.flatMap((workflow) => [
      ...workflow.collisions.map(({ message }) => warning(message, page)),
      outcomeWarnings(workflow.files, { ...result, source: workflow.source }, page),
      translationWarnings(workflow, page),
    ]),
    ...circumstanceNotes(result, page),
    dryRun ? "" : paragraph("Restart OpenCode to use what was installed.", page, { indent: "" }),
  ].join("");
}
