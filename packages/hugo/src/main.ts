import type { Program } from "@atomic/terminal/command";
import type { Console } from "@atomic/terminal/console";
import { runProgram, start as startProgram } from "@atomic/terminal/run-program";
import { sharedOptions } from "./commands/shared/hugo-command.ts";
import { terminalUser } from "./commands/shared/terminal-user.ts";
import { commandGroups, commands, type HugoCommands } from "./commands.ts";
import type { Context } from "./context.ts";
import { shownName } from "./shown-name.ts";
import { changesMade } from "./workspace/changes-made.ts";

/** The process: its arguments in, its exit code out. */
export async function start(table: HugoCommands = commands): Promise<void> {
  await startProgram(hugoWith(table), shownName(process.argv[1] ?? "", process.env));
}

/** The whole program: arguments in, exit code out. */
export async function main(argv: readonly string[], console: Console, table: HugoCommands): Promise<number> {
  return await runProgram(hugoWith(table), argv, console);
}

/** `hugo`, over a table of commands. */
export function hugoWith(commands: HugoCommands): Program<Context> {
  let changesBefore = 0;
  return {
    name: "hugo",
    about:
      "Hugo installs workflows for OpenCode: agents, commands, skills and plugins in one package. `hugo` is short for `hugo-pm`; `hugo-pm setup` adds it.",
    commands,
    groups: commandGroups,
    options: sharedOptions.everywhere,
    optionsOfChanges: sharedOptions.ofChanges,
    // What a newcomer does, in this order; `undo` comes last, because it makes the others safe to try.
    firstSteps: ["search", "info", "install", "list", "undo"],
    version: async () => (await import("./packages/package-folder.ts")).version(),
    open: (console, { signal, json, input, mutates }) => {
      const { yes } = input;
      const isYes = mutates && (typeof yes === "boolean" || typeof yes === "string");
      const user = { ...terminalUser(console, signal, json), yes: isYes ? yes : undefined };
      // An agent must not approve anything for you.
      if ((input.yes ?? false) !== false && input.dryRun !== true) user.refuseAgent?.("--yes");
      const { cwd, home, env } = console;
      changesBefore = changesMade();
      return { context: { cwd, home, env, user, signal }, quiet: () => user.quiet() };
    },
    whatChanged: async (console) => (await import("./workspace/what-changed.ts")).whatChanged(console, changesBefore),
    shortPaths: async (console) => (await import("./commands/shared/short-paths.ts")).shortPathsIn(console),
    // Commands call an argument `name` only if it names an installed workflow.
    names: async (argument, console, before) => {
      if (argument !== "name" && argument !== "names") return undefined;
      const { installedNames } = await import("./workspace/read-lock.ts");
      return installedNames(console, before.includes("-g") || before.includes("--global"));
    },
  };
}
