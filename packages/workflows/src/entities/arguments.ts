import { type ArgumentRules, matchPlaceholders, type Placeholder, splitWords } from "./arguments/rules.ts";
import { shellWords } from "./arguments/shell-words.ts";
import type { Provider } from "./entity.ts";

/** Claude Code, measured on 2.1.325. */
const claudeRules: ArgumentRules = {
  firstPosition: 0,
  namedArguments: true,
  readBody: (body) => body.trimStart(),
  readInput: (input) => input.trim(),
  findPlaceholders: findClaudePlaceholders,
  fill: (raw, names) => {
    const words = shellWords(raw);
    return (placeholder) => {
      const text = fillFromWords(placeholder, raw, words, names);
      return text === undefined ? undefined : disarmShell(text);
    };
  },
  append: (raw) => `\n\nARGUMENTS: ${disarmShell(raw)}`,
  finish: (text) => text,
};

/**
 * `$ARGUMENTS`, `$ARGUMENTS[n]`, `$n` and `$name`, while `$1st` and `$name[0]` are plain text. One backslash in front
 * turns any of them into plain text; two or more do nothing.
 */
export function findClaudePlaceholders(body: string, names: readonly string[]): Placeholder[] {
  if (!body.includes("$")) return [];
  const longestFirst = [...new Set(names)]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const name = longestFirst.length === 0 ? "(?!)" : longestFirst.join("|");
  const pattern = new RegExp(
    [
      String.raw`(?<escaped>(?<!\\)\\\$(?=ARGUMENTS|\d|${name}))`,
      String.raw`\$(?<name>${name})(?![\w[])`,
      String.raw`\$ARGUMENTS(?:\[(?<position>\d+)\])?`,
      String.raw`\$(?<bare>\d+)(?!\w)`,
    ].join("|"),
    "g",
  );
  return matchPlaceholders(body, pattern);
}

/** Named arguments take the words in order. A missing one is empty, but a missing `$3` stays in the text. */
function fillFromWords(
  placeholder: Placeholder,
  raw: string,
  words: readonly string[],
  names: readonly string[],
): string | undefined {
  switch (placeholder.kind) {
    case "all":
      return raw;
    case "position":
      return words[placeholder.index];
    case "name":
      return words[names.indexOf(placeholder.name)] ?? "";
    case "escaped":
      return undefined;
  }
}

/** Claude Code runs the !`commands` in the expanded text, so it makes sure that an argument never becomes one. */
function disarmShell(text: string): string {
  return text
    .replaceAll("!`", "! `")
    .replaceAll("`!", "` !")
    .replace(/(?<=^|\s)!/g, "\\!");
}

/**
 * Atomic's own files use Claude's placeholders, so you can move a command over unchanged, but words are split only at
 * spaces and quotes. Claude reads the input as a shell line and loses what follows a `;`, `&`, `#` or `>`.
 */
const atomicRules: ArgumentRules = {
  ...claudeRules,
  readBody: (body) => body,
  fill: (raw, names) => {
    // A quote with a partner groups at the start of a word or after `=` or `:`; an apostrophe is a letter.
    const words = splitWords(raw, (text, at, word) => {
      if (word !== undefined && !word.endsWith("=") && !word.endsWith(":")) return undefined;
      const close = text.indexOf(text.charAt(at), at + 1);
      return close === -1 ? undefined : close;
    });
    return (placeholder) => fillFromWords(placeholder, raw, words, names);
  },
  append: (raw) => `\n\nARGUMENTS: ${raw}`,
};

/** The Copilot runtime, measured on 1.0.85. It has no named arguments, and a missing argument is empty. */
const copilotRules: ArgumentRules = {
  firstPosition: 0,
  namedArguments: false,
  // Empty lines before the text are not part of it, but its indentation is.
  readBody: (body) => body.replace(/^\s*\n/, ""),
  readInput: (input) => input.trim(),
  findPlaceholders: (body) =>
    matchPlaceholders(body, /(?<escaped>\\\$)|\$ARGUMENTS\[(?<position>\d+)\]|\$ARGUMENTS(?!\w)|\$(?<bare>\d+)/g),
  fill: (raw) => {
    // Quotes group and disappear, even inside a word; one without a partner reaches to the end. There are no escapes.
    const words = splitWords(raw, (text, at) => {
      const close = text.indexOf(text.charAt(at), at + 1);
      return close === -1 ? text.length : close;
    });
    return (placeholder) => {
      if (placeholder.kind === "escaped") return undefined;
      return placeholder.kind === "position" ? (words[placeholder.index] ?? "") : raw;
    };
  },
  append: (raw) => `\n\nARGUMENTS: ${raw}`,
  finish: (text) => text,
};

/**
 * OpenCode, measured on 1.18.33, with two deliberate differences: OpenCode reads `$&` or `$$` in the user's input as
 * replacement patterns, and expands a `$ARGUMENTS` that comes from a positional argument. Here input stays as typed.
 */
