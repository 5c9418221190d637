// From the words behind a command to its input, or to the one thing that is wrong with them.
import {
  type ArgumentSpec,
  argumentTerm,
  type CommandSpec,
  longFlag,
  type OptionSpec,
  type OptionSpecs,
} from "./command.ts";
import { safeLine } from "./safe-text.ts";
import { didYouMean } from "./suggest.ts";
import { UsageError } from "./usage-error.ts";

export interface CommandLine {
  readonly help: boolean;
  readonly json: boolean;
  /** Checked against the command's specs, which give it its type. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The words that are not options. */
  readonly words: readonly string[];
}

export interface CommandLineRules {
  /** The command's own options and those it shares with others. */
  readonly options: OptionSpecs;
  /** Options of other commands that its input has all the same, unset. */
  readonly unset?: OptionSpecs | undefined;
  /** The second words of commands that begin with this one's name: `import`, behind `tasks`. */
  readonly secondWords?: readonly string[];
  readonly refuse: Refuse;
}

export type Refuse = (message: string) => never;

/** @throws {UsageError} */
export function readCommandLine(
  command: CommandSpec,
  words: readonly string[],
  { options, unset, secondWords = [], refuse }: CommandLineRules,
): CommandLine {
  const hasRest = Object.values(command.arguments).some(({ count }) => count === "rest");
  const { positionals, given } = readWords(words, options, refuse, hasRest);
  const all = { ...unset, ...options };
  const { help, json, ...chosen } = Object.fromEntries(
    Object.entries(all).map(([name, spec]) => [name, given.get(name) ?? unsetValue(spec)]),
  );
  // Whoever asks for help need not know which arguments there are.
  const named = help === true ? {} : nameArguments(command, positionals, secondWords, refuse);
  return { help: help === true, json: json === true, input: { ...chosen, ...named }, words: positionals };
}

function unsetValue(spec: OptionSpec): unknown {
  if (spec.kind === "flag") return false;
  return spec.many === true ? [] : undefined;
}

interface Words {
  readonly positionals: readonly string[];
  readonly given: ReadonlyMap<string, unknown>;
}

/** Sorts words into options with their values and all the others. */
export function readWords(words: readonly string[], options: OptionSpecs, refuse: Refuse, hasRest = false): Words {
  const positionals: string[] = [];
  const given = new Map<string, unknown>();
  const flags = new Map<string, readonly [name: string, OptionSpec]>();
  for (const [name, spec] of Object.entries(options)) {
    flags.set(longFlag(name), [name, spec]);
    if (spec.kind === "flag" && spec.short !== undefined) flags.set(`-${spec.short}`, [name, spec]);
  }
  const take = (flag: string, value: () => string | undefined): void => {
    const [name, spec] = flags.get(flag) ?? refuse(`unknown option ${flag}${flagSuggestion(flag, flags.keys())}`);
    if (spec.kind === "flag") {
      given.set(name, true);
      return;
    }
    if (given.has(name) && spec.many !== true) refuse(`option ${flag} is given twice`);
    const read = accept(flag, spec, value(), refuse);
    given.set(name, spec.many === true ? [...((given.get(name) as unknown[] | undefined) ?? []), read] : read);
  };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [flag = "", ...value] = word.split("=");
    const isForeign = hasRest && positionals.length > 0 && !isKnown(word, flag, flags);
    if (word === "--") positionals.push(...(hasRest && positionals.length > 0 ? ["--"] : []), ...left.splice(0));
    else if (!word.startsWith("-") || word === "-" || isForeign) positionals.push(word);
    else if (flags.has(`-${word}`)) refuse(`unknown option ${word}${flagSuggestion(`-${word}`, flags.keys())}`);
    else if (!word.startsWith("--")) for (const letter of word.slice(1)) take(`-${letter}`, () => undefined);
    else if (value.length === 0) take(word, () => (isValue(left[0]) ? left.shift() : undefined));
    else if (flags.get(flag)?.[1].kind === "flag") refuse(`option ${flag} takes no value`);
    else take(flag, () => value.join("="));
  }
  return { positionals, given };
}

