import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import type { Context } from "./context.ts";

export interface ArgumentSpec {
  readonly summary: string;
  readonly required: boolean;
  /** All words that are left, with the flags that the command itself does not know. Only the last argument can. */
  readonly rest?: true;
}

export type OptionSpec = FlagSpec | ChoiceSpec | ValueSpec<unknown>;

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

/** Something that is typed. Given several times, all of them count where `many` is set, else the last one. */
export interface ValueSpec<Value = string, Many extends boolean = boolean> {
  readonly kind: "value";
  readonly value: string;
  readonly many: Many;
  /** What such a word looks like, for whoever typed another one: `a number from 0`. */
  readonly takes: string;
  /** Undefined if the word is not such a one. */
  readonly parse: (word: string) => Value | undefined;
  readonly summary: string;
}

type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;
export type NoArguments = Readonly<Record<never, ArgumentSpec>>;
type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ArgumentOf<Spec extends ArgumentSpec> = Spec extends { readonly rest: true }
  ? readonly string[]
  : Spec["required"] extends true
    ? string
    : string | undefined;

type OptionOf<Spec extends OptionSpec> =
  Spec extends ChoiceSpec<infer Choice>
    ? readonly Choice[]
    : Spec extends ValueSpec<infer Value, infer Many>
      ? Many extends true
        ? readonly Value[]
        : Value | undefined
      : boolean;

/** What a command receives: each argument and option by its name in the spec. */
export type InputOf<Arguments extends ArgumentSpecs, Options extends OptionSpecs> = {
  readonly [Name in keyof Arguments]: ArgumentOf<Arguments[Name]>;
} & {
  readonly [Name in keyof Options]: OptionOf<Options[Name]>;
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

interface Word<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  /** One word behind `atomic`, or two: `tasks import`. */
  readonly name: string;
  readonly summary: string;
  /** By name, in the order of the command line. */
  readonly arguments: Arguments;
  readonly options: Options;
  readonly examples: readonly Example[];
  /** What else the help says, a paragraph each. */
  readonly remarks?: readonly string[];
}

/** A command with one answer. */
export interface Command<
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
  Result = unknown,
> extends Word<Arguments, Options> {
  run(context: Context, input: InputOf<Arguments, Options>): Promise<Result>;
  readonly report: Report<Result>;
}

/** A command that tells what happens while it happens; with `json`, one JSON document a line. */
export interface LiveCommand<Arguments extends ArgumentSpecs = ArgumentSpecs, Options extends OptionSpecs = OptionSpecs>
  extends Word<Arguments, Options> {
  live(context: Context, input: InputOf<Arguments, Options> & { readonly json: boolean }): Promise<ExitCode>;
  /** What the help says besides about what these words mean. */
  helpFor?(context: Context, words: readonly string[]): Promise<string>;
}

export type AnyCommand = Command | LiveCommand;

export function isLive(command: AnyCommand): command is LiveCommand {
  return "live" in command;
}

/** `<name>`, `[path]` or `[arguments...]`. */
export function termOf([name, { required, rest }]: readonly [string, ArgumentSpec]): string {
  const word = rest === true ? `${name}...` : name;
  return required ? `<${word}>` : `[${word}]`;
}

/** `--shadowed` or `--type <type>`. */
export function flagOf([name, spec]: readonly [string, OptionSpec]): string {
  return spec.kind === "flag" ? `--${name}` : `--${name} <${spec.value}>`;
}
