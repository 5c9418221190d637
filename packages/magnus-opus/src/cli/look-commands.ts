import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import type { Command } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import { UsageError } from "@atomic/terminal/usage-error";
import { sessionsFolder } from "../sessions/sessions.ts";
import { timelineHtml } from "../timeline/html.ts";
import { timelineText } from "../timeline/text.ts";
import { type Context, commandOf, type Report } from "./command.ts";
import { listReport } from "./list-report.ts";
import type { FoundRun, Project } from "./project.ts";
import { statusReport } from "./status-report.ts";

const newest = "Without a run, it shows the newest one that has not ended, or else the newest.";

const run = { count: "maybe", summary: "Its id or any unique prefix" } as const;

export const lookCommands: Readonly<Record<"status" | "timeline" | "list", Command<Context>>> = {
  status: commandOf(
    {
      name: "status",
      summary: "Show where a run stands, what it is waiting for and what it has cost",
      details: [newest, "It does not disturb the OpenCode that drives the run."],
      arguments: { run },
      options: {},
      examples: [
        {
          command: "magnus-opus status --json",
          shows: "The same for a program: `.waitsForPerson` says whether it is your turn.",
        },
      ],
    },
    async ({ project }, input) => statusReport(meant(project(), input.run).state),
  ),
  timeline: commandOf(
    {
      name: "timeline",
      summary: "Show everything that happened: phases, gates, people, sessions, tests, reviews, refusals, cost",
      details: [
        newest,
        "With --html it is a single page that needs no network and no scripts, and is readable on a phone. It is written to timeline.html in the session folder or to the file you name; `-` writes it to stdout.",
      ],
      arguments: { run, file: { count: "maybe", summary: "With --html: where to write the page" } },
      options: { html: { kind: "flag", summary: "Write a page instead of text" } },
      examples: [
        { command: "magnus-opus timeline impl-20260118", shows: "As text, as wide as the terminal." },
        { command: "magnus-opus timeline impl-20260118 --html run.html", shows: "As a page." },
      ],
    },
    timeline,
  ),
  list: commandOf(
    {
      name: "list",
      summary: "List the project's runs, newest first",
      arguments: {},
      options: {},
      examples: [{ command: "magnus-opus list", shows: "Their ids, where they stand, and what they are about." }],
    },
    async ({ project }) => listReport(project()),
  ),
};

function meant(project: Project, id: string | undefined): FoundRun {
  return id === undefined ? project.latest() : project.find(id);
}

/** No id of a run looks like this, so that the order of the words does not matter. */
const isFile = (word: string): boolean => word === "-" || /[./\\]/.test(word);

interface TimelineInput {
  readonly run: string | undefined;
  readonly file: string | undefined;
  readonly html: boolean;
}

async function timeline(context: Context, { html: isPage, ...given }: TimelineInput): Promise<Report> {
  const words = [given.run, given.file].filter((word) => word !== undefined);
  const project = context.project();
  const [file, more] = isPage ? words.filter(isFile) : [];
  const [name, other] = isPage ? words.filter((word) => !isFile(word)) : words;
  const excess = more ?? other;
  if (excess !== undefined) {
    throw new UsageError(`unexpected argument ${excess}`, {
      hint: "A file needs --html and a dot in its name.",
    });
  }
  const { events, id, state } = meant(project, name);
  if (!isPage) return { text: (page) => timelineText(events, page), json: { run: id, events } };
  const html = timelineHtml(events);
  if (file === "-") return { text: () => html, json: { run: id, html } };
  const path = file === undefined ? resolve(state.worktree, state.folder, "timeline.html") : resolve(context.cwd, file);
  await write(project, path, html);
  return { text: () => `${safe`Wrote ${path}`}\n`, json: { run: id, file: path } };
}

async function write({ directory }: Project, path: string, content: string): Promise<void> {
  if (readIfThere(path) === content) return;
  await transaction(resolve(directory, sessionsFolder, ".state"), [{ path, content }]);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
