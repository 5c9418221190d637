import type { AnyCommand } from "./command.ts";

/** Every command by its name, in the order of the help. Only those that somebody asks about are loaded. */
export const commands: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  run: async () => (await import("./commands/run.ts")).run,
  runs: async () => (await import("./commands/runs.ts")).runs,
  show: async () => (await import("./commands/show.ts")).show,
  resume: async () => (await import("./commands/resume.ts")).resume,
  approve: async () => (await import("./commands/approve.ts")).approve,
  cancel: async () => (await import("./commands/cancel.ts")).cancel,
  prune: async () => (await import("./commands/prune.ts")).prune,
  graph: async () => (await import("./commands/graph.ts")).graph,
  tasks: async () => (await import("./commands/tasks.ts")).tasks,
  "tasks import": async () => (await import("./commands/tasks-import.ts")).tasksImport,
  entities: async () => (await import("./commands/entities.ts")).entities,
  which: async () => (await import("./commands/which.ts")).which,
  lint: async () => (await import("./commands/lint.ts")).lint,
};
