// What an agent may do once OpenCode has loaded it: OpenCode's own rules, not ours, which would be narrower.
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { combineTools } from "@atomic/workflows/internal/entities/normalize/combine";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { widerPermissions } from "@atomic/workflows/internal/permission/compare";
import {
  exceptionsIn,
  generalAction,
  knownPermissions,
  permissionsIn,
  type Setting,
  settingFor,
} from "@atomic/workflows/internal/permission/fold";
import {
  type Action,
  agentPermission,
  isPlainObject,
  type Permission,
  type PermissionRule,
  rulesOf,
} from "@atomic/workflows/internal/permission/rules";

/** The rules of one agent, in order; none means that it may do everything. */
export type AgentAccess = readonly PermissionRule[];

type Values = Readonly<Record<string, unknown>>;

const SHOWN: Readonly<Record<Action, string>> = { deny: "no", ask: "asks", allow: "yes" };
/** Tools that go by the permission `edit`; as a permission of their own they have no effect. */
const DEAD = new Set(["write", "patch", "apply_patch", "multiedit", "notebookedit"]);
/** From the text of an agent's file, be it written for OpenCode or for Claude Code. */
export function readAgentAccess(text: string): AgentAccess {
  const { values, complete } = parseFrontmatter(text);
  // Nobody knows what it restricts, so nothing may be taken for restricted.
  return complete ? accessOf(values) : [];
}

export function accessOf({ tools, disallowedTools, permission }: Values): AgentAccess {
  // Switches are OpenCode's, lists are Claude's.
  const areSwitches = tools === undefined || isPlainObject(tools);
  const lists = rulesOfTools(areSwitches ? undefined : tools, disallowedTools);
  return [...lists, ...rulesOfPermission(agentPermission({ ...(areSwitches && { tools }), permission }))];
}

/** Lists of Claude's, whose names have been made OpenCode's. */
function rulesOfTools(tools: unknown, disallowedTools: unknown): PermissionRule[] {
  const normal = combineTools(
    normalizeTools(tools, { provider: "claude" }),
    normalizeDisallowedTools(disallowedTools, { provider: "claude" }),
  );
  if (normal.kind !== "restricted") return [];
  const { allow, ask = [], deny = [] } = normal.restrictions;
  const rules = (list: typeof deny, action: Action): PermissionRule[] =>
    list.map(({ tool, pattern = "*" }) => ({ permission: DEAD.has(tool) ? "edit" : tool, pattern, action }));
  return [
    ...(allow === undefined ? [] : [{ permission: "*", pattern: "*", action: "deny" } as const]),
    ...rules(ask, "ask"),
    ...rules(allow ?? [], "allow"),
    ...rules(deny, "deny"),
  ];
}

function rulesOfPermission(permission: Permission): PermissionRule[] {
  const live = rulesOf(permission).filter((rule) => !DEAD.has(rule.permission));
  return live.filter((rule) => rule.action === "allow" || !isMisspelt(rule.permission));
}

/** `Edit` restricts nothing that is called `edit`. */
function isMisspelt(name: string): boolean {
  const lower = name.toLowerCase();
  return lower !== name && (knownPermissions.includes(lower) || DEAD.has(lower));
}

/** What holds for all uses of a permission; undefined if that depends on the use. */
export function plainAction(access: AgentAccess, permission: string): Action | undefined {
  const setting = settingFor(permission, access);
  return exceptionsIn(setting).length === 0 ? generalAction(setting) : undefined;
}

/** `bash: asks, "git *" yes; everything else: yes`. */
export function describeAccess(access: AgentAccess): string {
  const named = permissionsIn(access).filter((name) => name !== "*");
  const rest = `${named.length === 0 ? "everything" : "everything else"}: ${describe(settingFor("*", access))}`;
  return [...named.map((name) => `${name}: ${describe(settingFor(name, access))}`), rest].join("; ");
}

function describe(setting: Setting): string {
  const exceptions = exceptionsIn(setting).map(([pattern, action]) => `"${pattern}" ${SHOWN[action]}`);
  return [SHOWN[generalAction(setting)], ...exceptions].join(", ");
}

/** What an agent may do after an update that it may not do before, one line a permission; `held` is what the user leaves of it. */
export function widenedAccess(before: AgentAccess, after: AgentAccess, held: AgentAccess = after): string[] {
  return widerPermissions(before, after).map((name) => {
    const [was, is, left] = [before, after, held].map((access) => describe(settingFor(name, access)));
    return `${shownName(name)}: ${is} (before: ${was})${left === is ? "" : `, but your rules say ${left}`}`;
  });
}

/** What an agent may do although the user's rules, under which it would be `limited`, say otherwise now. */
export function accessBeyond(limited: AgentAccess, access: AgentAccess): string[] {
  return widerPermissions(limited, access).map((name) => {
    const [rule, is] = [limited, access].map((each) => describe(settingFor(name, each)));
    return `${shownName(name)}: ${is}, but your rules say ${rule}`;
  });
}

function shownName(permission: string): string {
  return permission === "*" ? "everything else" : permission;
}
