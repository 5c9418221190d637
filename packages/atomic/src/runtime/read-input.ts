// From the words behind a workflow's name to the input of its run.

import { UsageError } from "@atomic/terminal/refusal";
import { didYouMean } from "@atomic/terminal/suggest";
import { type ArgumentsJson, flagOf } from "@atomic/workflows/internal/entities/workflow-arguments";
import { readArguments, textOfWords } from "@atomic/workflows/internal/graph/read-arguments";
import type { Json } from "@atomic/workflows/internal/run/json";

export interface InputRequest {
  readonly workflow: string;
  /** Undefined: it takes whatever it is given. */
  readonly declared: ArgumentsJson | undefined;
  readonly words: readonly string[];
  /** Flags of the command itself, which may have been meant. */
  readonly ownFlags: readonly string[];
}

export function readInput({ workflow, declared, words, ownFlags }: InputRequest): Json {
  const hint = `Run \`atomic run ${workflow} --help\` for usage.`;
  const end = words.indexOf("--");
  const known = Object.entries(declared ?? {}).flatMap(([key, { type }]) => (type === "rest" ? [] : [flagOf(key)]));
  // A misspelt flag is never taken for text. What comes after `--` is.
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const [flag = word] = word.split("=");
    if (!/^--?[A-Za-z]/.test(word) || known.includes(flag)) continue;
    const [best] = didYouMean(flag, [...known, ...ownFlags]);
    const meant = best === undefined ? "" : ` (did you mean ${best}?)`;
    throw new UsageError(`unknown option ${flag}${meant}`, { hint });
  }
  if (declared !== undefined) {
    const { input, problems } = readArguments(declared, words);
    const [first, ...others] = problems;
    if (first === undefined) return input;
    throw new UsageError([`${workflow}: ${first}`, ...others].join(" "), { hint });
  }
  // Text, unless it is JSON.
  const text = textOfWords(words.filter((_, at) => at !== end));
  if (text === "") return null;
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
