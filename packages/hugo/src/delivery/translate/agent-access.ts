// What an agent may do once OpenCode has loaded it: OpenCode's own rules, not ours, which would be narrower.
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { combineTools } from "@atomic/workflows/internal/entities/normalize/restrictions";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { widerPermissions } from "@atomic/workflows/internal/permission/compare";
import {
  type Action,
  agentPermission,
  exceptionsIn,
  generalAction,
  isPlainObject,
  knownPermissions,
  type PermissionRule,
  permissionsIn,
  rulesOf,
  settingFor,
} from "@atomic/workflows/internal/permission/rules";

/** The rules of one agent, in order; none means that it may do everything. */
export type AgentAccess = readonly PermissionRule[];

const SHOWN: Readonly<Record<Action, string>> = { deny: "no", ask: "asks", allow: "yes" };
/** Tools that go by the permission `edit`; as a permission of their own they have no effect. */
const DEAD = new Set(["write", "patch", "apply_patch", "multiedit", "notebookedit"]);

/** From the text of an agent's file, be it written for OpenCode or for Claude Code. */
export function readAgentAccess(text: string): AgentAccess {
  const { values, complete } = parseFrontmatter(text);
  // What it restricts is unknown, so nothing counts as restricted.
  return complete ? accessOf(values) : [];
}

export function accessOf({ tools, disallowedTools, permission }: Readonly<Record<string, unknown>>): AgentAccess {
  // Switches are OpenCode's, lists are Claude's, whose names have been made OpenCode's.
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

/** What holds for all uses of a permission; undefined if that depends on the use. */
export function plainAction(access: AgentAccess, permission: string): Action | undefined {
  const setting = settingFor(permission, access);
  return exceptionsIn(setting).length === 0 ? generalAction(setting) : undefined;
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
  return [SHOWN[generalAction(setting)], ...exceptions].join(", ");
}

/** What an agent may do after an update that it may not do before, one line a permission; `held` is what the user leaves of it. */
export function widenedAccess(before: AgentAccess, after: AgentAccess, held: AgentAccess = after): string[] {
  return widerPermissions(before, after).map((name) => {
    const [was, is, left] = [before, after, held].map((access) => described(access, name));
    return `${name === "*" ? "everything else" : name}: ${is} (before: ${was})${left === is ? "" : `, but your rules say ${left}`}`;
  });
}

/** What an agent may do although the user's rules, under which it would be `limited`, say otherwise now. */
export function accessBeyond(limited: AgentAccess, access: AgentAccess): string[] {
  return widerPermissions(limited, access).map((name) => {
    const shown = name === "*" ? "everything else" : name;
    return `${shown}: ${described(access, name)}, but your rules say ${described(limited, name)}`;
  });
}
