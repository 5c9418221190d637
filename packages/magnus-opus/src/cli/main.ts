// `magnus-opus`: what a person decides and looks at outside OpenCode.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandRow, Program } from "@atomic/terminal/command";
import type { Console } from "@atomic/terminal/console";
import { runProgram, start as startProgram } from "@atomic/terminal/run-program";
import { userName } from "@atomic/workflows/internal/run/user-name";
import { isOnPath } from "../on-path.ts";
import { packageRoot } from "../package-root.ts";
import { offerCommands } from "../run/person-commands.ts";
import type { MagnusContext } from "./command.ts";
import { findProject } from "./project.ts";

/** What `src/cli.ts` calls. */
export async function start(): Promise<void> {
  await startProgram(magnusOpus);
}

/** The whole program: arguments in, exit code out. */
export async function main(argv: readonly string[], console: Console, user?: string): Promise<number> {
  return await runProgram(user === undefined ? magnusOpus : programFor(user), argv, console);
}

const commands: readonly CommandRow<MagnusContext>[] = [
  ...(["approve", "reject", "waive", "resume", "cancel", "raise"] as const).map((name) => ({
    name,
    group: "decide",
    load: async () => (await import("./act-commands.ts")).actCommands[name],
  })),
  { name: "status", group: "look", load: async () => (await import("./status-command.ts")).statusCommand },
  { name: "timeline", group: "look", load: async () => (await import("./timeline-command.ts")).timelineCommand },
  { name: "doctor", group: "look", load: async () => (await import("./doctor-command.ts")).doctorCommand },
  { name: "list", group: "look", load: async () => (await import("./list-command.ts")).listCommand },
  {
    name: "completion",
    group: "shell",
    load: async () => (await import("@atomic/terminal/completion-command")).completionCommand("magnus-opus"),
  },
];

export const magnusOpus: Program<MagnusContext> = programFor();

function programFor(user?: string): Program<MagnusContext> {
  return {
    name: "magnus-opus",
    about:
      "Make the decisions a Magnus Opus run is waiting for, and see what it has done. Start runs in OpenCode with `/implement <feature>`; this program works whether or not OpenCode is running.",
    commands,
    groups: { decide: "Decide", look: "See what happened", shell: "Set up" },
    options: {
      project: {
        kind: "text",
        value: "folder",
        summary: "The folder that OpenCode runs in (default: the nearest parent folder that contains ai-docs/sessions)",
      },
    },
    firstSteps: ["list", "status", "approve"],
    remarks: [
      "A run is identified by its id or any unique prefix.",
      "These commands record your decisions. If a script approves, you have approved in advance; the approval is recorded under the name of the user who runs the script.",
    ],
    version: async () =>
      (JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }).version,
    open: (console, { input }) => {
      const commands = isOnPath("magnus-opus", console.env.PATH) ? "shell" : "opencode";
      offerCommands({ commands, update: "hugo update magnus-opus" });
      const context = {
        get cwd() {
          return console.cwd;
        },
        get user() {
          return user ?? userName();
        },
        env: console.env,
        caller: console.caller,
        now: () => Date.now(),
        project: () => findProject(console.cwd, input.project as string | undefined),
      };
      return { context };
    },
    names: async (argument, console) => {
      if (argument !== "run") return undefined;
      return findProject(console.cwd, undefined)
        .runs()
        .map(({ id }) => id);
    },
  };
}
