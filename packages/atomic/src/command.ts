import type { Page } from "@atomic/workflows/terminal/page";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-code.ts";

export interface ArgumentSpec {
  readonly summary: string;
  readonly required: boolean;
}

export type OptionSpec = FlagSpec | ChoiceSpec;

export interface FlagSpec {
  readonly kind: "flag";
  readonly summary: string;
}

/** One of a few words. May be given several times. */
export interface ChoiceSpec<Choice extends string = string> {
  readonly kind: "choice";
  /** What the help calls it: `--type <type>`. */
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly summary: string;
}

type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;
export type NoArguments = Readonly<Record<never, ArgumentSpec>>;
type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** What a command receives: each argument and option by its name in the spec. */
export type InputOf<Arguments extends ArgumentSpecs, Options extends OptionSpecs> = {
  readonly [Name in keyof Arguments]: Arguments[Name]["required"] extends true ? string : string | undefined;
} & {
  readonly [Name in keyof Options]: Options[Name] extends ChoiceSpec<infer Choice> ? readonly Choice[] : boolean;
};

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** Pure functions from what a command found out to what a person or a program reads. */
export interface Report<Result> {
  /** The answer, for stdout. Empty, or whole lines. */
  text(result: Result, page: Page): string;
  /** What else a person wants to know, for stderr. Empty, or whole lines. */
  notes(result: Result, page: Page): string;
  /** The whole answer as one document, instead of the two above. */
  json(result: Result): object;
  exitCode(result: Result): ExitCode;
}

/** One word behind `atomic`, and all that its help says. */
export interface Command<
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
  Result = unknown,
> {
  readonly name: string;
  readonly summary: string;
  /** By name, in the order of the command line. */
  readonly arguments: Arguments;
  readonly options: Options;
  readonly examples: readonly Example[];
  run(context: Context, input: InputOf<Arguments, Options>): Promise<Result>;
  readonly report: Report<Result>;
}

/** `<name>` or `[path]`. */
export function termOf([name, { required }]: readonly [string, ArgumentSpec]): string {
  return required ? `<${name}>` : `[${name}]`;
}

/** `--shadowed` or `--type <type>`. */
export function flagOf([name, spec]: readonly [string, OptionSpec]): string {
  return spec.kind === "flag" ? `--${name}` : `--${name} <${spec.value}>`;
}
