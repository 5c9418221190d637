// The run that a typed command is about: the named one, the session's own, or the only unfinished one.

import { withCommands } from "../../run/command-names.ts";
import { isOver } from "../../run/state.ts";
import { sessionIdPattern } from "../../sessions/session-id.ts";
import { elsewhereWords } from "../../words/elsewhere-words.ts";
import { say } from "../../words/template.ts";
import type { DrivenRun } from "../live/driven-run.ts";
import type { Magnus } from "../live/magnus.ts";
import type { RunLookup } from "../live/project-runs.ts";

/** The run and the remaining words; or an answer for the person. */
export type CommandTarget =
  | { readonly run: DrivenRun; readonly rest: string }
  /** `elsewhere`: the run that another process may drive, and the remaining words. */
  | { readonly answer: string; readonly elsewhere?: { readonly id: string; readonly rest: string } };

export async function findTarget(magnus: Magnus, session: string, words: string): Promise<CommandTarget> {
  const [first = "", ...others] = words.trim().split(/\s+/);
  if (sessionIdPattern.test(first)) {
    if (!magnus.runs.ids().includes(first)) return { answer: `This project has no run ${first}.` };
    return asTarget(magnus, await magnus.runs.open(first), others.join(" "));
  }
  const own = await magnus.runs.of(session);
  if (own !== undefined) return asTarget(magnus, own, words);
  const open = openRuns(magnus);
  if (open.length === 1) return asTarget(magnus, await magnus.runs.open(open[0]!), words);
  if (open.length === 0) return { answer: withCommands(say("no-runs"), magnus.settings.commandNames) };
  return {
    answer: `Several runs are still open: ${open.join(", ")}. Name one after the command, or type the command in that run's session.`,
  };
}

function asTarget({ settings }: Magnus, found: RunLookup, rest: string): CommandTarget {
  switch (found.kind) {
    case "driven":
      return { run: found.run, rest };
    case "over":
      return {
        answer: `The run ${found.state.run} is ${found.state.status.kind}. ${withCommands("`/implement <feature>` starts another one.", settings.commandNames)}`,
      };
    case "closed":
      return {
        answer: elsewhereWords(settings.commandNames, found),
        elsewhere: { id: found.id, rest },
      };
  }
}

/** Ids of the unfinished runs, newest first. Includes unreadable ones. */
export function openRuns(magnus: Magnus): readonly string[] {
  return magnus.runs.ids().filter((id) => {
    const state = magnus.runs.stateOf(id);
    return state === undefined || !isOver(state);
  });
}
