import type { CommandRow } from "@atomic/terminal/command";
import type { HugoCommand } from "./commands/shared/hugo-command.ts";
import type { Context } from "./context.ts";

export interface HugoCommandRow extends CommandRow<Context> {
  readonly group: CommandGroup;
  load(): Promise<HugoCommand>;
}

export type HugoCommands = readonly HugoCommandRow[];

/** The help's headings, in order. */
export const commandGroups = {
  change: "Change what is installed",
  look: "Inspect workflows",
  author: "Write a workflow",
  shell: "Set up",
} as const;

type CommandGroup = keyof typeof commandGroups;

/** Every command, in the order of the help, for the terminal and for the tools inside OpenCode. */
export const commands: HugoCommands = [
  {
    name: "install",
    aliases: ["i"],
    group: "change",
    load: async () => (await import("./commands/install.ts")).install,
  },
  { name: "adopt", group: "change", load: async () => (await import("./commands/adopt.ts")).adopt },
  { name: "update", group: "change", load: async () => (await import("./commands/update.ts")).update },
  { name: "remove", aliases: ["rm"], group: "change", load: async () => (await import("./commands/remove.ts")).remove },
  { name: "enable", group: "change", load: async () => (await import("./commands/enable.ts")).enable },
  { name: "disable", group: "change", load: async () => (await import("./commands/disable.ts")).disable },
  { name: "switch", group: "change", load: async () => (await import("./commands/switch.ts")).switchTo },
  { name: "undo", group: "change", load: async () => (await import("./commands/undo.ts")).undo },
  { name: "ci", group: "change", load: async () => (await import("./commands/ci.ts")).ci },
  { name: "prune", group: "change", load: async () => (await import("./commands/prune.ts")).prune },
  { name: "list", aliases: ["ls"], group: "look", load: async () => (await import("./commands/list.ts")).list },
  { name: "info", group: "look", load: async () => (await import("./commands/info.ts")).info },
  { name: "search", group: "look", load: async () => (await import("./commands/search.ts")).search },
  { name: "outdated", group: "look", load: async () => (await import("./commands/outdated.ts")).outdated },
  { name: "status", group: "look", load: async () => (await import("./commands/status.ts")).status },
  { name: "diff", group: "look", load: async () => (await import("./commands/diff.ts")).diff },
  { name: "verify", group: "look", load: async () => (await import("./commands/verify.ts")).verify },
  { name: "health", group: "look", load: async () => (await import("./commands/health.ts")).health },
  { name: "init", group: "author", load: async () => (await import("./commands/init.ts")).init },
  { name: "build", group: "author", load: async () => (await import("./commands/build.ts")).build },
  { name: "setup", group: "shell", load: async () => (await import("./commands/setup.ts")).setup },
  { name: "completion", group: "shell", load: async () => (await import("./commands/completion.ts")).completion },
];

export function findCommand(word: string, table: HugoCommands = commands): HugoCommandRow | undefined {
  return table.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
}
