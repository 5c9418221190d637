// One command-line program as data: a table of commands, and what they share.
import type { AnyCommand, CommandSpec, OptionSpecs } from "./command.ts";
import type { Console } from "./console.ts";
import type { CommandLine } from "./read-command-line.ts";

/** One line of the table: what a command is called, and where it is. Only commands that are asked for are loaded. */
export interface CommandRow<Context> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** A key of the program's groups. */
  readonly group?: string;
  load(): Promise<AnyCommand<Context>>;
}

export interface Program<Context> {
  readonly name: string;
  /** What it is for: the beginning of its help. */
  readonly about: string;
  readonly commands: readonly CommandRow<Context>[];
  /** The headings of the help, in order. Without them there is one. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Options of every command besides --json and --help. */
  readonly options?: OptionSpecs;
  /** Options of every command that changes something. */
  readonly optionsOfChanges?: OptionSpecs;
  /** Commands whose first example is in the help of all: where a newcomer begins. */
  readonly firstSteps: readonly string[];
  /** The end of the help, a paragraph each. */
  readonly remarks?: readonly string[];
  version(): Promise<string>;
  /** What its commands receive. `quiet` takes away what shows that something is going on. */
  open(console: Console, session: Session): { readonly context: Context; quiet?(): void };
  /** Writes paths as people do. */
  shortPaths?(console: Console): Promise<(text: string) => string>;
  /** Candidates for an argument of this name; undefined where files are meant. */
  names?(argument: string, console: Console, before: readonly string[]): Promise<readonly string[] | undefined>;
}

export interface Session {
  /** Aborted when the command is to end: whatever waits, fetches or runs a program ends then. */
  readonly signal: AbortSignal;
  readonly json: boolean;
  readonly input: CommandLine["input"];
}

// biome-ignore lint/suspicious/noExplicitAny: help and completion do not care what the commands receive
export type AnyProgram = Program<any>;

const common: OptionSpecs = {
  json: { kind: "flag", summary: "Print one JSON document instead of text" },
  help: { kind: "flag", short: "h", summary: "Show this help" },
};

const streamed: OptionSpecs = {
  json: { kind: "flag", summary: "Print one JSON document per line: every event, then the result" },
};

export const withoutCommand: OptionSpecs = {
  version: { kind: "flag", short: "v", summary: "Show the version" },
};

/** All options of a command, in the order of its help; without a command, those of every command. */
export function optionsOf(program: AnyProgram, spec?: CommandSpec): OptionSpecs {
  return {
    ...spec?.options,
    ...(spec?.mutates === true && program.optionsOfChanges),
    ...program.options,
    ...common,
    ...(spec !== undefined && "live" in spec && streamed),
  };
}

interface FoundCommand {
  /** As it was typed. */
  readonly name: string | undefined;
  /** Which word it is, and how many words it takes. */
  readonly at: number;
  readonly taken: number;
}

/** The first word that is neither an option nor the value of one; with the second, if they are a command together. */
export function findCommand(argv: readonly string[], program: AnyProgram): FoundCommand {
  const valued = Object.entries(program.options ?? {}).flatMap(([name, { kind }]) =>
    kind === "flag" ? [] : [`--${name}`],
  );
  const at = argv.findIndex((word, index) => !word.startsWith("-") && !valued.includes(argv[index - 1] ?? ""));
  if (at === -1) return { name: undefined, at, taken: 0 };
  const two = argv.slice(at, at + 2).join(" ");
  const isTwo = program.commands.some((row) => row.name === two && two.includes(" "));
  return isTwo ? { name: two, at, taken: 2 } : { name: argv[at], at, taken: 1 };
}

/** `import`, behind `tasks`. */
export function secondWords(program: AnyProgram, name: string): readonly string[] {
  return program.commands.flatMap((row) => (row.name.startsWith(`${name} `) ? [row.name.slice(name.length + 1)] : []));
}
