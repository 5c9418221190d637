import { withCommands } from "../../run/command-names.ts";
import { isOver } from "../../run/state.ts";
import { SessionError, Sessions } from "../../sessions/sessions.ts";
import type { Magnus } from "../live/magnus.ts";

/** `/cleanup`: without a name it lists, with one it removes. */
export async function cleanUp(magnus: Magnus, words: string): Promise<string> {
  const name = words.trim();
  if (name === "") return listSessions(magnus);
  try {
    const sessions = new Sessions(magnus.workplace.directory);
    const { id } = sessions.find(name);
    // An unreadable session is useless to its run, and a person has typed its name.
    const why = magnus.runs.stateOf(id) === undefined ? undefined : whyStillNeeded(magnus, id);
    if (why !== undefined) return why;
    const doubt = magnus.whyDoubted(id);
    if (doubt !== undefined) return `Nothing was removed: this was ${doubt}. Type it again once that has ended.`;
    await magnus.runs.forget(id);
    await sessions.remove(id);
    return `Removed the session ${id}.`;
  } catch (error) {
    if (error instanceof SessionError) return `${error.message} ${error.hint}`;
    throw error;
  }
}

export function listSessions({ workplace, settings }: Magnus): string {
  const all = new Sessions(workplace.directory).list();
  if (all.length === 0) return "There are no sessions.";
  const rows = all.map(({ id, meta }) => `- \`${id}\` (${meta?.status ?? "unknown"}) ${meta?.description ?? ""}`);
  return [
    `Sessions (${all.length}):`,
    "",
    ...rows,
    "",
    withCommands("`/cleanup <session>` removes one.", settings.commandNames),
  ].join("\n");
}

/** When a run ended, by its journal; undefined if it has not, or no one knows. */
export function endedAt({ runs }: Magnus, id: string): number | undefined {
  const state = runs.stateOf(id);
  return state !== undefined && isOver(state) ? state.at : undefined;
}

/** A run that has not ended needs its folder. */
export function whyStillNeeded({ runs, settings }: Magnus, id: string): string | undefined {
  if (!runs.ids().includes(id)) return undefined;
  const state = runs.stateOf(id);
  if (state !== undefined && isOver(state)) return undefined;
  return `The run ${id} has not ended (${state?.status.kind ?? "unknown"}), so its folder was not removed. The user can end it: ${withCommands(`\`/magnus-cancel ${id}\``, settings.commandNames)}.`;
}
