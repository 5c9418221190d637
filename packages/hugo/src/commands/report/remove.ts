import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { PARKING } from "../../workspace/step.ts";
import type { RemoveResult } from "../remove.ts";
import { circumstanceNotes, warning } from "../shared/notes.ts";
import type { LeftFile, Removed } from "../shared/remove-workflow.ts";
import { stillLoaded } from "../shared/toggle-report.ts";

export const removeReport: Report<RemoveResult> = {
  text: (result, page) => result.workflows.map((each) => removal(each, result, page)).join(""),
  notes,
  json: ({ workflows, dryRun, notices }) => ({ dryRun, workflows, notices }),
  exitCode: () => 0,
};

function removal({ name, entries, deleted, left }: Removed, { folder, dryRun }: RemoveResult, page: Page): string {
  const done = dryRun ? "Would remove" : "Removed";
  const minus = painter(page.colour)("red", "-");
  const lines = [
    ...entries.map(({ file, spec }) => safe`${spec} in ${file}`),
    ...deleted.map((path) => safe`${folder}/${path}`),
  ];
  const title = [safe`${done} workflow "${name}".`, ...remainders(left)].join(" ");
  return [
    paragraph(title, page, { indent: "  " }),
    ...lines.map((line) => paragraph(line, page, { lead: `  ${minus} `, indent: "    " })),
  ].join("");
}

function remainders(left: readonly LeftFile[]): string[] {
  const amount = (because: LeftFile["because"]) => left.filter((file) => file.because === because).length;
  const [modified, shared, adopted] = [amount("modified"), amount("shared"), amount("adopted")];
  return [
    ...(modified > 0 ? [`${count(modified, "file")} left in place (locally modified).`] : []),
    ...(shared > 0 ? [`${count(shared, "file")} left in place (shared).`] : []),
    ...(adopted > 0 ? [`${count(adopted, "file")} left in place (there before it).`] : []),
  ];
}

function notes(result: RemoveResult, page: Page): string {
  const { workflows, folder, dryRun } = result;
  return [
    ...workflows.flatMap(({ name, left }) => left.map((file) => warning(leaving(name, file, folder), page))),
    ...workflows.flatMap(({ name, elsewhere }) => elsewhere.map(({ file }) => warning(stillLoaded(name, file), page))),
    ...circumstanceNotes(result, page),
    workflows.some(isNoticed) && !dryRun ? paragraph("Restart OpenCode to see the change.", page, { indent: "" }) : "",
  ].join("");
}

/** Whether OpenCode sees less than before, or a file again: of a disabled workflow it had nothing. */
function isNoticed({ entries, deleted, left }: Removed): boolean {
  const isInPlace = (path: string): boolean => !path.startsWith(`${PARKING}/`);
  const isBack = left.some(({ path, because }) => because === "adopted" && isInPlace(path));
  return entries.length > 0 || deleted.some(isInPlace) || isBack;
}

function leaving(name: string, { path, because, owners }: LeftFile, folder: string): string {
  const file = `${folder}/${path}`;
  if (because === "modified") return `Leaving ${file} — locally modified. Delete manually if desired.`;
  if (because === "adopted") return `Leaving ${file} — it was there before "${name}" was installed.`;
  return `Leaving ${file} — it belongs to ${owners.map((owner) => `"${owner}"`).join(" and ")} as well.`;
}
