import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import type { FileState } from "../../workspace/file-states.ts";
import { besideOf } from "../../workspace/step.ts";
import { nothingInstalled, noticeLines, warning } from "../shared/notes.ts";
import { typedPath } from "../shared/typed-path.ts";
import type { WorkflowStatus } from "../shared/workflow-status.ts";
import type { StatusResult } from "../status.ts";
import { formatPairs, type Pair } from "./pairs.ts";

export const statusReport: Report<StatusResult> = {
  text: ({ workflows }, page) =>
    workflows.length === 0
      ? paragraph(nothingInstalled, page, { indent: "" })
      : workflows.map((workflow) => sheet(workflow, page)).join("\n"),
  notes,
  json: ({ workflows, notices }) => ({ workflows, notices }),
  exitCode: () => 0,
};

const colours: Readonly<Record<FileState, Colour>> = {
  clean: "green",
  modified: "yellow",
  deleted: "yellow",
  skipped: "red",
  conflict: "red",
};

function sheet({ name, version, package: packageName, enabled, files, entries }: WorkflowStatus, page: Page): string {
  const paint = painter(page.colour);
  const title = safe`Workflow: ${name} ${versionLabel(version)} (${packageName})`;
  const disabled = enabled ? "" : ` ${paint("yellow", "disabled")}`;
  const pair = (subject: string, state: FileState): Pair => ({
    lead: "  ",
    subject,
    text: state,
    colour: colours[state],
  });
  const pairs = [
    ...files.map(({ destination, state }) => pair(safeLine(destination), state)),
    ...entries.map(({ file, spec, state }) => pair(safe`${spec} in ${file}`, state)),
  ];
  return paragraph(`${paint("bold", title)}${disabled}`, page, { indent: "  " }) + formatPairs(pairs, page);
}

function notes(result: StatusResult, page: Page): string {
  const { workflows, notices } = result;
  return [
    ...workflows.flatMap((workflow) => warningsOf(workflow, result)).map((message) => warning(message, page)),
    ...noticeLines(notices, page),
  ].join("");
}

function warningsOf({ name, source, files, entries }: WorkflowStatus, { folder, typedFolder }: StatusResult): string[] {
  const skipped = files.filter(({ state }) => state === "skipped");
  const conflicts = files.filter(({ state }) => state === "conflict");
  const moved = entries.filter(({ state }) => state === "modified");
  return [
    ...(skipped.length === 0
      ? []
      : [
          `${name} is incomplete: ${count(skipped.length, "file")} left out at its installation. Next: hugo install --force ${source} tries again and says why.`,
        ]),
    ...conflicts.map(({ path }) => {
      const [file, beside] = [`${folder}/${path}`, `${folder}/${besideOf(path)}`];
      return `${file} and its update contradict each other. Take what you want from ${beside}, then delete it: rm ${typedPath(typedFolder, besideOf(path))}`;
    }),
    ...moved.map(({ file, spec, pin }) => {
      const wanted = pin === undefined ? "another version" : pin;
      return `${file} says ${spec}, but hugo.json says ${wanted}. Next: hugo install --force ${source}, or put the entry back.`;
    }),
  ];
}
