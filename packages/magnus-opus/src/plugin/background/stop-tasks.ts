// `/magnus-stop`: OpenCode ignores Esc in a session that only waits for its background tasks.
import { count } from "@atomic/terminal/count";
import { openBelow } from "../../background/task.ts";
import { list } from "../../words/template.ts";
import type { BackgroundTasks } from "./background-tasks.ts";

/** Undefined if there was nothing to stop. */
export function stopTasks(background: BackgroundTasks, session: string): string | undefined {
  const tasks = openBelow(background.state, session);
  if (tasks.length === 0) return undefined;
  // As Esc does while the session works: whatever waits for it comes with this message, and nothing else wakes it.
  background.dispatch({ type: "aborted", session });
  const stopped = tasks.map(({ id, agent, description }) => `${id} (${agent}: ${description})`);
  return `Stopped ${count(tasks.length, "background task")}:\n\n${list(stopped)}`;
}
