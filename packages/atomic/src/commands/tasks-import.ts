import { relative, resolve } from "node:path";
import { count } from "@atomic/terminal/count";
import { UsageError } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { importTasks } from "@atomic/workflows/internal/tasks/import/import-tasks";
import { type AtomicCommand, commandOf } from "../command.ts";
import { locate } from "../entities/load-entities.ts";
import { textOption } from "../options.ts";
import { documentOf } from "../report/path.ts";
import { defaultTasks } from "./tasks.ts";

export const tasksImport: AtomicCommand = commandOf({
  name: "tasks import",
  summary: "Create a tasks file from a feature-list.json or prd.json",
  arguments: { file: { count: "one", summary: "The list to import" } },
  options: {
    to: textOption("path", `The tasks file (default: the project's ${defaultTasks})`),
    merge: { kind: "flag", summary: "Add new tasks to an existing tasks file" },
    replace: { kind: "flag", summary: "Overwrite an existing tasks file" },
  },
  examples: [
    {
      command: "atomic tasks import research/feature-list.json",
      shows: "Create a tasks file; passing features become passing tasks.",
    },
    { command: "atomic tasks import prd.json --merge", shows: "Add new tasks, and leave existing tasks unchanged." },
  ],
  run: async (context, input) => {
    if (input.merge && input.replace) {
      throw new UsageError("--merge and --replace cannot be combined", { hint: "Choose one of them." });
    }
    const where = await locate(context);
    const from = resolve(where.cwd, input.file);
    const existing = input.merge ? "merge" : input.replace ? "replace" : "refuse";
    const to = input.to === undefined ? {} : { to: resolve(where.cwd, input.to) };
    // Messages name the list as it was typed, if it is inside the project.
    const shown = relative(where.project, from);
    const source = shown.startsWith("..") ? from : shown;
    return { where, from, ...(await importTasks({ folder: where.project, from: source, existing, ...to })) };
  },
  report: {
    text: ({ list, file, did, added }) => {
      const what = { created: "wrote", replaced: "replaced", merged: "added to" }[did];
      return `${safe`${count(added.length, "task")} from a ${list}: ${what} ${file}`}\n`;
    },
    notes: ({ kept }) =>
      kept.length === 0 ? "" : `${safe`Kept ${count(kept.length, "existing task")}: ${kept.join(", ")}`}\n`,
    json: ({ where, from, list, file, did, added, kept }) =>
      documentOf(where, { from, list, file: resolve(where.project, file), did, added, kept }),
    exitCode: () => 0,
  },
});
