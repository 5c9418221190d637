import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Registers } from "@atomic/workflows/internal/hugo-lock/registers";
import { HugoError } from "../errors.ts";
import { contentAmounts, namesLabel, registersLabel, versionLabel } from "../packages/labels.ts";
import { placeFor } from "../workspace/place.ts";
import { requestOf, settleSpec } from "../workspace/request.ts";
import { reportedCapabilities } from "./shared/capabilities.ts";
import { formatOutcomes, outcomeWarnings, translationWarnings } from "./shared/file-outcomes.ts";
import { type HugoCommand, yesToReports } from "./shared/hugo-command.ts";
import { type InstallResult, installPackages, type WantedPackage } from "./shared/install-packages.ts";
import { errorOf, exitCodeOf, failureNote, nothingChanged, summaryNotes, warning } from "./shared/notes.ts";

const args = {
  spec: {
    count: "some",
    summary: "npm name, name@range, github:org/repo/folder#tag, a GitHub URL, git+https://…, ./folder or ./file.tgz",
  },
} as const;

const options = {
  force: { kind: "flag", summary: "Reinstall: restore deleted files and keep local edits" },
  allowNew: { kind: "flag", summary: "Accept a recently published version" },
  as: { kind: "text", value: "name", summary: "Install it under this name, for example if its own is taken" },
  replace: { kind: "flag", summary: "Replace the workflow of the same name from another source" },
  prefix: {
    kind: "text",
    value: "text",
    summary: "Prefix the names of its agents, commands and skills, as in acme-review",
  },
  select: {
    kind: "text",
    value: "names",
    summary: "Copy only these parts: names or patterns, such as skills/pdf,python-* or a plugin of a collection",
  },
  details: { kind: "flag", summary: "List every capability instead of a summary" },
  yes: yesToReports as typeof yesToReports,
} as const;

export const install: HugoCommand<typeof args, typeof options, InstallResult> = {
  name: "install",
  aliases: ["i"],
  summary: "Install workflows after showing what they can do",
  details: "Workflows are enabled right away, and hugo.json records exactly what was installed.",
  arguments: args,
  options,
  examples: [
    { command: "hugo install @some-org/code-review", shows: "the newest version from the npm registry" },
    { command: "hugo i @some-org/code-review@^2.0.0", shows: "the newest 2.x; updates stay within that range" },
    { command: "hugo i github:org/code-review#v1.0.0", shows: "a tag in a GitHub repository" },
    { command: "hugo i github:org/skills/skills/pdf", shows: "one folder of a repository" },
    { command: "hugo i github:org/skills --select 'pdf,docx'", shows: "two skills of a collection" },
    {
      command: "hugo i github:acme/skills --as acme-skills",
      shows: "two repositories with the same name, side by side",
    },
    { command: "hugo i github:acme/tools --prefix acme", shows: "acme-review instead of a second review" },
    { command: "hugo i ./code-review --dry-run", shows: "what installing a local folder would do" },
  ],
  mutates: true,
  run: async (context, input) => {
    // Includes what needs no approval: a different version of an existing file is a decision, too.
    if (!input.dryRun) context.user.refuseAgent?.("hugo install");
    const place = placeFor(context, input);
    if (input.as !== undefined && input.spec.length > 1) {
      throw new HugoError("spec-invalid", {
        message: "--as gives one package a name, but several packages were requested",
        hint: "Install them one by one. Nothing was changed.",
      });
    }
    const wanted: WantedPackage[] = [];
    for (const spec of input.spec) {
      wanted.push({ request: requestOf(await settleSpec(spec, context), context, place) });
    }
    return await installPackages(context, input, "install", async () => wanted);
  },
  report: {
    text: (result, page) =>
      result.workflows
        .map((workflow) => {
          const { folder, isUnseen, isDetailed, dryRun } = result;
          const { name, version, isAgain, entries, files, capabilities, registers } = workflow;
          const adds = result.verb === "adopt" ? "Adopted" : "Installed";
          const done = dryRun ? `Would ${result.verb}` : isAgain ? "Reinstalled" : adds;
          const added = files.filter(({ verdict }) => verdict === "added");
          const arriving = namesLabel(workflow)[isDetailed ? "all" : "short"];
          // By now it is known what it registers.
          const unseen = capabilities.filter(({ kind }) => kind !== "registers" || registers === undefined);
          return [
            paragraph(safe`workflow "${name}" ${versionLabel(version)} (${contentAmounts(workflow)})`, page, {
              lead: `${painter(page.colour)("green", done)} `,
              indent: "  ",
            }),
            ...entries.map(({ file }) =>
              paragraph(safe`${workflow.package} in ${file}`, page, { lead: "  ", indent: "    " }),
            ),
            registers === undefined ? "" : paragraph(registered(registers), page, { lead: "  ", indent: "    " }),
            added.length > 0 ? `  ${count(added.length, "file")} in ${folder}\n` : "",
            // The question has them, too.
            dryRun && arriving !== "" ? paragraph(safe`Names: ${arriving}`, page, { lead: "  ", indent: "    " }) : "",
            formatOutcomes(
              files.filter(({ verdict }) => verdict !== "added"),
              page,
            ),
            isUnseen ? reportedCapabilities(unseen, { isMore: false, isDetailed }, page) : "",
          ].join("");
        })
        .join(""),
    notes: (result, page) => {
      const { workflows, failed, dryRun } = result;
      const unseen = (texts: readonly string[]): string[] => texts.filter((text) => !result.shown.includes(text));
      return [
        ...workflows.flatMap((workflow) => [
          ...unseen(workflow.collisions.map(({ message }) => message)).map((message) => warning(message, page)),
          outcomeWarnings(workflow.files, { ...result, source: workflow.source }, page),
          translationWarnings(workflow, page),
        ]),
        ...failed.map((failure) => failureNote(failure, "adopted", page)),
        ...summaryNotes({ ...result, notices: unseen(result.notices) }, page),
        workflows.length === 0 ? nothingChanged(failed, dryRun) : "",
        dryRun || workflows.length === 0
          ? ""
          : paragraph("Restart OpenCode to use what was installed.", page, { indent: "" }),
      ].join("");
    },
    json: ({ verb, workflows, failed, dryRun, checkFile, notices }) => ({
      dryRun,
      workflows,
      ...(verb === "adopt" && { failed }),
      checkFile,
      notices,
    }),
    exitCode: ({ failed }) => exitCodeOf(failed),
    error: ({ failed }) => errorOf(failed, "was not adopted"),
  },
};

function registered(registers: Registers): string {
  if (Object.keys(registers).length > 0) return safe`Registers ${registersLabel(registers)}.`;
  return "OpenCode loads it. It registers no agents, commands, skills, tools or hooks.";
}
