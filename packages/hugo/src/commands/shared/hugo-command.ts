import type { ArgumentSpecs, Command, CommandLineInput, FlagSpec, OptionSpecs } from "@atomic/terminal/command";
import type { Context } from "../../context.ts";

/** `--yes` accepts everything, `--yes=<hash>` the reports with these hashes, separated by commas. */
type Yes = boolean | string;

/** What every command receives besides its own input. */
export interface CommonInput {
  /** Works on `~/.config/opencode` instead of the project. Always false for a command that is `without` it. */
  readonly global: boolean;
  /** Only for commands that change something: show what would happen, and write nothing. */
  readonly dryRun: boolean;
  /** Only for commands that change something: the user has already agreed. */
  readonly yes: Yes;
}

/** A command of the terminal and, where it makes sense, a tool inside OpenCode. */
export interface HugoCommand<
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
  Result = unknown,
> extends Omit<Command<Context, Arguments, Options, Result>, "run"> {
  /** It changes files, so it has --dry-run and --yes. */
  readonly mutates: boolean;
  run(context: Context, input: CommonInput & CommandLineInput<Arguments, Options>): Promise<Result>;
}

/** See `reportHash`. */
const reportHashes = /^[0-9a-f]{64}(?:-[0-9a-f]{4}){4}(?:,[0-9a-f]{64}(?:-[0-9a-f]{4}){4})*$/;

/** Options that commands share, by name. */
export const sharedOptions: {
  readonly everywhere: { readonly global: FlagSpec };
  readonly ofChanges: { readonly dryRun: FlagSpec; readonly yes: FlagSpec };
} = {
  everywhere: {
    global: { kind: "flag", short: "g", summary: "Work on ~/.config/opencode instead of this project" },
  },
  ofChanges: {
    dryRun: { kind: "flag", summary: "Show what would happen without changing anything" },
    yes: { kind: "flag", short: "y", summary: "Answer yes to every question" },
  },
};

/** The same `--yes` for commands that show a report before they change anything. */
export const yesToReports: FlagSpec & { readonly value: object } = {
  kind: "flag",
  short: "y",
  summary: "Answer yes to every question, or only to the report with this hash",
  value: { term: "hash", takes: "the hash of a report, as --dry-run prints it", form: reportHashes },
};
