import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import type { Command } from "@atomic/terminal/command";
import { UsageError } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { sessionsFolder } from "../sessions/workplace.ts";
import { timelineHtml } from "../timeline/html.ts";
import { timelineText } from "../timeline/text.ts";
import { commandOf, type MagnusContext, newestRun } from "./command.ts";

/** No run id looks like this, so the order of the words does not matter. */
const isFile = (word: string): boolean => word === "-" || /[./\\]/.test(word);

export const timelineCommand: Command<MagnusContext> = commandOf(
  {
    name: "timeline",
    summary: "Show everything that happened: phases, gates, people, sessions, tests, reviews, refusals, cost",
    details: [
      newestRun,
      "With --html, the timeline is a single page that needs no network or scripts and is readable on a phone. It is written to timeline.html in the session folder or to the file you name; use `-` for stdout.",
    ],
    arguments: {
      run: { count: "maybe", summary: "The run's id or any unique prefix of it" },
      file: { count: "maybe", summary: "With --html: where to write the page" },
    },
    options: { html: { kind: "flag", summary: "Write a web page instead of text" } },
    examples: [
      { command: "magnus-opus timeline impl-20260118", shows: "Show the timeline as text that fits the terminal." },
      { command: "magnus-opus timeline impl-20260118 --html run.html", shows: "Write the timeline to a web page." },
    ],
  },
  async (context, { html: isPage, ...given }) => {
    const words = [given.run, given.file].filter((word) => word !== undefined);
    const project = context.project();
    const [file, more] = isPage ? words.filter(isFile) : [];
    const [name, other] = isPage ? words.filter((word) => !isFile(word)) : words;
    const excess = more ?? other;
    if (excess !== undefined) {
      throw new UsageError(`unexpected argument ${excess}`, {
        hint: "To write to a file, pass --html and a file name that contains a dot.",
      });
    }
    const { events, id, state } = project.find(name);
    if (!isPage) return { text: (page) => timelineText(events, page), json: { run: id, events } };
    const html = timelineHtml(events);
    if (file === "-") return { text: () => html, json: { run: id, html } };
    const path =
      file === undefined ? resolve(state.worktree, state.folder, "timeline.html") : resolve(context.cwd, file);
    if (!existsSync(path) || readFileSync(path, "utf8") !== html) {
      await transaction(resolve(project.directory, sessionsFolder, ".state"), [{ path, content: html }]);
    }
    return { text: () => `${safe`Wrote ${path}`}\n`, json: { run: id, file: path } };
  },
);
