// A command, and a program made of commands, as data: what they are called, what they take, and where their code is.
// Everything the engine does (reading a command line, help, completion, errors) follows from this.

import type { Console } from "./console.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Page } from "./page.ts";

export interface ArgumentSpec {
  readonly summary: string;
  /**
   * `<name>`, `[name]`, `<name…>` (one or more) or `[name…]`. `rest` is like `many`, but also takes flags that the command
   * does not know; only the last argument can be that.
   */
  readonly count: "one" | "maybe" | "some" | "many" | "rest";
  /** The only words it accepts. */
  readonly choices?: readonly string[];
  /** How the help writes it, if not after its name. */
  readonly term?: string;
}

export interface FlagSpec {
  readonly kind: "flag";
  readonly summary: string;
  readonly short?: string;
  /** It may be given with a value, as in `--yes=<hash>`; the command then receives the word instead of true. */
  readonly value?: { readonly term: string; readonly takes: string; readonly form: RegExp };
}

interface WithValue {
  readonly summary: string;
  /** What the help calls the value: `--registry <url>`. */
  readonly value: string;
  /** It can be given several times, and the command receives a list. */
  readonly many?: boolean;
}

export interface TextSpec extends WithValue {
  readonly kind: "text";
}

export interface ChoiceSpec<Choice extends string = string> extends WithValue {
  readonly kind: "choice";
  readonly choices: readonly Choice[];
}

export interface ParsedSpec<Value = unknown> extends WithValue {
  readonly kind: "parsed";
  /** What such a word looks like: `a number from 0`. */
  readonly takes: string;
  /** Undefined if the word does not look like that. */
  readonly parse: (word: string) => Value | undefined;
}

export type OptionSpec = FlagSpec | TextSpec | ChoiceSpec | ParsedSpec;

export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;
/** By name, in kebab case or in camel case; a command line has them in kebab case. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ArgumentOf<Spec extends ArgumentSpec> = Spec["count"] extends "one"
  ? string
  : Spec["count"] extends "maybe"
    ? string | undefined
    : readonly string[];

type ValueOf<Spec extends OptionSpec> =
  Spec extends ChoiceSpec<infer Choice> ? Choice : Spec extends ParsedSpec<infer Value> ? Value : string;

type OptionOf<Spec extends OptionSpec> = Spec extends FlagSpec
  ? Spec extends { readonly value: object }
    ? boolean | string
    : boolean
  : Spec extends { readonly many: true }
    ? readonly ValueOf<Spec>[]
    : ValueOf<Spec> | undefined;

/** What a command receives: each argument and option by its name in the spec. */
export type CommandLineInput<Arguments extends ArgumentSpecs, Options extends OptionSpecs> = {
  readonly [Name in keyof Arguments]: ArgumentOf<Arguments[Name]>;
} & {
  readonly [Name in keyof Options]: OptionOf<Options[Name]>;
};

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** Pure functions from what a command found or did to what people and programs read. */
export type CommandReport<Result> = ReportTexts<Result> &
  ({ exitCode(result: Result): 0; readonly error?: undefined } | YesOrNo<Result>);

interface ReportTexts<Result> {
  /** The answer, for stdout. Empty, or whole lines. */
  text(result: Result, page: Page): string;
  /** What else people want to know, for stderr: warnings with a next step. Empty, or whole lines. */
  notes(result: Result, page: Page): string;
  /** The whole answer as one document, instead of the two above. The engine adds `ok`, and `error` if it is false. */
  json(result: Result): object;
}

/** The answer may be no. Then the document says so in its `error`, like every failure, beside what was found. */
interface YesOrNo<Result> {
  exitCode(result: Result): ExitCode;
  /** Asked only if the exit code is not 0. */
  error(result: Result): AnswerError;
}

export interface AnswerError {
  /** A stable word for the kind of no. */
  readonly code: string;
  readonly message: string;
  readonly at?: string | undefined;
  readonly hint?: string | undefined;
}

/** What the help, the reader of the command line and the completion need to know about a command. */
export interface CommandSpec<
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
> {
  /** One word, or two: `tasks import`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line in the list of commands. */
  readonly summary: string;
  /** What the command's own help says besides, a paragraph each. */
  readonly details?: string | readonly string[];
  /** By name, in the order of the command line. */
  readonly arguments: Arguments;
  readonly options: Options;
  readonly examples: readonly Example[];
  /** It has the program's options for commands that change something. */
  readonly mutates?: boolean;
  /** The program's options that mean nothing to it, so it refuses them. */
  readonly without?: readonly string[];
}

/** A command with one answer. */
export interface Command<
  Context,
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
  Result = unknown,
> extends CommandSpec<Arguments, Options> {
  run(context: Context, input: CommandLineInput<Arguments, Options>): Promise<Result>;
  readonly report: CommandReport<Result>;
}

/** A command that reports what happens while it happens; with `--json`, one JSON document per line. */
export interface LiveCommand<
  Context,
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
> extends CommandSpec<Arguments, Options> {
  live(context: Context, input: CommandLineInput<Arguments, Options> & { readonly json: boolean }): Promise<ExitCode>;
  /** More help, about what these words name. */
  helpFor?(context: Context, words: readonly string[], json: boolean): Promise<MoreHelp | undefined>;
}

