// What an agent may do once OpenCode has loaded it, by OpenCode's own rules: ours would be narrower.
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { combineTools } from "@atomic/workflows/internal/entities/normalize/restrictions";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { widerPermissions } from "@atomic/workflows/internal/permission/compare";
import { inheritedRules } from "@atomic/workflows/internal/permission/layers";
import {
  type Action,
  agentPermission,
  exceptionsIn,
  isPlainObject,
  knownPermissions,
  type Permission,
  type PermissionRule,
  permissionsIn,
  rulesOf,
  settingFor,
} from "@atomic/workflows/internal/permission/rules";
import type { AgentRight, Capability, RightLevel } from "../../packages/capability.ts";

/** An agent's rules, in order. OpenCode puts its own rules in front of the agent's. */
export interface AgentAccess {
  readonly defaults: readonly PermissionRule[];
  readonly own: readonly PermissionRule[];
}

const SHOWN: Readonly<Record<Action, string>> = { deny: "no", ask: "asks", allow: "yes" };
/** Tools under the permission `edit`; as separate permissions they have no effect. */
const DEAD = new Set(["write", "patch", "apply_patch", "multiedit", "notebookedit"]);

/** OpenCode's rules for every agent. Folders of its own outside the project, which it allows, are left out. */
const DEFAULTS = rulesOf({
  ...{ "*": "allow", doom_loop: "ask", external_directory: "ask" },
  ...{ question: "deny", plan_enter: "deny", plan_exit: "deny" },
  read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
});
/** What OpenCode's own agents of these names may do besides what they inherit, and with them a file of that name. */
const BUILTIN: ReadonlyMap<string, Permission> = new Map<string, Permission>([
  ["build", { question: "allow", plan_enter: "allow" }],
  ["plan", { question: "allow", plan_exit: "allow" }],
  ["explore", { external_directory: "ask" }],
]);

/** From the text of an agent's file, written for OpenCode or for Claude Code. */
export function readAgentAccess(text: string, name: string): AgentAccess {
  const { values, complete } = parseFrontmatter(text);
  const all = (action: Action): AgentAccess => ({ defaults: [], own: [{ permission: "*", pattern: "*", action }] });
  // What it restricts is unknown, so nothing counts as restricted.
  if (!complete) return all("allow");
  if (values.disable === true) return all("deny");
  const defaults = [...DEFAULTS, ...inheritedRules(name, {}), ...rulesOf(BUILTIN.get(name) ?? {})];
  return { defaults, own: ownRules(values) };
}

/** The rules in an agent's frontmatter. */
export function ownRules({ tools, disallowedTools, permission }: Readonly<Record<string, unknown>>): PermissionRule[] {
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

/** `bash: asks, "git *" yes; everything else: OpenCode's defaults`. */
export function describeAccess(access: AgentAccess): string {
  const { defaults, own } = access;
  const isDefault = settingFor("*", own).size === 0;
  const rest = described(access, "*");
  const ownNames = new Set(permissionsIn(own));
  const named = permissionsIn([...defaults, ...own]).filter((name) => {
    if (name === "*" || ownNames.has(name)) return name !== "*";
    return described(access, name) !== (isDefault ? described({ defaults, own: [] }, name) : rest);
  });
  const others = `${named.length === 0 ? "everything" : "everything else"}: ${isDefault ? "OpenCode's defaults" : rest}`;
  return [...named.map((name) => `${name}: ${described(access, name)}`), others].join("; ");
}

/** `asks, "git *" yes`. */
function described({ defaults, own }: AgentAccess, permission: string): string {
  const setting = settingFor(permission, [...defaults, ...own]);
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
  ["leaving the project", ["external_directory"]],
];
const WITH_A_RIGHT = new Set(PERMISSIONS.flatMap(([, permissions]) => permissions));

/** The same in a few words, for people who compare many agents. */
export function rightsOf({ defaults, own }: AgentAccess): NonNullable<Capability["rights"]> {
  const rights: Partial<Record<AgentRight, RightLevel>> = {};
  const others = ["*", ...permissionsIn(own).filter((name) => !WITH_A_RIGHT.has(name))];
  for (const [right, permissions] of [...PERMISSIONS, ["other tools", others] as const]) {
    const actions = permissions.flatMap((name) => [...settingFor(name, [...defaults, ...own]).values()]);
    if (!actions.includes("allow")) {
      if (actions.includes("ask")) rights[right] = "after asking";
    } else rights[right] = actions.every((action) => action === "allow") ? "without asking" : "in part without asking";
  }
  return rights;
}

/** What an agent may do only after an update, one line for what changes alike; `held` is what the user's rules leave of it. */
export function widenedAccess(before: AgentAccess, after: AgentAccess, held: AgentAccess = after): string[] {
  const wider = widerNames(before, after);
  const wasNothing = describeAccess(before) === NOTHING;
  if (wider.length > 0 && wasNothing) return [changeOf("nothing", describeAccess(after), describeAccess(held))];
  const names = new Map<string, string[]>();
  for (const name of wider) {
    const [was, is, left] = [before, after, held].map((access) => described(access, name));
    const change = changeOf(was!, is!, left!);
    names.set(change, [...(names.get(change) ?? []), name === "*" ? "everything else" : name]);
  }
  return [...names].map(([change, each]) => `${each.join(", ")}: ${change}`);
}

const NOTHING = "everything: no";

function changeOf(was: string, is: string, left: string): string {
  return `${is} (before: ${was})${left === is ? "" : `, but your rules say ${left}`}`;
}

/** What an agent may do although the user's current rules, which would make it `limited`, forbid it. */
export function accessBeyond(limited: AgentAccess, access: AgentAccess): string[] {
  return widerNames(limited, access).map((name) => {
    const shown = name === "*" ? "everything else" : name;
    return `${shown}: ${described(access, name)}, but your rules say ${described(limited, name)}`;
  });
}

function widerNames(before: AgentAccess, after: AgentAccess): string[] {
  return widerPermissions([...before.defaults, ...before.own], [...after.defaults, ...after.own]);
}
