import { atomicRules } from "./arguments/atomic.ts";
import { claudeRules } from "./arguments/claude.ts";
import { copilotRules } from "./arguments/copilot.ts";
import { opencodeRules } from "./arguments/opencode.ts";
import type { ArgumentRules, Placeholder } from "./arguments/rules.ts";
import type { Provider } from "./entity.ts";

/** Hugo installs workflows for OpenCode. The Agent Skills spec is silent about arguments: Copilot's rules lose nothing. */
const rulesByProvider: Readonly<Record<Provider, ArgumentRules>> = {
  claude: claudeRules,
  opencode: opencodeRules,
  copilot: copilotRules,
  atomic: atomicRules,
  "agent-skills": copilotRules,
  hugo: opencodeRules,
};

export interface ExpandOptions {
  /** Whose rules apply: the one in whose format the body is written. */
  readonly provider: Provider;
  /** Named arguments in order, as `readArgumentNames` gives them. */
  readonly names?: readonly string[];
}

/**
 * The text that a tool sends to the model when its user types `/command <input>`. One pass: what comes from the input
 * is never looked at again, so `$1`, `$&` or `$ARGUMENTS` in it stay as they are. Shell commands and file references
 * (see `findReferences`) are left in the text.
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
    filled += text.slice(at, placeholder.start) + (value ?? asItStands(text, placeholder));
    used ||= value !== undefined;
    at = placeholder.end;
  }
  filled += text.slice(at);
  return rules.finish(used || raw.trim() === "" ? filled : filled + rules.append(raw));
}

function asItStands(text: string, { kind, start, end }: Placeholder): string {
  return text.slice(kind === "escaped" ? start + 1 : start, end);
}

/** What a body asks its user for. */
export interface WantedArguments {
  /** 0-based whatever the tool counts from, ascending. OpenCode's `$0`, which never names a word, is left out. */
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
 * Reads the frontmatter key `arguments` as Claude Code does: a list, or a string split at white space. Numbers and
 * names of digits only do not name anything, and take no position.
 */
export function readArgumentNames(value: unknown): string[] {
  const names: unknown[] = typeof value === "string" ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter(isArgumentName);
}

/** `$1` is the second word, whatever the names are. */
function isArgumentName(name: unknown): name is string {
  return typeof name === "string" && /\D/.test(name);
}
