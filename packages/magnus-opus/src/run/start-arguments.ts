// What a person typed after a command that starts a run. Pure.
import { didYouMean } from "@atomic/terminal/suggest";
import type { Flow, WorkflowType } from "./phase-name.ts";

export interface StartArguments {
  readonly description: string;
  readonly figmaUrl?: string;
  readonly skipPlanReview: boolean;
  readonly type?: Exclude<WorkflowType, "UNCLEAR">;
}

export type ReadStart = { readonly ok: StartArguments } | { readonly problem: string };

const types = ["UI_FOCUSED", "API_FOCUSED", "MIXED"] as const;
const flags: Readonly<Record<Flow, readonly string[]>> = {
  implement: ["--figma", "--skip-plan-review", "--type"],
  "implement-api": ["--skip-plan-review"],
  "validate-ui": ["--figma"],
  review: [],
};

/** Flags may stand anywhere; after a lone `--` nothing is a flag. */
export function readStartArguments(flow: Flow, text: string): ReadStart {
  const words = text.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const said: string[] = [];
  let found: StartArguments = { description: "", skipPlanReview: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") {
      said.push(...words.slice(at + 1));
      break;
    }
    if (!/^--[a-z]/i.test(word)) {
      said.push(word);
      continue;
    }
    const [name = "", inline] = word.toLowerCase().replaceAll("_", "-").replace("--figma-url", "--figma").split("=", 2);
    if (!flags[flow].includes(name)) return { problem: strangeFlag(flow, name) };
    if (name === "--skip-plan-review") {
      found = { ...found, skipPlanReview: true };
      continue;
    }
    const value = unquoted(inline === undefined ? (words[++at] ?? "") : word.slice(word.indexOf("=") + 1));
    const read = name === "--type" ? readType(value) : readUrl(value);
    if ("problem" in read) return read;
    found = { ...found, ...read };
  }
  return { ok: { ...found, description: unquoted(said.join(" ")) } };
}

function readType(value: string): { type: (typeof types)[number] } | { problem: string } {
  const wanted = value.toUpperCase().replaceAll("-", "_");
  const type = types.find((each) => each === wanted || each.split("_")[0] === wanted);
  if (type !== undefined) return { type };
  const [best] = didYouMean(value, types);
  return { problem: `--type "${value}" is not one of ${types.join(", ")}${best ? ` (did you mean ${best}?)` : ""}.` };
}

function readUrl(value: string): { figmaUrl: string } | { problem: string } {
  const isUrl = URL.canParse(value) && /^https?:/.test(value);
  return isUrl ? { figmaUrl: value } : { problem: `--figma "${value}" is not the address of a design.` };
}

function strangeFlag(flow: Flow, name: string): string {
  const [best] = didYouMean(name, flags[flow]);
  const known = flags[flow].length === 0 ? "There are none here" : `There are ${flags[flow].join(", ")}`;
  const hint = best === undefined ? known : `Did you mean ${best}?`;
  return `${name} is no option of this command. ${hint}${hint.endsWith("?") ? "" : "."} What belongs to the description comes after \`--\`.`;
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) && !text.slice(1, -1).includes(text[0]!) ? text.slice(1, -1) : text;
}
