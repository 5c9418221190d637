import type { Caller } from "@atomic/terminal/agent-at-keyboard";
import type { ArgumentSpecs, Command, CommandLineInput, CommandSpec, OptionSpecs } from "@atomic/terminal/command";
import type { Page } from "@atomic/terminal/page";
import type { Project } from "./project.ts";

/** Which run a command shows by default. */
export const newestRun =
  "Without a run id, it shows the newest run that has not ended, or the newest run if all have ended.";

/** Everything a command may know besides its arguments. */
export interface MagnusContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The name under which decisions are recorded. */
  readonly user: string;
  readonly caller: Caller;
  now(): number;
  /** The current project, or the one that --project names. */
  project(): Project;
}

/** What a command found or did, for people and for programs. */
interface Report {
  /** For people; ends its line. */
  readonly text: (page: Page) => string;
  /** For programs. */
  readonly json: object;
}

/** A command whose result is its report. */
export function commandOf<Arguments extends ArgumentSpecs, Options extends OptionSpecs>(
  spec: CommandSpec<Arguments, Options>,
  run: (context: MagnusContext, input: CommandLineInput<Arguments, Options>) => Promise<Report>,
): Command<MagnusContext> {
  const command: Command<MagnusContext, Arguments, Options, Report> = {
    ...spec,
    run,
    report: {
      text: (report, page) => report.text(page),
      notes: () => "",
      json: (report) => report.json,
      exitCode: () => 0,
    },
  };
  return command;
}
