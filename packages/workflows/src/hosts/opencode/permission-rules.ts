// What a session may do, as OpenCode's rules: the last one that matches counts, and those of a session come after those of
// the agent.
import { canonicalTools, changesFiles } from "../../entities/normalize/tool-names.ts";
import { type Action, type PermissionRule, rulesAbout } from "../../permission/rules.ts";
import { opencodeToolName } from "../../permission/server-tools.ts";
import type { SessionOptions } from "../host.ts";

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
 * Whatever the agent may do by itself has to be asked for, so the request reaches the one who decides. What it may not do, by the
 * user's own settings, it still may not.
 */
export function sessionRules(agent: readonly PermissionRule[], restriction: Restriction): PermissionRule[] {
  const { tools, deny = [], denyHelpers = ["*", ...canonicalTools], known = [] } = restriction;
  // Sub-agents work unasked, and inherit what is denied, even what a later rule takes back. So what is denied first is denied
  // to them, and then the agent itself is asked.
  const others = [...ofServers, ...known.filter((tool) => !canonicalTools.has(tool))];
  const toHelpers = permissionsOf(denyHelpers.flatMap((tool) => (tool === "*" ? others : [tool])));
  const asking = agent.map((rule): PermissionRule => (rule.action === "allow" ? { ...rule, action: "ask" } : rule));
  const rules: PermissionRule[] = [
    ...toHelpers.filter((permission) => !harmless.includes(permission)).map((permission) => whole(permission, "deny")),
    whole("*", "ask"),
    ...asking,
    ...harmless.flatMap((permission) => rulesAbout(agent, permission)),
  ];
  if (tools !== undefined) {
    // Denies everything, and repeats the rules for what is left. Sub-agents inherit only what is denied: they have no tools
    // then, which is less than was meant, but never more.
    const kept = [...permissionsOf(tools), ...questions].flatMap((permission) => {
      const found = rulesAbout(rules, permission);
      return found.length > 0 ? found : [whole(permission, "ask")];
    });
    rules.push(whole("*", "deny"), ...kept);
  }
  return [
    ...rules,
    ...permissionsOf(deny).map((permission) => whole(permission, "deny")),
    // Nobody sits at this server who could answer the agent's own questions.
    whole("question", "deny"),
  ];
}

function whole(permission: string, action: Action): PermissionRule {
  return { permission, pattern: "*", action };
}

/** OpenCode has one permission for all tools that change files, and writes `server_tool` for a tool of a server. */
function permissionsOf(tools: readonly string[]): string[] {
  return [...new Set(tools.map((tool) => (changesFiles.has(tool) ? "edit" : opencodeToolName(tool))))];
}
