// What the prompt line does itself. The commands of `atomic` are there besides, under their own names.
import type { PromptEntry } from "./suggestions.ts";

const ownNames = ["help", "clear", "exit", "host", "model", "resume", "answer", "attach", "compact", "run"] as const;
export type OwnName = (typeof ownNames)[number];

const table: Readonly<Record<OwnName, readonly [hint: string, description: string, ...aliases: string[]]>> = {
  help: ["[command]", "Show what you can type here, or what a command does"],
  clear: ["", "Clear the screen"],
  exit: ["", "Quit; background runs continue", "quit"],
  host: ["[host]", "Show or choose the program that gets your tasks: opencode, claude or copilot"],
  model: ["[model] | select | list [provider] | refresh | default", "Show or choose the host's model"],
  resume: ["[run] | <session>", "Continue a run in the background, or a session of the host"],
  answer: ["[run]", "Answer the questions of a run"],
  attach: ["[run]", "Watch a run and answer its questions; Ctrl-C detaches"],
  compact: ["[focus-instructions]", "Have the host compact its last session"],
  run: ["<workflow> [arguments…]", "Run a workflow in the background"],
};

export const ownEntries: readonly PromptEntry[] = ownNames.map((name) => {
  const [hint, description, ...aliases] = table[name];
  return { name, kind: "own", description, aliases, hint };
});

export function isOwnName(name: string): name is OwnName {
  return (ownNames as readonly string[]).includes(name);
}

/** A sentence with commands as they are typed here: `/runs --all`. Those of two words stay, as they have no entry. */
export function asTypedHere(text: string): string {
  return text.replaceAll(/`(?:(?:npx|bunx|pnpm|yarn|dlx|exec|-p|@atomic\/cli) )*atomic (?!engine\b)(?=[a-z])/g, "`/");
}

/** The keys, for `/help`. */
export const keyHelp: readonly (readonly [keys: string, does: string])[] = [
  ["Tab", "insert a suggestion, or complete a file, a run or a value"],
  ["Enter", "enter the line; a suggestion that needs arguments is inserted first"],
  ["Ctrl-J, Shift-Enter, \\ Enter", "begin a new line"],
  ["Esc", "close a list or a hint"],
  ["↑ ↓, Ctrl-R", "earlier lines; search them"],
  ["Ctrl-O", "show the next run as a tree"],
  ["Ctrl-C, Ctrl-D", "clear the line; leave"],
];