const opencodeRules: ArgumentRules = {
  firstPosition: 1,
  namedArguments: false,
  readBody: (body) => body.trim(),
  readInput: (input) => input,
  findPlaceholders: (body) => matchPlaceholders(body, /\$(?:(?<position>\d+)|ARGUMENTS)/g),
  fill: (raw, _names, placeholders) => {
    // A quote starts a new word wherever it appears; one without a partner is dropped.
    const words = (raw.match(/\[Image\s+\d+\]|"[^"]*"|'[^']*'|[^\s"']+/gi) ?? []).map((word) =>
      /^["']/.test(word) ? word.slice(1, -1) : word,
    );
    const last = placeholders.reduce((max, item) => (item.kind === "position" ? Math.max(max, item.index) : max), 0);
    return (placeholder) => {
      if (placeholder.kind !== "position") return raw;
      const from = placeholder.index - 1;
      if (from >= words.length) return "";
      if (placeholder.index === last) return words.slice(from).join(" ");
      // `$0` beside another placeholder: OpenCode prints the word "undefined".
      return words[from] ?? "undefined";
    };
  },
  append: (raw) => `\n\n${raw}`,
  finish: (text) => text.trim(),
};

/** Hugo installs workflows for OpenCode. The Agent Skills spec does not mention arguments; Copilot's rules lose nothing. */
const rulesByProvider: Readonly<Record<Provider, ArgumentRules>> = {
  claude: claudeRules,
  opencode: opencodeRules,
  copilot: copilotRules,
  atomic: atomicRules,
  "agent-skills": copilotRules,
  hugo: opencodeRules,
};

export interface ExpandOptions {
  /** Whose rules apply: the provider in whose format the body is written. */
  readonly provider: Provider;
  /** Named arguments in order, as `readArgumentNames` gives them. */
  readonly names?: readonly string[];
}

/**
 * The text that a tool sends to the model when you type `/command <input>`. It expands in one pass, so `$1`, `$&` or
 * `$ARGUMENTS` in the input stay as they are. Shell commands and file references (see `findShellAndFileReferences`)
 * stay in the text.
 *
 * @example
 * expandArguments("Fix $0 in $1", 'it "src/a b.ts"', { provider: "claude" }); // "Fix it in src/a b.ts"
 */
export function expandArguments(body: string, input: string, options: ExpandOptions): string {
  const rules = rulesByProvider[options.provider];
  const names = (options.names ?? []).filter(isArgumentName);
  const text = rules.readBody(body);
  const raw = rules.readInput(input);
  const placeholders = rules.findPlaceholders(text, names);
  const fill = rules.fill(raw, names, placeholders);

  let filled = "";
  let used = false;
  let at = 0;
  for (const placeholder of placeholders) {
    const value = fill(placeholder);
    filled +=
      text.slice(at, placeholder.start) +
      (value ??
        text.slice(placeholder.kind === "escaped" ? placeholder.start + 1 : placeholder.start, placeholder.end));
    used ||= value !== undefined;
    at = placeholder.end;
  }
  filled += text.slice(at);
  return rules.finish(used || raw.trim() === "" ? filled : filled + rules.append(raw));
}

/** The arguments that a body uses. */
export interface WantedArguments {
  /** Ascending and 0-based, whatever the tool counts from. OpenCode's `$0`, which never names a word, is left out. */
  readonly positions: readonly number[];
  readonly names: readonly string[];
  /** Whether `$ARGUMENTS`, the whole input, occurs. */
  readonly all: boolean;
}

/**
 * @example
 * findWantedArguments("Move $1 to $2", { provider: "opencode" }); // { positions: [0, 1], names: [], all: false }
 */
export function findWantedArguments(body: string, options: ExpandOptions): WantedArguments {
  const rules = rulesByProvider[options.provider];
  const placeholders = rules.findPlaceholders(body, (options.names ?? []).filter(isArgumentName));
  const positions = new Set<number>();
  const names = new Set<string>();
  for (const placeholder of placeholders) {
    if (placeholder.kind === "position") positions.add(placeholder.index - rules.firstPosition);
    if (placeholder.kind === "name") names.add(placeholder.name);
  }
  return {
    positions: [...positions].filter((position) => position >= 0).sort((a, b) => a - b),
    names: [...names],
    all: placeholders.some(({ kind }) => kind === "all"),
  };
}

/** Whether the frontmatter key `arguments` has a meaning for this provider. */
export function hasNamedArguments(provider: Provider): boolean {
  return rulesByProvider[provider].namedArguments;
}

/**
 * Reads the frontmatter key `arguments` as Claude Code does: a list, or a string split at white space. Numbers, and
 * names that consist of digits, are ignored and take no position.
 */
export function readArgumentNames(value: unknown): string[] {
  const names: unknown[] = typeof value === "string" ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter(isArgumentName);
}

/** A number is not a name: `$1` is always the second word. */
function isArgumentName(name: unknown): name is string {
  return typeof name === "string" && /\D/.test(name);
}
