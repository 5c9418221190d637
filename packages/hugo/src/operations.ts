import type { CommandRow } from "@atomic/terminal/program";
import type { Context } from "./context.ts";
import type { Operation } from "./operation.ts";

export interface OperationRow extends CommandRow<Context> {
  readonly group: OperationGroup;
  load(): Promise<Operation>;
}

export type OperationTable = readonly OperationRow[];

/** The headings of the help, in its order. */
export const operationGroups = {
  change: "Change what is installed",
  look: "See what there is",
  author: "Write a workflow",
  shell: "Set up",
} as const;

type OperationGroup = keyof typeof operationGroups;

/** Every operation, in the order of the help: the commands of the terminal and the tools inside OpenCode. */
export const operations: OperationTable = [
  {
    name: "install",
    aliases: ["i"],
    group: "change",
    load: async () => (await import("./operations/install.ts")).install,
  },
  { name: "update", group: "change", load: async () => (await import("./operations/update.ts")).update },
  {
    name: "remove",
    aliases: ["rm"],
    group: "change",
    load: async () => (await import("./operations/remove.ts")).remove,
  },
  { name: "enable", group: "change", load: async () => (await import("./operations/enable.ts")).enable },
  { name: "disable", group: "change", load: async () => (await import("./operations/disable.ts")).disable },
  { name: "switch", group: "change", load: async () => (await import("./operations/switch.ts")).switchTo },
  { name: "undo", group: "change", load: async () => (await import("./operations/undo.ts")).undo },
  { name: "ci", group: "change", load: async () => (await import("./operations/ci.ts")).ci },
  { name: "list", aliases: ["ls"], group: "look", load: async () => (await import("./operations/list.ts")).list },
  { name: "info", group: "look", load: async () => (await import("./operations/info.ts")).info },
  { name: "search", group: "look", load: async () => (await import("./operations/search.ts")).search },
  { name: "outdated", group: "look", load: async () => (await import("./operations/outdated.ts")).outdated },
  { name: "status", group: "look", load: async () => (await import("./operations/status.ts")).status },
  { name: "diff", group: "look", load: async () => (await import("./operations/diff.ts")).diff },
  { name: "verify", group: "look", load: async () => (await import("./operations/verify.ts")).verify },
  { name: "health", group: "look", load: async () => (await import("./operations/health.ts")).health },
  { name: "init", group: "author", load: async () => (await import("./operations/init.ts")).init },
  { name: "build", group: "author", load: async () => (await import("./operations/build.ts")).build },
  { name: "completion", group: "shell", load: async () => (await import("./operations/completion.ts")).completion },
];

export function findOperation(word: string, table: OperationTable = operations): OperationRow | undefined {
  return table.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
}
