// What an agent may do once OpenCode has loaded it, by OpenCode's own rules: ours would be narrower.
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { combineTools } from "@atomic/workflows/internal/entities/normalize/restrictions";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { widerPermissions } from "@atomic/workflows/internal/permission/compare";
import {
  type Action,
  agentPermission,
  exceptionsIn,
  isPlainObject,
  knownPermissions,
  type PermissionRule,
  permissionsIn,
  rulesOf,
  settingFor,
} from "@atomic/workflows/internal/permission/rules";
import type { AgentRight, Capability, RightLevel } from "../../packages/capability.ts";

/** An agent's rules, in order; without rules it may do everything. */
export type AgentAccess = readonly PermissionRule[];

const SHOWN: Readonly<Record<Action, string>> = { deny: "no", ask: "asks", allow: "yes" };
/** Tools under the permission `edit`; as separate permissions they have no effect. */
const DEAD = new Set(["write", "patch", "apply_patch", "multiedit", "notebookedit"]);

/** From the text of an agent's file, written for OpenCode or for Claude Code. */
export function readAgentAccess(text: string): AgentAccess {
  const { values, complete } = parseFrontmatter(text);
  // What it restricts is unknown, so nothing counts as restricted.
  return complete ? accessOf(values) : [];
}

export function accessOf({ tools, disallowedTools, permission }: Readonly<Record<string, unknown>>): AgentAccess {
  // Switches are OpenCode's; lists are Claude's, with names already translated to OpenCode's.
  const areSwitches = tools === undefined || isPlainObject(tools);
  const normal = combineTools(
    normalizeTools(areSwitches ? undefined : tools, { provider: "claude" }),
    normalizeDisallowedTools(disallowedTools, { provider: "claude" }),
  );
  const listed: PermissionRule[] = [];
  if (normal.kind === "restricted") {
    const { allow, ask = [], deny = [] } = normal.restrictions;
    if (allow !== undefined) listed.push({ permission: "*", pattern: "*", action: "deny" });
    const lists = [
      { action: "ask", list: ask },
      { action: "allow", list: allow ?? [] },
      { action: "deny", list: deny },
    ] as const;
    for (const { action, list } of lists) {
      for (const { tool, pattern = "*" } of list) {
        listed.push({ permission: DEAD.has(tool) ? "edit" : tool, pattern, action });
      }
    }
  }
  const live = rulesOf(agentPermission({ ...(areSwitches && { tools }), permission })).filter((rule) => {
    const lower = rule.permission.toLowerCase();
    // `Edit` restricts nothing that is called `edit`.
    const isMisspelt = lower !== rule.permission && (knownPermissions.includes(lower) || DEAD.has(lower));
    return !DEAD.has(rule.permission) && (rule.action === "allow" || !isMisspelt);
  });
  return [...listed, ...live];
}

/** `bash: asks, "git *" yes; everything else: yes`. */
export function describeAccess(access: AgentAccess): string {
  const named = permissionsIn(access).filter((name) => name !== "*");
  const rest = `${named.length === 0 ? "everything" : "everything else"}: ${described(access, "*")}`;
  return [...named.map((name) => `${name}: ${described(access, name)}`), rest].join("; ");
}

/** `asks, "git *" yes`. */
function described(access: AgentAccess, permission: string): string {
  const setting = settingFor(permission, access);
  const exceptions = exceptionsIn(setting).map(([pattern, action]) => `"${pattern}" ${SHOWN[action]}`);
  return [SHOWN[setting.get("*") ?? "allow"], ...exceptions].join(", ");
}

/** Which permissions stand for a right; all others stand for "other tools". */
const PERMISSIONS: readonly (readonly [right: AgentRight, permissions: readonly string[]])[] = [
  ["shell commands", ["bash"]],
  ["editing files", ["edit"]],
  ["the web", ["webfetch", "websearch"]],
  ["other agents", ["task"]],
  ["reading and searching", ["read", "grep", "glob"]],
];
const WITH_A_RIGHT = new Set(PERMISSIONS.flatMap(([, permissions]) => permissions));

/** The same in a few words, for people who compare many agents. */
export function rightsOf(access: AgentAccess): NonNullable<Capability["rights"]> {
  const rights: Partial<Record<AgentRight, RightLevel>> = {};
  const others = ["*", ...permissionsIn(access).filter((name) => !WITH_A_RIGHT.has(name))];
  for (const [right, permissions] of [...PERMISSIONS, ["other tools", others] as const]) {
    const settings = permissions.map((name) => settingFor(name, access));
    // OpenCode allows what no rule covers.
    const actions = settings.flatMap((setting) => [setting.get("*") ?? "allow", ...setting.values()]);
    if (!actions.includes("allow")) {
      if (actions.includes("ask")) rights[right] = "after asking";
    } else rights[right] = actions.every((action) => action === "allow") ? "without asking" : "in part without asking";
  }
  return rights;
}

/** What an agent may do only after an update, one line per permission; `held` is what the user's rules leave of it. */
export function widenedAccess(before: AgentAccess, after: AgentAccess, held: AgentAccess = after): string[] {
  return widerPermissions(before, after).map((name) => {
    const [was, is, left] = [before, after, held].map((access) => described(access, name));
    return `${name === "*" ? "everything else" : name}: ${is} (before: ${was})${left === is ? "" : `, but your rules say ${left}`}`;
  });
}

/** What an agent may do although the user's current rules, which would make it `limited`, forbid it. */
export function accessBeyond(limited: AgentAccess, access: AgentAccess): string[] {
  return widerPermissions(limited, access).map((name) => {
    const shown = name === "*" ? "everything else" : name;
    return `${shown}: ${described(access, name)}, but your rules say ${described(limited, name)}`;
  });
}
