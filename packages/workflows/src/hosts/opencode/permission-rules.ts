// What a session may do, as OpenCode's rules: the last one that matches counts, and those of a session come after those of
// the agent.

import { covers } from "../../normalize/restrictions.ts";
import { changesFiles } from "../../normalize/tool-names.ts";

export interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

export interface Restriction {
  readonly tools?: readonly string[];
  readonly deny?: readonly string[];
}

/** Nothing is lost by what they do. Where the user wants to be asked (as OpenCode does of `.env` files), they ask. */
const harmless = ["glob", "grep", "list", "lsp", "read", "skill", "todowrite"];
/** Not tools, but questions that tools lead to. */
const questions = ["external_directory", "doom_loop"];

/**
 * Whatever the agent may do by itself has to be asked for, so that it reaches whoever decides. What it may not do, by the
 * user's own settings, it still may not.
 */
export function sessionRules(agent: readonly Rule[], { tools, deny = [] }: Restriction): Rule[] {
  const asking = agent.map((rule) => (rule.action === "allow" ? { ...rule, action: "ask" } : rule));
  const rules = [...asking, ...harmless.flatMap((permission) => about(agent, permission))];
  return [
    ...rules,
    ...(tools === undefined ? [] : only(rules, tools)),
    ...permissionsOf(deny).map((permission) => ({ permission, pattern: "*", action: "deny" })),
    // Nobody sits at this server who could answer the agent's own questions.
    { permission: "question", pattern: "*", action: "deny" },
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