function isKnown(word: string, flag: string, flags: ReadonlyMap<string, unknown>): boolean {
  return flags.has(word.startsWith("--") ? flag : word);
}

/** A value that begins with a dash has to be written as `--option=-value`. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (word === "-" || !word.startsWith("-"));
}

function accept(
  flag: string,
  spec: Exclude<OptionSpec, { readonly kind: "flag" }>,
  word: string | undefined,
  refuse: Refuse,
): unknown {
  if (word === undefined || word === "") return refuse(`option ${flag} needs a value: ${flag} <${spec.value}>`);
  if (spec.kind === "text") return word;
  if (spec.kind === "choice") return chosen(flag, spec.choices, word, refuse);
  const value = spec.parse(word);
  return value === undefined ? refuse(`option ${flag} must be ${spec.takes}, not "${word}"`) : value;
}

function chosen(what: string, choices: readonly string[], word: string, refuse: Refuse): string {
  if (choices.includes(word)) return word;
  const is = what.startsWith("--") ? `option ${what}` : what;
  return refuse(`${is} must be one of ${choices.join(", ")}, not "${word}"${suggestion(word, choices)}`);
}

function nameArguments(
  command: CommandSpec,
  positionals: readonly string[],
  secondWords: readonly string[],
  refuse: Refuse,
): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  const left = [...positionals];
  for (const argument of Object.entries(command.arguments)) {
    const [name, spec] = argument;
    const isNeeded = spec.count === "one" || spec.count === "some";
    if (isNeeded && left.length === 0) refuse(`missing argument ${missingTerm(argument)}`);
    const isOne = spec.count === "one" || spec.count === "maybe";
    const taken = isOne ? left.splice(0, 1) : left.splice(0);
    for (const word of taken) if (spec.choices !== undefined) chosen(`<${name}>`, spec.choices, word, refuse);
    named[name] = isOne ? taken[0] : taken;
  }
  const [extra] = left;
  if (extra !== undefined) refuseExtra(extra, { name: command.name, next: positionals[0] ?? "", secondWords, refuse });
  return named;
}

/** A word too many may be there because the one behind the command's name is misspelt: `tasks improt list.json`. */
export function refuseExtra(
  extra: string,
  { name, next, secondWords, refuse }: { name: string; next: string; secondWords: readonly string[]; refuse: Refuse },
): never {
  const [second] = didYouMean(next, secondWords);
  if (second === undefined) return refuse(`unexpected argument ${extra}`);
  return refuse(`unknown command "${name} ${next}" (did you mean "${name} ${second}"?)`);
}

function missingTerm([name, spec]: readonly [string, ArgumentSpec]): string {
  // Of `[gate] <why>`, only the reason has to be given.
  return spec.term?.replaceAll(/\[[^\]]*\] /g, "") ?? argumentTerm([name, { ...spec, count: "one" }]);
}

/** Throws what is wrong, and where to read on. */
export function refuser(program: string, command?: string): Refuse {
  return (message) => {
    const words = [program, ...(command === undefined ? [] : [command]), "--help"];
    throw new UsageError(safeLine(message), { hint: `Run \`${words.join(" ")}\` for usage.` });
  };
}

/** One letter says nothing about what another one meant. */
export function flagSuggestion(flag: string, known: Iterable<string>): string {
  const names = [...known].flatMap((each) => (each.startsWith("--") ? [each.slice(2)] : []));
  const [best] = flag.startsWith("--") ? didYouMean(flag.slice(2), names) : [];
  return best === undefined ? "" : ` (did you mean --${best}?)`;
}

/** ` (did you mean "list"?)`, or nothing. */
export function suggestion(word: string, known: Iterable<string>): string {
  const [best] = didYouMean(word, known);
  return best === undefined ? "" : ` (did you mean "${best}"?)`;
}
