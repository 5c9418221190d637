// What a person typed after a command that starts a run. Pure.
import { didYouMean } from "@atomic/terminal/suggest";
import type { Flow, WorkflowType } from "./phase-name.ts";

export interface StartArguments {
  readonly description: string;
  readonly figmaUrl?: string;
  readonly skipPlanReview: boolean;
  readonly type?: Exclude<WorkflowType, "UNCLEAR">;
  /** As typed; without duplicates. */
  readonly models?: readonly string[];
}

export type ReadStart = { readonly ok: StartArguments } | { readonly problem: string };

const types = ["UI_FOCUSED", "API_FOCUSED", "MIXED"] as const;
const flags: Readonly<Record<Flow, readonly string[]>> = {
  implement: ["--figma", "--skip-plan-review", "--type"],
  "implement-api": ["--skip-plan-review"],
  "validate-ui": ["--figma"],
  review: ["--models"],
};

/** Flags may appear anywhere before a lone `--`. */
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
    const [name = "", inline] = word
      .toLowerCase()
      .replaceAll("_", "-")
      .replace("--figma-url", "--figma")
      .replace(/^--model(?=$|=)/, "--models")
      .split("=", 2);
    if (!flags[flow].includes(name)) {
      const [best] = didYouMean(name, flags[flow]);
      const known = flags[flow].length === 0 ? "It has no options." : `Its options are ${flags[flow].join(", ")}.`;
      const hint = best === undefined ? known : `Did you mean ${best}?`;
      return {
        problem: `${name} is not a valid option for this command. ${hint} Put \`--\` before words that belong to the description.`,
      };
    }
    if (name === "--skip-plan-review") {
      found = { ...found, skipPlanReview: true };
      continue;
    }
    let value = unquoted(inline === undefined ? (words[++at] ?? "") : word.slice(word.indexOf("=") + 1));
    if (name === "--models") {
      while (value.endsWith(",") && at + 1 < words.length) value += unquoted(words[++at]!);
      const models = value.split(",").flatMap((each) => each.trim() || []);
      if (models.length === 0 || models.some((each) => each.startsWith("--")))
        return { problem: "--models needs the names of models, separated by commas." };
      found = { ...found, models: [...new Set([...(found.models ?? []), ...models])] };
      continue;
    }
    if (name === "--type") {
      const wanted = value.toUpperCase().replaceAll("-", "_");
      const type = types.find((each) => each === wanted || each.split("_")[0] === wanted);
      if (type === undefined) {
        const [best] = didYouMean(value, types);
        const hint = best ? ` (did you mean ${best}?)` : "";
        return { problem: `--type "${value}" is not one of ${types.join(", ")}${hint}.` };
      }
      found = { ...found, type };
    } else if (URL.canParse(value) && /^https?:/.test(value)) {
      found = { ...found, figmaUrl: value };
    } else {
      return { problem: `--figma "${value}" is not a URL.` };
    }
  }
  return { ok: { ...found, description: unquoted(said.join(" ")) } };
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) && !text.slice(1, -1).includes(text[0]!) ? text.slice(1, -1) : text;
}
