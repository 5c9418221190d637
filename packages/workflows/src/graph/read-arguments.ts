// Words behind the name of a workflow become the input of its run.
import { parseArgs } from "node:util";
import { didYouMean } from "@atomic/terminal/suggest";
import {
  type ArgumentJson,
  type ArgumentsJson,
  flagOf,
  hintOfArguments,
  type NumberArgument,
} from "./graph-arguments.ts";

export interface ReadArguments {
  /** Whole only without problems. */
  readonly input: { readonly [key: string]: string | number | boolean };
  /** Sentences: all that is wrong. */
  readonly problems: readonly string[];
}

/**
 * Flags as `--max-iterations 5` or `--max-iterations=5`; all other words, and those after `--`, are the rest.
 *
 * @example
 * readArguments({ maxIterations: { type: "number" }, topic: { type: "rest" } }, ["locks", "--max-iterations", "5"]).input;
 * // { maxIterations: 5, topic: "locks" }
 */
export function readArguments(declared: ArgumentsJson, words: readonly string[]): ReadArguments {
  const reading = new Reading(declared);
  const { tokens } = parseArgs({
    args: [...words],
    options: reading.options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional") reading.rest.push(token.value);
    if (token.kind === "option") reading.flag(token.rawName, token.name, token.value, token.inlineValue === true);
  }
  return reading.end();
}

class Reading {
  readonly rest: string[] = [];
  readonly #declared: ArgumentsJson;
  readonly #input: Record<string, string | number | boolean> = {};
  readonly #problems: string[] = [];
  readonly #given = new Set<string>();

  constructor(declared: ArgumentsJson) {
    this.#declared = declared;
    for (const [key, argument] of Object.entries(declared)) {
      if (argument.type === "boolean") this.#input[key] = false;
      else if (argument.default !== undefined) this.#input[key] = argument.default;
    }
  }

  get options(): Record<string, { type: "string" | "boolean" }> {
    const flags = Object.entries(this.#declared).filter(([, { type }]) => type !== "rest");
    return Object.fromEntries(
      flags.map(([key, { type }]) => [flagOf(key).slice(2), { type: type === "boolean" ? "boolean" : "string" }]),
    );
  }

  flag(typed: string, name: string, value: string | undefined, isInline: boolean): void {
    const [key, argument] = Object.entries(this.#declared).find(([each]) => flagOf(each) === `--${name}`) ?? [];
    if (key === undefined || argument === undefined || argument.type === "rest") this.#unknown(typed);
    else if (argument.type === "boolean") {
      if (value !== undefined) this.#problems.push(`${typed} is there or not: it takes no value.`);
      this.#input[key] = true;
    } else if (value === undefined || (!isInline && value.startsWith("--"))) {
      const instead = value === undefined ? "" : ` For one that begins with dashes, write ${typed}=${value}.`;
      this.#problems.push(`${typed} needs a value.${instead}`);
    } else if (this.#given.has(key)) this.#problems.push(`${typed} is given twice.`);
    else {
      this.#given.add(key);
      this.#take(key, argument, typed, value);
    }
  }

  end(): ReadArguments {
    const [key, argument] = Object.entries(this.#declared).find(([, { type }]) => type === "rest") ?? [];
    if (key !== undefined && argument !== undefined && this.rest.length > 0) this.#input[key] = this.rest.join(" ");
    else if (this.rest.length > 0) this.#tooMuch(this.rest.join(" "));
    for (const [each, wanted] of Object.entries(this.#declared)) {
      if (!("required" in wanted && wanted.required === true) || Object.hasOwn(this.#input, each)) continue;
      this.#problems.push(`${wanted.type === "rest" ? `<${wanted.value ?? each}>` : flagOf(each)} is missing.`);
    }
    return { input: this.#input, problems: this.#problems };
  }

  #take(key: string, argument: Exclude<ArgumentJson, { type: "boolean" }>, typed: string, value: string): void {
    if (argument.type !== "number") {
      this.#input[key] = value;
      return;
    }
    const number = value.trim() === "" ? Number.NaN : Number(value);
    const problem = problemWith(number, argument);
    if (problem === undefined) this.#input[key] = number;
    else this.#problems.push(`${typed} takes ${problem}, not ${JSON.stringify(value)}.`);
  }

  #unknown(typed: string): void {
    const known = Object.keys(this.options).map((each) => `--${each}`);
    const [best] = didYouMean(typed, known);
    const others = known.length === 0 ? "It takes no flags." : `It takes ${known.join(", ")}.`;
    this.#problems.push(`There is no ${typed}. ${best === undefined ? others : `Did you mean ${best}?`}`);
  }

  #tooMuch(text: string): void {
    const hint = hintOfArguments(this.#declared);
    const shown =
      hint === undefined ? "It takes no arguments." : `It takes ${hint}; put a value of several words in quotes.`;
    this.#problems.push(`${JSON.stringify(text)} belongs to no argument. ${shown}`);
  }
}

function problemWith(number: number, { min, max, whole }: NumberArgument): string | undefined {
  const fits = Number.isFinite(number) && number >= (min ?? -Infinity) && number <= (max ?? Infinity);
  if (fits && (whole !== true || Number.isSafeInteger(number))) return undefined;
  const range = [min === undefined ? "" : ` from ${min}`, max === undefined ? "" : ` to ${max}`].join("");
  return `a ${whole === true ? "whole " : ""}number${range}`;
}
