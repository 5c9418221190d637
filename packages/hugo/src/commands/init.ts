import { basename, resolve } from "node:path";
import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { shellWord } from "@atomic/terminal/shell-words";
import { paragraph } from "@atomic/terminal/wrap";
import { HugoError } from "../errors.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import { readRegistrySpec } from "../sources/spec.ts";
import { fillTemplate, readTemplate, refuseUnlessEmpty, writeNew } from "./author/write-files.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

const args = { folder: { count: "maybe", summary: "Where to create it (default: this folder)" } } as const;

const options = {
  name: { kind: "text", value: "package", summary: "Package name, such as @org/review (default: the folder name)" },
} as const;

export interface Initialized {
  /** Absolute. */
  readonly folder: string;
  /** As the user named it; `.` if they did not. */
  readonly shownFolder: string;
  readonly package: string;
  readonly workflow: string;
  /** Paths in the folder, sorted. */
  readonly files: readonly string[];
  readonly dryRun: boolean;
}

export const init: HugoCommand<typeof args, typeof options, Initialized> = {
  name: "init",
  summary: "Create a small working workflow package to start from",
  arguments: args,
  options,
  examples: [
    { command: "hugo init code-review", shows: "a new package in the folder code-review" },
    { command: "hugo init . --name @org/code-review", shows: "the same in this folder, with a scoped name" },
  ],
  mutates: true,
  without: ["global"],
  run: async (context, input) => {
    const shownFolder = input.folder ?? ".";
    const folder = resolve(context.cwd, shownFolder);
    const packageName = checkedName(input.name ?? basename(folder), input.name === undefined);
    const files = fillTemplate(readTemplate(), packageName);
    if (input.dryRun) refuseUnlessEmpty(folder);
    else await writeNew(folder, files);
    return {
      folder,
      shownFolder,
      package: packageName,
      workflow: workflowNameOf(packageName),
      files: [...files.keys()],
      dryRun: input.dryRun,
    };
  },
  report: {
    text: ({ shownFolder, package: name, files, dryRun }, page) => {
      const did = dryRun ? "Would write" : "Wrote";
      const lines = files.map((path) => `  ${painter(page.colour)("green", "+")} ${safeLine(path)}\n`);
      const title = safe`${did} ${name} to ${shownFolder}: ${count(files.length, "file")}`;
      return paragraph(title, page, { indent: "  " }) + lines.join("");
    },
    notes: ({ shownFolder, dryRun }, page) => {
      if (dryRun) return "Dry run: nothing was written.\n";
      const go = shownFolder === "." ? "" : safe`cd ${shellWord(shownFolder)} && `;
      const next = `Next: \`${go}npm install && hugo build --check\` loads it in the real OpenCode.`;
      return paragraph(next, page, { indent: "  " });
    },
    json: ({ folder, package: name, workflow, files, dryRun }) => ({ folder, package: name, workflow, files, dryRun }),
    exitCode: () => 0,
  },
};

/** Refuses a name that a registry would reject or that cannot name a workflow. */
function checkedName(name: string, isOfFolder: boolean): string {
  try {
    const source = readRegistrySpec(name);
    if (source.name === name) return name;
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    if (!isOfFolder) throw new HugoError("name-invalid", { message: error.message, hint: error.hint, cause: error });
  }
  if (isOfFolder) {
    const message = `The folder's name, "${name}", is not a valid package name`;
    throw new HugoError("name-invalid", { message, hint: "Add `--name <name>`." });
  }
  const hint = "Leave out the version; it belongs in package.json.";
  throw new HugoError("name-invalid", { message: `"${name}" is not a package name`, hint });
}
