// Who may call the tools that change something. OpenCode allows what no rule is about, without a word, so that a rule
// has to say that somebody is asked.
import { covers } from "@atomic/workflows/normalize/restrictions";
import type { Action, OpencodeConfig, Permission } from "./opencode.ts";
import type { Tool } from "./tools.ts";

interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: Action;
}

/** What holds for one tool: by pattern, of which the last match wins. */
type Setting = ReadonlyMap<string, Action>;

export type Settings = ReadonlyMap<string, Setting>;

/** A request is called `hugo_install: Install …`, because that is all that OpenCode shows of it. */
const keyOf = ({ name }: Tool): string => `${name}*`;

/** What a request is about has more lines, with the report. */
export function patternOf(subject: string, report: string): string {
  return `${subject}\n${report}`;
}

function subjectPattern(pattern: string): string {
  return pattern.endsWith("*") ? pattern : patternOf(pattern, "*");
}

/**
 * What the user has said about each tool by name, above "ask". A general "allow" is not about them: whoever wrote it
 * was not thinking of code from strangers. A general "deny" is.
 */
export function settingsFor(tools: readonly Tool[], permission: unknown): Settings {
  const rules = rulesOf(permission);
  const general = rules.findLast(({ permission, pattern }) => permission === "*" && pattern === "*");
  const start: Action = general?.action === "deny" ? "deny" : "ask";
  return new Map(
    tools.map(({ name }) => {
      const setting = new Map<string, Action>([["*", start]]);
      for (const { permission, pattern, action } of rules) {
        if (permission === "*" || !covers(permission, name)) continue;
        for (const each of [pattern, subjectPattern(pattern)]) {
          setting.delete(each);
          setting.set(each, action);
        }
      }
      return [name, setting];
    }),
  );
}

/** Puts the settings where nothing general comes after them. An agent can be stricter, and never more generous. */
export function addRules(config: OpencodeConfig, tools: readonly Tool[], settings: Settings): void {
  config.permission = withRules(asPermission(config.permission), tools, settings);
  const agents = Object.entries(config.agent ?? {}).map(([name, agent]) => {
    if (!isMap(agent) || agent.permission === undefined) return [name, agent] as const;
    const opened = tools.filter((tool) => opens(rulesOf(agent.permission), tool));
    return [name, { ...agent, permission: withRules(asPermission(agent.permission), opened, settings) }] as const;
  });
  if (config.agent !== undefined) config.agent = Object.fromEntries(agents);
}

/** Whether the user wants this to happen without a question: the settings allow it for everything that it is about. */
export function isAllowed(settings: Settings, { name }: Tool, patterns: readonly string[]): boolean {
  const rules = [...(settings.get(name) ?? [])];
  return patterns.every((wanted) => rules.findLast(([pattern]) => covers(pattern, wanted))?.[1] === "allow");
}

function withRules(permission: Permission, tools: readonly Tool[], settings: Settings): Permission {
  const rules = new Map(Object.entries(permission));
  for (const tool of tools) {
    const setting = settings.get(tool.name) ?? new Map<string, Action>();
    rules.delete(keyOf(tool));
    rules.set(keyOf(tool), Object.fromEntries(setting));
  }
  return Object.fromEntries(rules);
}

/** The agent's rules come after the general ones, so that one which allows everything would allow this, too. */
function opens(rules: readonly Rule[], { name }: Tool): boolean {
  return rules.some(({ permission, action }) => action === "allow" && covers(permission, name));
}

function asPermission(value: unknown): Permission {
  if (isAction(value)) return { "*": value };
  return isMap(value) ? (value as Permission) : {};
}

function rulesOf(value: unknown): Rule[] {
  return Object.entries(asPermission(value)).flatMap(([permission, setting]: [string, unknown]) => {
    const patterns: [string, unknown][] = isMap(setting) ? Object.entries(setting) : [["*", setting]];
    return patterns.flatMap(([pattern, action]) => (isAction(action) ? [{ permission, pattern, action }] : []));
  });
}

function isAction(value: unknown): value is Action {
  return value === "allow" || value === "ask" || value === "deny";
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
