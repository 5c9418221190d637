import { type BackgroundLimits, isOpen } from "../../background/task.ts";
import type { Magnus } from "../live/magnus.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { stopTasks } from "./stop-tasks.ts";
import { TaskClient } from "./task-client.ts";
import { TaskJournals } from "./task-journals.ts";
import { taskLine } from "./task-words.ts";
import { tasksFolder } from "./tasks-folder.ts";

export function openBackground(magnus: Magnus, limits: BackgroundLimits): BackgroundTasks {
  const journals = new TaskJournals(tasksFolder(magnus.workplace.directory), (message) =>
    magnus.opencode.notify(message),
  );
  const background = new BackgroundTasks(magnus, new TaskClient(magnus.context), journals, limits);
  magnus.taskLines = (session) => {
    const { tasks } = background.state;
    const root = tasks.get(session)?.root ?? session;
    const shown = [...tasks.values()].filter(
      (task) => task.root === root && (isOpen(task) || task.notice.kind !== "given"),
    );
    return shown.map(taskLine);
  };
  magnus.stopTasks = (session) => stopTasks(background, session);
  return background;
}
