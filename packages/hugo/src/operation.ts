import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import type { Context } from "./context.ts";

export interface ArgumentSpec {
  readonly summary: string;
  /** `<name>`, `[name]` or `[name…]`; at least one is asked for only if it is `one`. */
  readonly count: "one" | "maybe" | "many";
}

export type OptionSpec =
  | { readonly kind: "flag"; readonly summary: string; readonly short?: string }
  /** `--registry <url>`: what the help calls the value. */
  | { readonly kind: "text"; readonly summary: string; readonly value: string }
  | { readonly kind: "choice"; readonly summary: string; readonly value: string; readonly choices: readonly string[] };

type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type GivenArgument<Spec extends ArgumentSpec> = Spec["count"] extends "one"
  ? string
  : Spec["count"] extends "many"
    ? readonly string[]
    : string | undefined;

/** What every operation receives besides its own input. */
export interface CommonInput {
  /** Works on `~/.config/opencode` instead of the project. */
  readonly global: boolean;
  /** Only of operations that change something: say what would happen, and write nothing. */
  readonly dryRun: boolean;
  /** Only of operations that change something: the user has agreed already. */
  readonly yes: boolean;
}

export type InputOf<Arguments extends ArgumentSpecs, Options extends OptionSpecs> = CommonInput & {
  readonly [Name in keyof Arguments]: GivenArgument<Arguments[Name]>;
} & {
  readonly [Name in keyof Options]: Options[Name]["kind"] extends "flag" ? boolean : string | undefined;
};

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** Pure functions from what an operation found or did to what a person or a program reads. */
export interface Report<Result> {
  /** The answer, for stdout. Empty, or whole lines. */
  text(result: Result, page: Page): string;
  /** What else a person wants to know, for stderr: warnings with a next step. Empty, or whole lines. */
  notes(result: Result, page: Page): string;
  /** The whole answer as one document, instead of the two above. */
  json(result: Result): object;
  exitCode(result: Result): ExitCode;
}

/** One row of the table of operations: a command of the terminal and, where it makes sense, a tool inside OpenCode. */
export interface Operation<
  Arguments extends ArgumentSpecs = ArgumentSpecs,
  Options extends OptionSpecs = OptionSpecs,
  Result = unknown,
> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line of the help of all commands. */
  readonly summary: string;
  /** What the help of this command says besides, in sentences. */
  readonly details?: string;
  /** By name, in the order of the command line. */
  readonly arguments: Arguments;
  /** By name in camel case; the command line writes them with dashes. */
  readonly options: Options;
  readonly examples: readonly Example[];
  /** It changes files, so it has --dry-run and --yes. */
  readonly mutates: boolean;
  run(context: Context, input: InputOf<Arguments, Options>): Promise<Result>;
  readonly report: Report<Result>;
}
