// From the words behind a command to its input, or to the one thing that is wrong with them.
import { argumentTerm, type CommandSpec, longFlag, type OptionSpec, type OptionSpecs } from "./command.ts";
import { UsageError } from "./refusal.ts";
import { safeLine } from "./safe-text.ts";
import { didYouMean } from "./suggest.ts";

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
  const specs = Object.entries(command.arguments);
  const hasRest = specs.some(([, { count }]) => count === "rest");
  const { positionals, given } = readWords(words, options, refuse, hasRest);
  const { help, json, ...input } = Object.fromEntries(
    Object.entries({ ...unset, ...options }).map(([name, spec]) => {
      const nothing = spec.kind === "flag" ? false : spec.many === true ? [] : undefined;
      return [name, given.get(name) ?? nothing];
    }),
  );
  // If you ask for help, you need not know which arguments there are.
  if (help === true) return { help, json: json === true, input, words: positionals };
  const left = [...positionals];
  for (const [name, spec] of specs) {
    const isNeeded = spec.count === "one" || spec.count === "some";
    if (isNeeded && left.length === 0) {
      // Of `[gate] <why>`, only the reason has to be given.
      const term = spec.term?.replaceAll(/\[[^\]]*\] /g, "") ?? argumentTerm([name, { ...spec, count: "one" }]);
      refuse(`missing argument ${term}`);
    }
    const isOne = spec.count === "one" || spec.count === "maybe";
    const taken = isOne ? left.splice(0, 1) : left.splice(0);
    for (const word of taken) if (spec.choices !== undefined) chosen(`<${name}>`, spec.choices, word, refuse);
    input[name] = isOne ? taken[0] : taken;
  }
  const [extra] = left;
  if (extra !== undefined) refuseExtra(extra, { name: command.name, next: positionals[0] ?? "", secondWords, refuse });
  return { help: false, json: json === true, input, words: positionals };
}

/** Sorts words into options with their values and all the others. */
export function readWords(
  words: readonly string[],
  options: OptionSpecs,
  refuse: Refuse,
  hasRest = false,
): { readonly positionals: readonly string[]; readonly given: ReadonlyMap<string, unknown> } {
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
      if (typeof given.get(name) === "string") refuse(`option ${flag} was given more than once`);
      given.set(name, true);
      return;
    }
    if (given.has(name) && spec.many !== true) refuse(`option ${flag} was given more than once`);
    const word = value() || refuse(`option ${flag} needs a value: ${flag} <${spec.value}>`);
    let read: unknown = word;
    if (spec.kind === "choice") read = chosen(`option ${flag}`, spec.choices, word, refuse);
    if (spec.kind === "parsed")
      read = spec.parse(word) ?? refuse(`option ${flag} must be ${spec.takes}, not "${word}"`);
    given.set(name, spec.many === true ? [...((given.get(name) as unknown[] | undefined) ?? []), read] : read);
  };
  const takeValue = (flag: string, word: string): void => {
    const [name = "", spec] = flags.get(flag) ?? [];
    if (spec?.kind !== "flag") {
      take(flag, () => word);
      return;
    }
    if (spec.value === undefined) refuse(`option ${flag} does not take a value`);
    else if (!spec.value.form.test(word)) refuse(`option ${flag} must be ${spec.value.takes}, not "${word}"`);
    else if (given.has(name)) refuse(`option ${flag} was given more than once`);
    given.set(name, word);
  };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [flag = "", ...value] = word.split("=");
    const isForeign = hasRest && positionals.length > 0 && !flags.has(word.startsWith("--") ? flag : word);
    // A value that begins with a dash has to be written as `--option=-value`.
    const hasValue = left[0] === "-" || left[0]?.startsWith("-") === false;
    if (word === "--") positionals.push(...(hasRest && positionals.length > 0 ? ["--"] : []), ...left.splice(0));
    else if (!word.startsWith("-") || word === "-" || isForeign) positionals.push(word);
    else if (flags.has(`-${word}`)) refuse(`unknown option ${word}${flagSuggestion(`-${word}`, flags.keys())}`);
    else if (!word.startsWith("--")) for (const letter of word.slice(1)) take(`-${letter}`, () => undefined);
    else if (value.length === 0) take(word, () => (hasValue ? left.shift() : undefined));
    else takeValue(flag, value.join("="));
  }
  return { positionals, given };
}

function chosen(what: string, choices: readonly string[], word: string, refuse: Refuse): string {
  if (choices.includes(word)) return word;
  return refuse(`${what} must be one of ${choices.join(", ")}, not "${word}"${suggestion(word, choices)}`);
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
