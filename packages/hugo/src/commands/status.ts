import { count } from "@atomic/terminal/count";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../packages/labels.ts";
import { type CheckStatus, checkStatus } from "../workspace/check-file.ts";
import { besideOf, type FileState } from "../workspace/copied-files.ts";
import { folderLabel, placeFor, type WorkspacePlace } from "../workspace/place.ts";
import { commandFor } from "../workspace/request.ts";
import { readSnapshot } from "../workspace/snapshot.ts";
import { nothingInstalled, oneOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { differentCheckFile, noticeLines, warning } from "./shared/notes.ts";
import { formatPairs, type Pair } from "./shared/pairs.ts";
import { typedFolder, typedPath } from "./shared/short-paths.ts";
import { statusOf, type WorkflowStatus } from "./shared/workflow-status.ts";

interface StatusResult {
  readonly workflows: readonly WorkflowStatus[];
  readonly folder: string;
  /** As a shell in the current folder finds it. */
  readonly typedFolder: string;
  readonly checkFile?: CheckStatus | undefined;
  readonly place: WorkspacePlace;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

/** Local edits are allowed, so it always exits with 0; `hugo verify` is the check that can fail. */
export const status: HugoCommand<typeof names, Record<never, never>, StatusResult> = {
  name: "status",
  summary: "Show the state of each installed file",
  details: "A file is clean, modified, deleted, skipped during installation, or in conflict with an update.",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo status", shows: "every file in every workflow" },
    { command: "hugo status review --json", shows: "the same for one workflow, as JSON" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    const workflows = oneOrAll(snapshot.lock, input.name).map((name) => statusOf(snapshot, name));
    const isAboutPlugin = workflows.some(({ delivery }) => delivery === "plugin");
    const { place } = snapshot;
    const checkFile = isAboutPlugin ? checkStatus(snapshot) : undefined;
    const notices = [...snapshot.notices, ...differentCheckFile(checkFile)];
    const folders = { folder: folderLabel(place), typedFolder: typedFolder(context, place), place };
    return { workflows, checkFile, ...folders, notices };
  },
  report: {
    text: ({ workflows }, page) =>
      workflows.length === 0
        ? paragraph(nothingInstalled, page, { indent: "" })
        : workflows
            .map(({ name, version, package: packageName, enabled, files, entries }) => {
              const paint = painter(page.colour);
              const title = safe`Workflow: ${name} ${versionLabel(version)} (${packageName})`;
              const disabled = enabled ? "" : ` ${paint("yellow", "disabled")}`;
              const states: { readonly subject: string; readonly state: FileState }[] = [
                ...files.map(({ destination, state }) => ({ subject: safeLine(destination), state })),
                ...entries.map(({ file, spec, state }) => ({ subject: safe`${spec} in ${file}`, state })),
              ];
              const pairs = states.map(
                ({ subject, state }): Pair => ({ lead: "  ", subject, text: state, colour: colours[state] }),
              );
              return paragraph(`${paint("bold", title)}${disabled}`, page, { indent: "  " }) + formatPairs(pairs, page);
            })
            .join("\n"),
    notes: (result, page) => {
      const { workflows, notices } = result;
      return [
        ...workflows
          .flatMap(({ name, source, files, entries }) => {
            const { folder, typedFolder } = result;
            const skipped = files.filter(({ state }) => state === "skipped");
            const conflicts = files.filter(({ state }) => state === "conflict");
            const moved = entries.filter(({ state }) => state === "modified");
            return [
              ...(skipped.length === 0
                ? []
                : [
                    `${name} is incomplete: installation left out ${count(skipped.length, "file")}. To try again and see why: ${commandFor(result.place, "install --force", source)}`,
                  ]),
              ...conflicts.map(({ path }) => {
                const [file, beside] = [`${folder}/${path}`, `${folder}/${besideOf(path)}`];
                return `${file} conflicts with its update. Take what you want from ${beside}, then delete it: \`rm ${typedPath(typedFolder, besideOf(path))}\``;
              }),
              ...moved.map(({ file, spec, pin }) => {
                const wanted = pin === undefined ? "another version" : pin;
                return `${file} says ${spec}, but hugo.json says ${wanted}. Next: ${commandFor(result.place, "install --force", source)}, or restore the entry.`;
              }),
            ];
          })
          .map((message) => warning(message, page)),
        ...noticeLines(notices, page),
      ].join("");
    },
    json: ({ workflows, checkFile, notices }) => ({ workflows, checkFile, notices }),
    exitCode: () => 0,
  },
};

const colours: Readonly<Record<FileState, Colour>> = {
  clean: "green",
  modified: "yellow",
  deleted: "yellow",
  skipped: "red",
  conflict: "red",
};
