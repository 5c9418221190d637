import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import type { CiResult, Restored } from "../ci.ts";
import { errorOf, exitCodeOf } from "../shared/failed.ts";
import { circumstanceNotes } from "../shared/notes.ts";

export const ciReport: Report<CiResult> = {
  text: (result, page) => result.workflows.map((workflow) => line(workflow, result, page)).join(""),
  notes,
  json: ({ workflows, differences, failed, dryRun, notices }) => ({ dryRun, workflows, differences, failed, notices }),
  exitCode: ({ differences, failed }) => {
    const isDrift = differences.length > 0 || failed.some(({ code }) => code === "integrity-mismatch");
    return isDrift ? 1 : exitCodeOf(failed);
  },
  error: ({ differences, failed }) => {
    const [first, ...others] = differences;
    if (first === undefined) return errorOf(failed, "was not restored");
    const { workflow, message, hint } = first;
    if (others.length === 0) return { code: "drift", message: `${workflow}: ${message}`, hint: `Next: ${hint}.` };
    const names = [...new Set(differences.map((each) => each.workflow))].join(", ");
    const found = `${count(differences.length, "difference")} from hugo.json in ${names}`;
    return { code: "drift", message: found, hint: "`differences` has what to do about each." };
  },
};

function line({ name, version, isFetched, files, edited }: Restored, result: CiResult, page: Page): string {
  const isRefused = result.differences.length + result.failed.length > 0;
  const paint = painter(page.colour);
  const facts = [
    isFetched ? "package fetched" : "package in place",
    ...(files.length > 0
      ? [`${count(files.length, "file")} ${isRefused || result.dryRun ? "missing" : "restored"}`]
      : []),
    ...(edited.length > 0 ? [`${count(edited.length, "file")} with local edits kept`] : []),
  ];
  const text = safe`${name} ${versionLabel(version)} (${facts.join(", ")})`;
  const isDifferent = result.differences.some(({ workflow }) => workflow === name);
  const mark = isDifferent ? paint("red", "✗") : paint("green", "✓");
  return paragraph(text, page, { lead: `${mark} `, indent: "  " });
}

function notes(result: CiResult, page: Page): string {
  const { differences, failed } = result;
  const red = painter(page.colour);
  const problems = [
    ...differences.map(({ workflow, message, hint }) => ({ workflow, message, hint: `Next: ${hint}.` })),
    ...failed.map(({ name, message, hint }) => ({ workflow: name, message, hint })),
  ];
  return [
    ...problems.map(({ workflow, message, hint }) =>
      [
        paragraph(safeLine(message), page, { lead: `${red("red", safe`${workflow}:`)} `, indent: "  " }),
        paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
      ].join(""),
    ),
    problems.length > 0
      ? paragraph(`${count(problems.length, "difference")}; no file of the project was changed.`, page, { indent: "" })
      : "",
    ...circumstanceNotes(result, page),
  ].join("");
}
