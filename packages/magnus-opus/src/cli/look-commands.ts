import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { transaction } from "@atomic/durable-files/transaction";
import { safe } from "@atomic/workflows/terminal/safe-text";
import { timelineHtml } from "../timeline/html.ts";
import { timelineText } from "../timeline/text.ts";
import { UsageError } from "./cli-error.ts";
import type { Command, Given, Report } from "./command.ts";
import type { Context } from "./context.ts";
import { listReport } from "./list-report.ts";
import type { FoundRun, Project } from "./project.ts";
import { statusReport } from "./status-report.ts";

const newest = "Without a run: the newest that is not over, or else the newest.";

export const lookCommands: readonly Command[] = [
  {
    name: "status",
    usage: "[run]",
    summary: "Where a run stands, what it waits for and what it has cost",
    remarks: [newest, "Looking takes nothing from the OpenCode that drives the run."],
    options: {},
    examples: [
      {
        command: "magnus-opus status --json",
        shows: "The same for a program: `.waitsForPerson` tells whether it is your turn.",
      },
    ],
    words: { least: 0, most: 1 },
    run: async (project, given) => statusReport(meant(project, given).state),
  },
  {
    name: "timeline",
    usage: "[run] [--html [file]]",
    summary: "All that happened: phases, gates, people, sessions, tests, reviews, refusals, cost",
    remarks: [
      newest,
      "With --html it is one page that needs no network and no script, and can be read on a phone. It is written to\ntimeline.html in the session folder, or to the file that is named; `-` writes it to stdout.",
    ],
    options: { html: { summary: "Write a page instead of text" } },
    examples: [
      { command: "magnus-opus timeline impl-20260118", shows: "As text, as wide as the terminal." },
      { command: "magnus-opus timeline impl-20260118 --html run.html", shows: "As a page." },
    ],
    words: { least: 0, most: 2 },
    run: timeline,
  },
  {
    name: "list",
    usage: "",
    summary: "The runs of this project, the newest first",
    remarks: [],
    options: {},
    examples: [{ command: "magnus-opus list", shows: "Their ids, where they stand, and what they are about." }],
    words: { least: 0, most: 0 },
    run: async (project) => listReport(project),
  },
];

function meant(project: Project, { words: [id] }: Given): FoundRun {
  return id === undefined ? project.latest() : project.find(id);
}

async function timeline(project: Project, given: Given, context: Context): Promise<Report> {
  const isPage = given.options.html === true;
  if (!isPage && given.words.length > 1)
    throw new UsageError(`there is one word too many: ${given.words[1]}`, "A file comes with --html.");
  const run = meant(project, given);
  const { events, id } = run;
  if (!isPage) return { text: (page) => timelineText(events, page), json: { run: id, events } };
  const html = timelineHtml(events);
  const [, file] = given.words;
  if (file === "-") return { text: () => html, json: { run: id, html } };
  const path =
    file === undefined ? resolve(run.state.worktree, run.state.folder, "timeline.html") : resolve(context.cwd, file);
  await write(project, path, html);
  return { text: () => `${safe`The page is ${path}`}\n`, json: { run: id, file: path } };
}

async function write({ directory }: Project, path: string, content: string): Promise<void> {
  if (readIfThere(path) === content) return;
  await transaction(resolve(directory, "ai-docs/sessions/.state"), [{ path, content }]);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
