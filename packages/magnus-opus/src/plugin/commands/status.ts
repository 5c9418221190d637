import { withCommands } from "../../run/command-names.ts";
import { unableWords } from "../../words/help-words.ts";
import { statusWords } from "../../words/status-words.ts";
import { list, say } from "../../words/template.ts";
import type { Magnus } from "../live/magnus.ts";
import { openRuns } from "./find-run.ts";

/** The status of the named run, the session's own run, all unfinished runs, or the last one. */
export async function statusOf(magnus: Magnus, session: string, words: string): Promise<string> {
  const [name = ""] = words.trim().split(/\s+/);
  const ids = magnus.runs.ids();
  const named = ids.filter((id) => name !== "" && id.startsWith(name));
  if (name !== "" && named.length !== 1) {
    const why = named.length === 0 ? `There is no run "${name}".` : `Several runs start with "${name}".`;
    const some = (named.length === 0 ? ids : named).slice(0, 5);
    return `${why} There are ${some.length === 0 ? "none" : some.join(", ")}.`;
  }
  const own = await magnus.runs.idOf(session);
  const open = openRuns(magnus);
  const shown = name === "" ? (own !== undefined ? [own] : open.length > 0 ? open : ids.slice(0, 1)) : named;
  const lines = magnus.taskLines(session);
  const { commandNames } = magnus.settings;
  const stops = withCommands("`/magnus-stop` stops them", commandNames);
  const tasks = lines.length === 0 ? "" : `Background tasks (${stops}):\n${list(lines)}`;
  if (shown.length === 0) return [withCommands(say("no-runs"), commandNames), tasks].filter(Boolean).join("\n\n");
  const all = await Promise.all(
    shown.map(async (id) => {
      // Looking at a run does not interfere with the process that drives it.
      await magnus.runs.driven(id)?.refreshWithFiles();
      const state = magnus.runs.stateOf(id);
      return state === undefined ? `# ${id}\n\nIts journal cannot be read.` : statusWords(state);
    }),
  );
  return [...all, tasks, unableWords(magnus.settings.unable)].filter(Boolean).join("\n\n");
}
