import type { CommandReport } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { enable as enableOn } from "../delivery/toggle.ts";
import { versionLabel } from "../packages/labels.ts";
import type { Collision } from "../trust/collisions.ts";
import { collisionsOfEnabled } from "../trust/existing-claims.ts";
import { PARKING } from "../workspace/copied-files.ts";
import { type ChangeSummary, changeDraft, type StateChange } from "../workspace/draft.ts";
import { namedOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { summaryNotes, warning } from "./shared/notes.ts";

/** What `enable`, `disable` and `switch` did. */
export interface StateChanges extends ChangeSummary {
  readonly workflows: readonly StateChange[];
  /** Names that the enabled ones share with others. */
  readonly collisions: readonly Collision[];
}

const names = { name: { count: "many", term: "<name…>", summary: "Workflow names, or --all" } } as const;

const options = { all: { kind: "flag", summary: "Enable every installed workflow" } } as const;

export const enable: HugoCommand<typeof names, typeof options, StateChanges> = {
  name: "enable",
  summary: "Make disabled workflows available to OpenCode again",
  details:
    "Files are restored with your edits and file modes, and plugin entries with their options and position. Comments next to an entry are lost.",
  arguments: names,
  options,
  examples: [
    { command: "hugo enable review", shows: "restores its plugin entry or its files" },
    { command: "hugo enable --all", shows: "enables every workflow" },
  ],
  mutates: true,
  run: (context, input) =>
    changeDraft(context, input, "enable", (draft) => {
      const wanted = namedOrAll(draft.snapshot.lock, "enable", input);
      const workflows = enableOn(draft, wanted);
      const enabled = workflows.filter(({ change }) => change === "enabled").map(({ name }) => name);
      const collisions = collisionsOfEnabled(draft, enabled);
      return { title: `enable ${enabled.join(" ")}`, result: { workflows, collisions } };
    }),
  report: stateChangeReport("Nothing is installed, so there is nothing to enable."),
};

/**
 * The report of `enable`, `disable` and `switch`.
 *
 * @param nothing The text if nothing is installed.
 */
export function stateChangeReport(nothing: string): CommandReport<StateChanges> {
  return {
    text: (result, page) => {
      const { workflows } = result;
      const lines = workflows.length === 0 ? [nothing] : workflows.map((each) => line(each, result, page));
      return lines.map((each) => paragraph(each, page, { indent: "  " })).join("");
    },
    notes: (result, page) => {
      const { workflows, collisions, dryRun } = result;
      const hasChanged = workflows.some(({ change }) => change === "enabled" || change === "disabled");
      return [
        ...collisions.map(({ message }) => warning(message, page)),
        ...workflows.flatMap(({ name, change, elsewhere }) =>
          change === "already-enabled" ? [] : elsewhere.map(({ file }) => warning(stillLoaded(name, file), page)),
        ),
        ...workflows.flatMap(({ name, change, redirected }) =>
          redirected.map(({ file, spec }) => {
            const what = `lists "${spec}", which is not the package that was installed`;
            const listed = `listed "${spec}", which was not the package that was installed`;
            return change === "already-enabled"
              ? warning(`${file} ${what}. Next: \`hugo disable ${name}\`, then \`hugo enable ${name}\`.`, page)
              : warning(`${file} ${listed}. The entry for the installed one takes its place.`, page);
          }),
        ),
        ...summaryNotes(result, page),
        hasChanged && !dryRun ? paragraph("Restart OpenCode to see the change.", page, { indent: "" }) : "",
      ].join("");
    },
    json: ({ workflows, collisions, dryRun, checkFile, notices }) => ({
      dryRun,
      workflows,
      collisions,
      checkFile,
      notices,
    }),
    exitCode: ({ workflows }) => (workflows.some(({ change }) => change === "enabled-elsewhere") ? 1 : 0),
    error: ({ workflows }) => {
      const elsewhere = workflows.filter(({ change }) => change === "enabled-elsewhere");
      const [first] = elsewhere;
      const files = elsewhere.flatMap((each) => each.elsewhere.map(({ file }) => file));
      return {
        code: "enabled-elsewhere",
        message: `OpenCode still loads ${elsewhere.map(({ name }) => name).join(", ")} through ${[...new Set(files)].join(", ")}, which applies to all your projects`,
        at: files[0],
        hint: `Run \`hugo disable -g ${first?.name}\`, or remove the entry.`,
      };
    },
  };
}

function line(toggled: StateChange, { folder, dryRun }: StateChanges, page: Page): string {
  const paint = painter(page.colour);
  const { name, version, change } = toggled;
  const label = safe`${name} ${versionLabel(version)}`;
  const where = details(toggled, folder);
  switch (change) {
    case "enabled":
      return `${paint("green", dryRun ? "Would enable" : "Enabled")} ${label}${where}`;
    case "disabled":
      return `${paint("yellow", dryRun ? "Would disable" : "Disabled")} ${label}${where}`;
    case "already-enabled":
      return safe`${name} is already enabled.`;
    case "already-disabled":
      return safe`${name} is already disabled.`;
    case "enabled-elsewhere":
      return safe`${name} stays enabled.`;
  }
}

function details({ name, delivery, change, entries, files }: StateChange, folder: string): string {
  if (delivery === "plugin") {
    const files = [...new Set(entries.map(({ file }) => file))];
    return files.length === 0 ? "" : safe` (in ${files.join(" and ")})`;
  }
  const amount = count(files.length, "file");
  return change === "disabled" ? safe` (${amount} parked in ${folder}/${PARKING}/${name})` : ` (${amount} back)`;
}

export function stillLoaded(name: string, file: string): string {
  return `OpenCode still loads ${name} through ${file}, which applies to all your projects. Next: hugo disable -g ${name}, or remove the entry.`;
}
