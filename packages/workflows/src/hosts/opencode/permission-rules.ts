// What a session may do, as OpenCode's rules: the last matching rule wins, and a session's rules come after its agent's.
import { canonicalTools, changesFiles } from "../../entities/normalize/tool-names.ts";
import { type Action, type PermissionRule, rulesAbout } from "../../permission/rules.ts";
import { opencodeToolName } from "../../permission/server-tools.ts";
import type { SessionOptions } from "../host.ts";

export interface Restriction extends Pick<SessionOptions, "tools" | "deny" | "denyHelpers"> {
  /** The tools of this OpenCode, including those of plugins. */
  readonly known?: readonly string[];
}

/** They do no harm. They still ask where the user wants to be asked, as OpenCode does for `.env` files. */
const harmless = ["glob", "grep", "list", "lsp", "read", "skill", "todowrite"];
/** Every server's tool has such a name; `*` would also deny the tools that only look. */
const ofServers = ["*_*"];
/** Not tools, but questions that tools raise. */
const questions = ["external_directory", "doom_loop"];

/**
 * The agent has to ask for whatever it may do by itself, so every request reaches the policy. What the user's own settings
 * deny stays denied.
 */
export function sessionRules(agent: readonly PermissionRule[], restriction: Restriction): PermissionRule[] {
  const { tools, deny = [], denyHelpers = ["*", ...canonicalTools], known = [] } = restriction;
  // Sub-agents work without asking and inherit every denial, even one that a later rule overrides. So these denials come
  // first for them, and the rules after that make the agent itself ask.
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
    // Denies everything, and then repeats the rules for what is left. Sub-agents inherit only the denials, so they have no
    // tools at all: less than was meant, but never more.
    const kept = [...permissionsOf(tools), ...questions].flatMap((permission) => {
      const found = rulesAbout(rules, permission);
      return found.length > 0 ? found : [whole(permission, "ask")];
    });
    rules.push(whole("*", "deny"), ...kept);
  }
  return [
    ...rules,
    ...permissionsOf(deny).map((permission) => whole(permission, "deny")),
    // No one is at this server to answer the agent's own questions.
    whole("question", "deny"),
  ];
}

function whole(permission: string, action: Action): PermissionRule {
  return { permission, pattern: "*", action };
}

/** OpenCode has one permission for all tools that change files, and calls a server's tool `server_tool`. */
function permissionsOf(tools: readonly string[]): string[] {
  return [...new Set(tools.map((tool) => (changesFiles.has(tool) ? "edit" : opencodeToolName(tool))))];
}