/** The help of something that a command can be given, such as a workflow. It may hold foreign text. */
export interface MoreHelp {
  /** `The workflow ralph`. */
  readonly title: string;
  readonly about?: string | undefined;
  readonly usage: string;
  readonly arguments: {
    readonly heading: string;
    readonly rows: readonly (readonly [term: string, meaning: string])[];
  };
  readonly remarks: readonly string[];
}

export type AnyCommand<Context> = Command<Context> | LiveCommand<Context>;

/** `--dry-run` for `dryRun`. */
export function longFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `-g, --global` or `--registry <url>`, as the help shows it. */
export function flagTerm([name, spec]: readonly [string, OptionSpec]): string {
  if (spec.kind !== "flag") return `${longFlag(name)} <${spec.value}>`;
  const long = spec.value === undefined ? longFlag(name) : `${longFlag(name)}[=<${spec.value.term}>]`;
  return spec.short === undefined ? long : `-${spec.short}, ${long}`;
}

/** `<spec>`, `[name]`, `<why…>` or `[name…]`. */
export function argumentTerm([name, { count, term }]: readonly [string, ArgumentSpec]): string {
  if (term !== undefined) return term;
  if (count === "one") return `<${name}>`;
  if (count === "some") return `<${name}…>`;
  return count === "maybe" ? `[${name}]` : `[${name}…]`;
}

/** One line of the table: what a command is called, and where it is. Only commands that are asked for are loaded. */
export interface CommandRow<Context> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** A key of the program's groups. */
  readonly group?: string;
  load(): Promise<AnyCommand<Context>>;
}

export interface Program<Context = unknown> {
  readonly name: string;
  /** What it is for: the beginning of its help. */
  readonly about: string;
  readonly commands: readonly CommandRow<Context>[];
  /** The headings of the help, in order. Without them there is one. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Options of every command besides --json and --help, unless it is `without` them. */
  readonly options?: OptionSpecs;
  /** Options of every command that changes something. */
  readonly optionsOfChanges?: OptionSpecs;
  /** Commands whose first example is in the help of all: where a newcomer begins. */
  readonly firstSteps: readonly string[];
  /** Its exit codes include those of runs. */
  readonly runsWorkflows?: boolean;
  /** The end of the help, a paragraph each. */
  readonly remarks?: readonly string[];
  version(): Promise<string>;
  /** What it does without any words, if that is not to show its help; undefined if it cannot here. */
  withoutWords?(console: Console): Promise<number | undefined>;
  /** What its commands receive. `quiet` takes away what shows that something is going on. */
  open(console: Console, session: Invocation): { readonly context: Context; quiet?(): void };
  /** What a command that failed or was stopped has changed: `Nothing was changed.` */
  whatChanged?(console: Console): Promise<string>;
  /** Writes paths as people do. */
  shortPaths?(console: Console): Promise<(text: string) => string>;
  /** Candidates for an argument of this name; undefined where files are meant. */
  names?(argument: string, console: Console, before: readonly string[]): Promise<readonly string[] | undefined>;
}

export interface Invocation {
  /** Aborted when the command is to end: whatever waits, fetches or runs a program ends then. */
  readonly signal: AbortSignal;
  readonly json: boolean;
  /** The command has the options of commands that change something. */
  readonly mutates: boolean;
  /** Checked against the specs of its command. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Shows that the command is at work, if that takes long, until the returned function is called. */
  showWork(): () => void;
}

const common: OptionSpecs = {
  json: { kind: "flag", summary: "Print one JSON document instead of text" },
  help: { kind: "flag", short: "h", summary: "Show this help" },
};

const streamed: OptionSpecs = {
  json: { kind: "flag", summary: "Print one JSON document per line: every event, then the result" },
};

export const withoutCommand: OptionSpecs = { version: { kind: "flag", short: "v", summary: "Show the version" } };

/** All options of a command, in the order of its help; without a command, those of every command. Its own win. */
export function optionsOf(program: Program, spec?: CommandSpec): OptionSpecs {
  const ofProgram = Object.entries(program.options ?? {}).filter(([name]) => spec?.without?.includes(name) !== true);
  const shared = {
    ...(spec?.mutates === true && program.optionsOfChanges),
    ...Object.fromEntries(ofProgram),
    ...common,
    ...(spec !== undefined && "live" in spec && streamed),
  };
  return { ...spec?.options, ...shared, ...spec?.options };
}

interface FoundCommand {
  /** As it was typed. */
  readonly name: string | undefined;
  /** Which word it is, and how many words it takes. */
  readonly at: number;
  readonly taken: number;
}

/** The first word that is neither an option nor the value of one; with the second, if they are a command together. */
export function findCommand(argv: readonly string[], program: Program): FoundCommand {
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
export function secondWords(program: Program, name: string): readonly string[] {
  return program.commands.flatMap((row) => (row.name.startsWith(`${name} `) ? [row.name.slice(name.length + 1)] : []));
}
