// A prompt line in a test: a few entries, and keys by their names.
import type { Key } from "@atomic/terminal/keys";
import { type PromptInput, reduce, type Step } from "../../src/prompt/line/reducer.ts";
import { emptyState, type PromptState, type PromptWorld } from "../../src/prompt/line/state.ts";
import { catalogOf, type PromptEntry } from "../../src/prompt/line/suggestions.ts";

export function entry(name: string, hint?: string, more: Partial<PromptEntry> = {}): PromptEntry {
  return { name, kind: "command", description: `About ${name}`, aliases: [], hint, ...more };
}

const entries: readonly PromptEntry[] = [
  entry("commit", "[message] | --amend"),
  entry("compact", "[focus-instructions]"),
  entry("explain-code", "<file-path> [function-name]", { aliases: ["explain"] }),
  entry("ralph", "--yolo <prompt> | --resume <run> | --max-iterations <n>", { kind: "workflow" }),
  entry("clear", ""),
  entry("model", "select | refresh | list [provider] | <model-name>", { kind: "own" }),
  entry("answer", "[run]", { kind: "own" }),
  entry("tidy"),
];

export const world: PromptWorld = {
  catalog: catalogOf(entries),
  history: ["/commit fix the wörld", "what is 日本語?", "/explain-code src/a.ts\nand more"],
};

/** `/com`, `Tab`, `Ctrl-C`, `paste:…`: names with a capital are keys, everything else is typed letter by letter. */
export function inputs(...typed: readonly string[]): readonly PromptInput[] {
  return typed.flatMap((each): readonly Key[] => {
    if (each.startsWith("paste:")) return [{ kind: "paste", text: each.slice(6) }];
    if (/^[A-Z][a-z]+(?:-[A-Z][a-z]*)*$/.test(each)) {
      return [{ kind: "press", key: each.toLowerCase().replaceAll("-", "+") }];
    }
    return [...each].map((text) => ({ kind: "text", text }));
  });
}

export function typed(...keys: readonly string[]): Step {
  return press(emptyState, ...inputs(...keys));
}

/** All effects, and the last state. */
export function press(from: PromptState, ...keys: readonly PromptInput[]): Step {
  let state = from;
  const effects: Step["effects"][number][] = [];
  for (const key of keys) {
    const step = reduce(state, key, world);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

/** The text with a bar where the cursor is. */
export function shown({ text, cursor }: PromptState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

/** What was asked for, in short: `run /commit fix`, `send hello`. */
export function effectsOf({ effects }: Step): readonly string[] {
  return effects.map((effect) => {
    if (effect.kind === "run") return `run /${effect.entry.name}${effect.args === "" ? "" : ` ${effect.args}`}`;
    if (effect.kind === "send") return `send ${effect.text}`;
    return effect.kind === "complete" ? `complete ${effect.sources.join(" ")}` : effect.kind;
  });
}
