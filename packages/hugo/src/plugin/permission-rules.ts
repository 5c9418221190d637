// Who may call the tools that change something. OpenCode silently allows what no rule covers, so a rule
// has to say that the user is asked.
import {
  type Action,
  isPlainObject,
  type PatternActions,
  type Permission,
  type PermissionRule,
  putLast,
  readPermission,
  rulesAbout,
  rulesOf,
} from "@atomic/workflows/internal/permission/rules";
import { matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";
import type { HookConfig } from "./opencode.ts";
import type { HugoTool } from "./tools.ts";

export type Settings = ReadonlyMap<string, PatternActions>;

/** A request's pattern: its subject, and the report on further lines. */
export function patternOf(subject: string, report: string): string {
  return `${subject}\n${report}`;
}

/**
 * The user's setting for each tool by name; the default is "ask". A general "allow" does not cover these tools: its
 * author was not thinking of code from strangers. A general "deny" does.
 */
export function settingsFor(tools: readonly HugoTool[], permission: unknown): Settings {
  const rules = rulesOf(readPermission(permission));
  const general = rules.findLast(({ permission, pattern }) => permission === "*" && pattern === "*");
  const start: Action = general?.action === "deny" ? "deny" : "ask";
  return new Map(
    tools.map(({ name }) => {
      const setting = new Map<string, Action>([["*", start]]);
      const named = rules.filter(({ permission }) => permission !== "*");
      for (const { pattern, action } of rulesAbout(named, name)) put(setting, pattern, action);
      return [name, setting];
    }),
  );
}

/** Puts the settings where no general rule comes after them. An agent can be stricter, but never more permissive. */
export function addRules(config: HookConfig, tools: readonly HugoTool[], settings: Settings): void {
  config.permission = withRules(readPermission(config.permission), tools, settings);
  const agents = Object.entries(config.agent ?? {}).map(([name, agent]) => {
    if (!isPlainObject(agent) || agent.permission === undefined) return [name, agent] as const;
    const own = ownSettings(tools, rulesOf(readPermission(agent.permission)), settings);
    return [name, { ...agent, permission: withRules(readPermission(agent.permission), tools, own) }] as const;
  });
  if (config.agent !== undefined) config.agent = Object.fromEntries(agents);
}

/** Whether the settings allow this without a question, for all its patterns. */
export function isAllowed(settings: Settings, { name }: HugoTool, patterns: readonly string[]): boolean {
  const rules = [...(settings.get(name) ?? [])];
  return patterns.every((wanted) => rules.findLast(([pattern]) => matchesWildcard(pattern, wanted))?.[1] === "allow");
}

function withRules(permission: Permission, tools: readonly HugoTool[], settings: Settings): Permission {
  const rules = new Map(Object.entries(permission));
  for (const tool of tools) {
    const setting = settings.get(tool.name);
    if (setting === undefined) continue;
    // A request is called `hugo_install: Install …`, because OpenCode shows nothing else of it.
    const key = `${tool.name}*`;
    rules.delete(key);
    rules.set(key, Object.fromEntries(setting));
  }
  return Object.fromEntries(rules);
}

/**
 * For an agent with rules about the tools: they come after the general ones, so an agent that allows everything would
 * allow this, too. It may come from a stranger's package, so what it allows does not count.
 */
function ownSettings(tools: readonly HugoTool[], rules: readonly PermissionRule[], general: Settings): Settings {
  const settings = new Map<string, PatternActions>();
  for (const { name } of tools) {
    const about = rulesAbout(rules, name);
    const lastWhole = about.findLastIndex(({ pattern, action }) => pattern === "*" && action === "allow");
    const setting = new Map(general.get(name));
    for (const { pattern, action } of about.slice(lastWhole + 1)) if (action !== "allow") put(setting, pattern, action);
    if (about.length > 0) settings.set(name, setting);
  }
  return settings;
}

/** As the last rule, for the subject alone and with its report. */
function put(setting: Map<string, Action>, pattern: string, action: Action): void {
  for (const each of new Set([pattern, pattern.endsWith("*") ? pattern : patternOf(pattern, "*")])) {
    putLast(setting, each, action);
  }
}

/** How often the user was really asked, by call. OpenCode does not say when a rule lets a request pass. */
export class AskedCalls {
  readonly #times = new Map<string, number>();

  /** Call it with every event. */
  notice({ type, properties }: { readonly type: string; readonly properties?: unknown }): void {
    if (type !== "permission.asked") return;
    const { tool } = (properties ?? {}) as { readonly tool?: { readonly callID?: unknown } };
    if (typeof tool?.callID === "string") this.#times.set(tool.callID, this.times(tool.callID) + 1);
  }

  times(callID = ""): number {
    return this.#times.get(callID) ?? 0;
  }

  forget(callID = ""): void {
    this.#times.delete(callID);
  }
}
