// Turns the words after a workflow's name into its run's input.
import { parseArgs } from "node:util";
import { didYouMean } from "@atomic/terminal/suggest";
import { type ArgumentsJson, flagOf, hintOfArguments } from "../entities/workflow-arguments.ts";
import type { Json } from "../run/json.ts";

export interface ReadArguments {
  /** Complete only if there are no problems. */
  readonly input: { readonly [key: string]: string | number | boolean };
  /** All problems, as sentences. */
  readonly problems: readonly string[];
}

/** Flags as `--max-iterations 5` or `--max-iterations=5`; all other words, and those after `--`, are the rest. */
export function readArguments(declared: ArgumentsJson, words: readonly string[]): ReadArguments {
  const input: Record<string, string | number | boolean> = {};
  const problems: string[] = [];
  const given = new Set<string>();
  const rest: string[] = [];
  const entries = Object.entries(declared);
  for (const [key, argument] of entries) {
    if (argument.type === "boolean") input[key] = false;
    else if (argument.default !== undefined) input[key] = argument.default;
  }
  const flags = entries.filter(([, { type }]) => type !== "rest");
  const options = flags.map(([key, { type }]) => {
    return [flagOf(key).slice(2), { type: type === "boolean" ? "boolean" : "string" }] as const;
  });

  const args = [...words];
  const { tokens } = parseArgs({
    args,
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional") rest.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName: typed, value } = token;
    const [key, argument] = flags.find(([each]) => flagOf(each) === `--${token.name}`) ?? [];
    if (key === undefined || argument === undefined) {
      const known = flags.map(([each]) => flagOf(each));
      const [best] = didYouMean(typed, known);
      const others = known.length === 0 ? "This workflow takes no flags." : `Known flags: ${known.join(", ")}.`;
      problems.push(`Unknown flag ${typed}. ${best === undefined ? others : `Did you mean ${best}?`}`);
    } else if (argument.type === "boolean") {
      if (value !== undefined) problems.push(`${typed} is a flag and takes no value.`);
      input[key] = true;
    } else if (value === undefined || (token.inlineValue !== true && value.startsWith("--"))) {
      const instead = value === undefined ? "" : ` For a value that starts with dashes, write ${typed}=${value}.`;
      problems.push(`${typed} needs a value.${instead}`);
    } else if (given.has(key)) problems.push(`${typed} was given twice.`);
    else {
      given.add(key);
      if (argument.type !== "number") input[key] = value;
      else {
        const number = value.trim() === "" ? Number.NaN : Number(value);
        const { min, max, whole = false } = argument;
        const fits = Number.isFinite(number) && number >= (min ?? -Infinity) && number <= (max ?? Infinity);
        if (fits && (!whole || Number.isSafeInteger(number))) input[key] = number;
        else {
          let range = "";
          if (min !== undefined && max !== undefined) range = ` from ${min} to ${max}`;
          else if (min !== undefined) range = ` of at least ${min}`;
          else if (max !== undefined) range = ` of at most ${max}`;
          problems.push(`${typed} must be a ${whole ? "whole " : ""}number${range}, not ${JSON.stringify(value)}.`);
        }
      }
    }
  }

  const text = textOfWords(rest);
  const [restKey] = entries.find(([, { type }]) => type === "rest") ?? [];
  if (rest.length > 0 && restKey !== undefined) input[restKey] = text;
  else if (rest.length > 0) {
    const hint = hintOfArguments(declared);
    const shown =
      hint === undefined
        ? "This workflow takes no arguments."
        : `Expected ${hint}; quote any value that contains spaces.`;
    problems.push(`${JSON.stringify(text)} does not match any argument. ${shown}`);
  }
  for (const [key, wanted] of entries) {
    if (!("required" in wanted && wanted.required === true) || Object.hasOwn(input, key)) continue;
    problems.push(`${wanted.type === "rest" ? `<${wanted.value ?? key}>` : flagOf(key)} is missing.`);
  }
  return { input, problems };
}

/** Words as one text. What begins with a line break is the rest of a text of several lines. */
export function textOfWords(words: readonly string[]): string {
  const text = words.reduce((all, word) => all + (all === "" || word.startsWith("\n") ? "" : " ") + word, "");
  return text.replace(/^\n/, "");
}

/**
 * An input with its defaults. It is checked as if it had been typed after the workflow's name.
 *
 * @param others Keys that are not declared and yet kept: those of the graph's state, or any.
 */
export function checkInput(
  declared: ArgumentsJson,
  input: Json,
  others: "any" | readonly string[],
): { readonly input: { readonly [key: string]: Json }; readonly problems: readonly string[] } {
  const flags: string[] = [];
  const kept: Record<string, Json> = {};
  const mistaken: string[] = [];
  let rest: Json | undefined;
  if (typeof input !== "object" || Array.isArray(input)) rest = input;
  else {
    for (const [key, value] of Object.entries(input ?? {})) {
      if (value === undefined) continue;
      const type = Object.hasOwn(declared, key) ? declared[key]?.type : undefined;
      if (type === undefined && (others === "any" || others.includes(key))) kept[key] = value;
      else if (value === null || (type === "boolean" && value === false)) continue;
      else if (type === "rest") rest = value;
      else if (type === "boolean" && value === true) flags.push(flagOf(key));
      else {
        if (type === "string" && typeof value !== "string") {
          mistaken.push(`${flagOf(key)} must be text, not ${JSON.stringify(value)}.`);
        }
        flags.push(`${flagOf(key)}=${textOf(value)}`);
      }
    }
  }
  const words = [...flags, ...(rest === undefined ? [] : ["--", textOf(rest)])];
  const { input: read, problems } = readArguments(declared, words);
  return { input: { ...kept, ...read }, problems: [...mistaken, ...problems] };
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
