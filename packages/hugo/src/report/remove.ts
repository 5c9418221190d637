import { count } from "@atomic/workflows/terminal/count";
import type { Page } from "@atomic/workflows/terminal/page";
import { painter } from "@atomic/workflows/terminal/paint";
import { safe } from "@atomic/workflows/terminal/safe-text";
import { paragraph } from "@atomic/workflows/terminal/wrap";
import { circumstanceNotes, warning } from "../manage/notes.ts";
import type { LeftFile, Removed } from "../manage/remove.ts";
import { stillLoaded } from "../manage/toggle-report.ts";
import type { Report } from "../operation.ts";
import type { RemoveResult } from "../operations/remove.ts";

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
  const [modified, shared] = [amount("modified"), amount("shared")];
  return [
    ...(modified > 0 ? [`${count(modified, "file")} left in place (locally modified).`] : []),
    ...(shared > 0 ? [`${count(shared, "file")} left in place (shared).`] : []),
  ];
}

function notes(result: RemoveResult, page: Page): string {
  const { workflows, folder, dryRun } = result;
  return [
    ...workflows.flatMap(({ left }) => left.map((file) => warning(leaving(file, folder), page))),
    ...workflows.flatMap(({ name, elsewhere }) => elsewhere.map(({ file }) => warning(stillLoaded(name, file), page))),
    ...circumstanceNotes(result, page),
    workflows.length > 0 && !dryRun ? paragraph("Restart OpenCode to see the change.", page, { indent: "" }) : "",
  ].join("");
}

function leaving({ path, because, owners }: LeftFile, folder: string): string {
  const file = `${folder}/${path}`;
  if (because === "modified") return `Leaving ${file} — locally modified. Delete manually if desired.`;
  return `Leaving ${file} — it belongs to ${owners.map((owner) => `"${owner}"`).join(" and ")} as well.`;
}
