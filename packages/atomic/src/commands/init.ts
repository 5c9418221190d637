import { relative } from "node:path";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { type AtomicCommand, commandOf } from "../command.ts";
import { projectPaths } from "../project/plan-files.ts";
import { documentOf } from "../report/path.ts";
import { projectFolder, setUpProject } from "../setup/set-up-project.ts";
import { userOption } from "./types.ts";

export const init: AtomicCommand = commandOf({
  name: "init",
  summary: "Write a first workflow into a project, with types in your editor",
  arguments: { folder: { count: "maybe", summary: "The project's folder (default: the project around this folder)" } },
  options: {
    user: userOption,
    "dry-run": { kind: "flag", summary: "Show what would be written, without writing it" },
  },
  details: [
    `In a new or an existing project, it creates a first workflow (${projectPaths.firstWorkflow}), the names of your agents, skills and commands as types (${projectPaths.names}), what TypeScript needs to check them, and three dev dependencies in package.json: @atomic/cli, which is this command, @atomic/workflows, which has the types, and @types/node, for workflows that use Node.`,
    "A tsconfig.json that only checks types gets `.atomic` in its `include`. One that also compiles stays as it is, because it would compile the workflows, too; the workflows then have a tsconfig.json of their own.",
    "`atomic setup` does this, too, and adds what your agents need. Your files keep their comments and formatting, and none is overwritten. Run it as often as you like: it adds only what is missing.",
  ],
  examples: [
    { command: "atomic init", shows: "Set up the project around this folder." },
    { command: "atomic init packages/app", shows: "Set up one package of a monorepo, or a new folder." },
    { command: "atomic init --dry-run", shows: "Show what would be written." },
  ],
  run: async (context, input) =>
    await setUpProject(context, await projectFolder(context, "atomic init", input.folder), {
      user: input.user,
      dryRun: input["dry-run"],
    }),
  report: {
    text: ({ where, files, dryRun }, page) => {
      const paint = painter(page.colour);
      const marks = { created: paint("green", "+"), changed: paint("yellow", "~"), kept: paint("dim", "=") };
      const isDone = files.every(({ did }) => did === "kept");
      const folder = relative(where.cwd, where.project) || "this folder";
      let title = safe`Set up ${folder}:`;
      if (dryRun) title = safe`Would set up ${folder}:`;
      if (isDone)
        title = safe`${folder.replace(/^this folder$/, "This folder")} is set up; nothing ${dryRun ? "would be" : "was"} changed:`;
      const width = Math.max(...files.map(({ path }) => path.length));
      const lines = files.map(({ path, did, remark }) => {
        const lead = `  ${marks[did]} ${safeLine(path).padEnd(width)}  `;
        return paragraph(paint("dim", safeLine(remark)), page, { lead, indent: " ".repeat(width + 6) });
      });
      return `${title}\n${lines.join("")}`;
    },
    notes: ({ next, recovered, dryRun }, page) => {
      const before = recovered === undefined ? "" : paragraph(recovered, page, { indent: "  " });
      if (dryRun) return "Nothing was written.\n";
      // Never wrapped, so each line can be pasted.
      return `${before}\nNext:\n${next.map((command) => `  ${command}\n`).join("")}`;
    },
    json: ({ where, files, next, recovered, dryRun }) => {
      const listed = files.map(({ path, did, remark }) => ({ path, did, remark }));
      return documentOf(where, { files: listed, next, ...(recovered !== undefined && { recovered }), dryRun });
    },
    exitCode: () => 0,
  },
});
