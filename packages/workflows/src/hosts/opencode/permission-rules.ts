// What a session may do, as OpenCode's rules: the last one that matches counts, and those of a session come after those of
// the agent.

import { covers } from "../../normalize/restrictions.ts";
import { canonicalTools, changesFiles } from "../../normalize/tool-names.ts";
import type { SessionOptions } from "../host.ts";

export interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

export interface Restriction extends Pick<SessionOptions, "tools" | "deny" | "denyHelpers"> {
  /** Tools of this OpenCode, with those of plugins. */
  readonly known?: readonly string[];
}

/** Nothing is lost by what they do. Where the user wants to be asked (as OpenCode does of `.env` files), they ask. */
const harmless = ["glob", "grep", "list", "lsp", "read", "skill", "todowrite"];
/** All of them have such names; `*` would take away those that only look, too. */
const ofServers = ["*_*"];
/** Not tools, but questions that tools lead to. */
const questions = ["external_directory", "doom_loop"];

/**
 * Whatever the agent may do by itself has to be asked for, so that it reaches whoever decides. What it may not do, by the
 * user's own settings, it still may not.
 */
export function sessionRules(agent: readonly Rule[], restriction: Restriction): Rule[] {
  const { tools, deny = [] } = restriction;
  const asking = agent.map((rule) => (rule.action === "allow" ? { ...rule, action: "ask" } : rule));
  const rules = [
    ...onlyForHelpers(restriction),
    ...asking,
    ...harmless.flatMap((permission) => about(agent, permission)),
  ];
  return [
    ...rules,
    ...(tools === undefined ? [] : only(rules, tools)),
    ...permissionsOf(deny).map((permission) => ({ permission, pattern: "*", action: "deny" })),
    // Nobody sits at this server who could answer the agent's own questions.
    { permission: "question", pattern: "*", action: "deny" },
  ];
}

/**
 * Sub-agents work unasked, and inherit what is denied, even what a later rule takes back. So what is denied first is denied
 * to them, and then the agent itself is asked.
 */
function onlyForHelpers({ denyHelpers = ["*", ...canonicalTools], known = [] }: Restriction): Rule[] {
  const others = [...ofServers, ...known.filter((tool) => !canonicalTools.has(tool))];
  const denied = permissionsOf(denyHelpers.flatMap((tool) => (tool === "*" ? others : [tool])));
  return [
    ...denied
      .filter((permission) => !harmless.includes(permission))
      .map((permission) => ({ permission, pattern: "*", action: "deny" })),
    { permission: "*", pattern: "*", action: "ask" },
  ];
}

/**
 * Denies everything, and repeats the rules for what is left. Sub-agents inherit only what is denied: they have no tools
 * then, which is less than was meant, but never more.
 */
function only(rules: readonly Rule[], tools: readonly string[]): Rule[] {
  const kept = [...permissionsOf(tools), ...questions].flatMap((permission) => {
    const found = about(rules, permission);
    return found.length > 0 ? found : [{ permission, pattern: "*", action: "ask" }];
  });
  return [{ permission: "*", pattern: "*", action: "deny" }, ...kept];
}

/** The rules that count for one permission, in its name. */
function about(rules: readonly Rule[], permission: string): Rule[] {
  return rules
    .filter((rule) => covers(rule.permission, permission))
    .map(({ pattern, action }) => ({ permission, pattern, action }));
}

/** OpenCode has one permission for all tools that change files, and writes `server_tool` for a tool of a server. */
function permissionsOf(tools: readonly string[]): string[] {
  return [...new Set(tools.map((tool) => (changesFiles.has(tool) ? "edit" : tool.replaceAll("/", "_"))))];
}
