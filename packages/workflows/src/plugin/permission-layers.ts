// Permissions are ordered rules, of which the last match wins; OpenCode puts an agent's own after the user's general
// ones. So the order in which a workflow's rules and the user's meet decides who has the last word.
import type { Action, PermissionRule } from "../normalize/permission-rules.ts";
import { covers } from "../normalize/restrictions.ts";
import { isToolMap } from "../normalize/tool-map.ts";
import type { Permission } from "./opencode-config.ts";

type Setting = ReadonlyMap<string, Action>;

const width: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 };

/** The rules of `over` after those of `under`. */
export function layerPermission(under: Permission, over: Permission): Permission {
  const rules = [...rulesOf(under), ...rulesOf(over)];
  const layered = new Map(Object.entries(under));
  for (const [key, setting] of Object.entries(over)) {
    const isWhole = typeof setting === "string";
    // A key stands in one place only. A wildcard that takes along what held before must not come after other rules.
    if (isWhole || !isWildcard(key)) layered.delete(key);
    layered.set(key, isWhole ? setting : flat(settingFor(key, rules)));
  }
  return Object.fromEntries(layered);
}

/**
 * The rules without what the user's general permissions do not grant: never wider than `rules`, never wider than
 * `limit`. It is narrower than both where two patterns overlap, since no pattern says what they have in common.
 */
export function capPermission(rules: Permission, limit: Permission): Permission {
  const [own, general] = [rulesOf(rules), rulesOf(limit)];
  const wild = own.filter(({ permission }) => isWildcard(permission));
  const least = narrowest(wild.map(({ action }) => action));
  const closing = wild.length === 0 ? new Map<string, Setting>() : closingWildcards(wild, general);
  const names = [...own, ...(wild.length === 0 ? [] : general)].map(({ permission }) => permission);
  const capped = new Map<string, Setting>();
  for (const { permission } of wild) {
    const setting = settingOf(permission, own);
    if (!closing.has(permission)) capped.set(permission, within(setting, settingFor(permission, general), least));
  }
  for (const [name, setting] of closing) capped.set(name, setting);
  for (const name of new Set(names)) {
    if (!isWildcard(name)) capped.set(name, meet(settingFor(name, own), settingFor(name, general)));
  }
  return Object.fromEntries([...capped].map(([name, setting]) => [name, flat(setting)]));
}

/**
 * Nobody knows which tools two wildcards share, so that what the user's close comes last, and an own one of the same
 * name, which has to come along, opens no more than any other.
 */
function closingWildcards(wild: readonly PermissionRule[], general: readonly PermissionRule[]): Map<string, Setting> {
  const others = general.filter(({ permission }) => isWildcard(permission) && permission !== "*");
  const least = narrowest(wild.map(({ action }) => action));
  const floor = narrowest([least, ...general.map(({ action }) => action)]);
  const closing = new Map<string, Setting>();
  for (const { permission } of others) {
    const most = narrowest([least, ...settingFor(permission, general).values()]);
    const closed = [...settingOf(permission, others)].filter(([, action]) => action !== "allow");
    const own = [...settingOf(permission, wild)].map(([pattern]) => [pattern, floor] as const);
    const narrowed = closed.map(([pattern, action]) => [pattern, narrowest([action, most])] as const);
    if (closed.length > 0) closing.set(permission, inOrder([...own, ...narrowed]));
  }
  return closing;
}

/** For one permission: what both allow. */
function meet(own: Setting, limit: Setting): Setting {
  const most = limit.get("*");
  const whole: Setting = new Map(most === undefined || own.has("*") ? [] : [["*", most]]);
  return new Map([...whole, ...within(own, limit, narrowest([...own.values()]))]);
}

/** The own patterns as far as the limit goes, then those of the limit, which open no more than `least`. */
function within(own: Setting, limit: Setting, least: Action): Setting {
  const most = limit.get("*") ?? "allow";
  const met = new Map([...own].map(([pattern, action]) => [pattern, narrowest([action, most])]));
  for (const [pattern, action] of limit) if (pattern !== "*") put(met, pattern, narrowest([action, least]));
  return met;
}

/** What the rules for this very permission say. */
function settingOf(permission: string, rules: readonly PermissionRule[]): Setting {
  return settingFor(
    permission,
    rules.filter((rule) => rule.permission === permission),
  );
}

/** What the rules say about one permission, by pattern, in order. */
function settingFor(permission: string, rules: readonly PermissionRule[]): Setting {
  const about = rules.filter((rule) => covers(rule.permission, permission));
  return inOrder(about.map(({ pattern, action }) => [pattern, action]));
}

function inOrder(patterns: readonly (readonly [string, Action])[]): Setting {
  const setting = new Map<string, Action>();
  for (const [pattern, action] of patterns) {
    if (pattern === "*") setting.clear();
    put(setting, pattern, action);
  }
  return setting;
}

function put(setting: Map<string, Action>, pattern: string, action: Action): void {
  setting.delete(pattern);
  setting.set(pattern, action);
}

function flat(setting: Setting): Permission[string] {
  const whole = setting.get("*");
  return whole !== undefined && setting.size === 1 ? whole : Object.fromEntries(setting);
}

function narrowest(actions: readonly Action[]): Action {
  return actions.reduce((least, action) => (width[action] < width[least] ? action : least), "allow");
}

function isWildcard(permission: string): boolean {
  return /[*?]/.test(permission);
}

/** A permission as a map. OpenCode has checked what comes from the user's files; another plugin may have put anything. */
export function readPermission(value: unknown): Permission {
  if (isAction(value)) return { "*": value };
  if (!isToolMap(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([, setting]) => isSetting(setting))) as Permission;
}

function isSetting(value: unknown): boolean {
  return isAction(value) || (isToolMap(value) && Object.values(value).every(isAction));
}

function isAction(value: unknown): value is Action {
  return typeof value === "string" && Object.hasOwn(width, value);
}

function rulesOf(permission: Permission): PermissionRule[] {
  return Object.entries(permission).flatMap(([name, setting]) => {
    const patterns = typeof setting === "string" ? [["*", setting] as const] : Object.entries(setting);
    return patterns.map(([pattern, action]) => ({ permission: name, pattern, action }));
  });
}
