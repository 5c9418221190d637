import type { Command } from "./command.ts";

/** Every command by its name, in the order of the help. Only those that somebody asks about are loaded. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  entities: async () => (await import("./commands/entities.ts")).entities,
  which: async () => (await import("./commands/which.ts")).which,
  lint: async () => (await import("./commands/lint.ts")).lint,
};
