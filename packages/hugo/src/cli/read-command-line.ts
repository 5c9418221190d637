// From the words behind a command to the input of its operation, or to the one thing that is wrong with them.

import { count } from "@atomic/terminal/count";
import { didYouMean } from "@atomic/terminal/suggest";
import { UsageError } from "@atomic/terminal/usage-error";
import type { Operation, OptionSpec, OptionSpecs } from "../operation.ts";
import { argumentTerm, flagTerm, longFlag, ofChanges, optionsOf } from "./flags.ts";
import { seeHelp } from "./see-help.ts";

type Value = boolean | string;

export interface CommandLine {
  readonly help: boolean;
  readonly json: boolean;
  /** Checked against the operation's specs, which give it its type. */
  readonly input: Readonly<Record<string, Value | readonly string[] | undefined>>;
}

/** @throws {UsageError} */
export function readCommandLine(operation: Operation, words: readonly string[]): CommandLine {
  const refuse = refuser(operation.name);
  const options = optionsOf(operation);
  const { positionals, given } = readWords(words, options, refuse);
  const { help, json, ...input } = withDefaults({ ...ofChanges, ...options }, given);
  // Somebody who asks for help need not know which arguments there are.
  const named = help === true ? {} : nameArguments(operation, positionals, refuse);
  return { help: help === true, json: json === true, input: { ...input, ...named } };
}

interface Words {
  readonly positionals: readonly string[];
  readonly given: ReadonlyMap<string, Value>;
}

export type Refuse = (message: string) => never;

/** Sorts words into flags with their values and all the others. */
export function readWords(words: readonly string[], options: OptionSpecs, refuse: Refuse): Words {
  const positionals: string[] = [];
  const given = new Map<string, Value>();
  const flags = flagsOf(options);
  const take = (flag: string, value: () => string | undefined): void => {
    const [name, spec] = flags.get(flag) ?? refuse(`unknown option ${flag}${flagSuggestion(flag, flags)}`);
    if (spec.kind === "flag") {
      given.set(name, true);
      return;
    }
    if (given.has(name)) refuse(`option ${flag} is given twice`);
    given.set(name, accept([name, spec], value(), refuse));
  };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [flag = "", ...value] = word.split("=");
    if (word === "--") positionals.push(...left.splice(0));
    else if (!word.startsWith("-") || word === "-") positionals.push(word);
    else if (flags.has(`-${word}`)) refuse(`unknown option ${word}${flagSuggestion(`-${word}`, flags)}`);
    else if (!word.startsWith("--")) for (const letter of word.slice(1)) take(`-${letter}`, () => undefined);
    else if (value.length === 0) take(word, () => (left[0]?.startsWith("-") === false ? left.shift() : undefined));
    else if (flags.get(flag)?.[1].kind === "flag") refuse(`option ${flag} takes no value`);
    else take(flag, () => value.join("="));
  }
  return { positionals, given };
}

type Flags = ReadonlyMap<string, readonly [name: string, OptionSpec]>;

function flagsOf(options: OptionSpecs): Flags {
  const flags = new Map<string, readonly [string, OptionSpec]>();
  for (const [name, spec] of Object.entries(options)) {
    flags.set(longFlag(name), [name, spec]);
    if (spec.kind === "flag" && spec.short !== undefined) flags.set(`-${spec.short}`, [name, spec]);
  }
  return flags;
}

function accept([name, spec]: readonly [string, OptionSpec], value: string | undefined, refuse: Refuse): string {
  const term = flagTerm([name, spec]);
  if (value === undefined || value === "") return refuse(`option ${term} needs a value`);
  if (spec.kind !== "choice" || spec.choices.includes(value)) return value;
  return refuse(
    `option ${term} cannot be ${value}: it is one of ${spec.choices.join(", ")}${suggestion(value, spec.choices)}`,
  );
}

function withDefaults(options: OptionSpecs, given: ReadonlyMap<string, Value>): Record<string, Value | undefined> {
  const entries = Object.entries(options).map(([name, { kind }]): [string, Value | undefined] => [
    name,
    given.get(name) ?? (kind === "flag" ? false : undefined),
  ]);
  return Object.fromEntries(entries);
}

function nameArguments(
  operation: Operation,
  positionals: readonly string[],
  refuse: Refuse,
): Record<string, string | readonly string[] | undefined> {
  const named: Record<string, string | readonly string[] | undefined> = {};
  const left = [...positionals];
  for (const argument of Object.entries(operation.arguments)) {
    const [name, spec] = argument;
    if (spec.count === "one" && left.length === 0) refuse(`${operation.name} needs ${argumentTerm(argument)}`);
    named[name] = spec.count === "many" ? left.splice(0) : left.shift();
  }
  const [extra] = left;
  if (extra !== undefined) refuse(`${operation.name} takes ${amountOf(operation)}; "${extra}" is one too many`);
  return named;
}

function amountOf(operation: Operation): string {
  const amount = Object.keys(operation.arguments).length;
  return amount === 0 ? "no arguments" : `at most ${count(amount, "argument")}`;
}

/** Ends with what is wrong, and where to read on. */
export function refuser(command?: string): Refuse {
  return (message) => {
    throw new UsageError(message, seeHelp(command));
  };
}

/** One letter says nothing about what another one meant. */
function flagSuggestion(flag: string, flags: Flags): string {
  const names = [...flags.keys()].flatMap((known) => (known.startsWith("--") ? [known.slice(2)] : []));
  const [best] = flag.startsWith("--") ? didYouMean(flag.slice(2), names) : [];
  return best === undefined ? "" : ` (did you mean --${best}?)`;
}

/** ` (did you mean list?)`, or nothing. */
export function suggestion(word: string, known: Iterable<string>): string {
  const [best] = didYouMean(word, known);
  return best === undefined ? "" : ` (did you mean ${best}?)`;
}
