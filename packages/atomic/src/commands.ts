import type { CommandRow } from "@atomic/terminal/command";
import type { AtomicContext } from "./context.ts";

/** The headings of the help, in its order. */
export const commandGroups: Readonly<Record<string, string>> = {
  run: "Run workflows",
  workflow: "Workflows and their tasks",
  fleet: "Runs on many machines",
  entities: "Agents, skills and commands",
  shell: "Set up",
};

/** Every command, in the order of the help. Only those that are asked for are loaded. */
export const commands: readonly CommandRow<AtomicContext>[] = [
  { name: "run", group: "run", load: async () => (await import("./commands/run.ts")).run },
  { name: "runs", group: "run", load: async () => (await import("./commands/runs.ts")).runs },
  { name: "show", group: "run", load: async () => (await import("./commands/show.ts")).show },
  { name: "ui", group: "run", load: async () => (await import("./commands/ui.ts")).ui },
  { name: "resume", group: "run", load: async () => (await import("./commands/resume.ts")).resume },
  { name: "approve", group: "run", load: async () => (await import("./commands/approve.ts")).approve },
  { name: "cancel", group: "run", load: async () => (await import("./commands/cancel.ts")).cancel },
  { name: "raise", group: "run", load: async () => (await import("./commands/raise.ts")).raise },
  { name: "prune", group: "run", load: async () => (await import("./commands/prune.ts")).prune },
  { name: "init", group: "workflow", load: async () => (await import("./commands/init.ts")).init },
  { name: "types", group: "workflow", load: async () => (await import("./commands/types.ts")).types },
  { name: "graph", group: "workflow", load: async () => (await import("./commands/graph.ts")).graph },
  { name: "tasks", group: "workflow", load: async () => (await import("./commands/tasks.ts")).tasks },
  {
    name: "tasks import",
    group: "workflow",
    load: async () => (await import("./commands/tasks-import.ts")).tasksImport,
  },
  { name: "worker", group: "fleet", load: async () => (await import("./commands/worker.ts")).worker },
  { name: "schedule", group: "fleet", load: async () => (await import("./commands/schedule.ts")).schedule },
  { name: "schedule list", group: "fleet", load: async () => (await import("./commands/schedule.ts")).scheduleList },
  { name: "schedule pause", group: "fleet", load: async () => (await import("./commands/schedule.ts")).schedulePause },
  {
    name: "schedule remove",
    group: "fleet",
    load: async () => (await import("./commands/schedule.ts")).scheduleRemove,
  },
  { name: "engine migrate", group: "fleet", load: async () => (await import("./commands/engine.ts")).engineMigrate },
  { name: "engine check", group: "fleet", load: async () => (await import("./commands/engine.ts")).engineCheck },
  { name: "entities", group: "entities", load: async () => (await import("./commands/entities.ts")).entities },
  { name: "which", group: "entities", load: async () => (await import("./commands/which.ts")).which },
  { name: "lint", group: "entities", load: async () => (await import("./commands/lint.ts")).lint },
  { name: "setup", group: "shell", load: async () => (await import("./commands/setup.ts")).setup },
  {
    name: "completion",
    group: "shell",
    load: async () => (await import("@atomic/terminal/completion-command")).completionCommand("atomic"),
  },
];
