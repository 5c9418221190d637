// How rules of several owners come together. Permissions are ordered rules of which the last match counts, and OpenCode
// puts an agent's own behind the user's general ones, so the order in which they meet decides who has the last word.
import { putLast, type Setting, settingFor, withoutPatterns } from "./fold.ts";
import {
  type Action,
  narrowest,
  type Permission,
  type PermissionRule,
  permissionOfSwitches,
  rulesOf,
} from "./rules.ts";
import { isWildcard } from "./wildcard.ts";

/**
 * The rules of `over` after those of `under`. In an object a key stands in one place only: a name takes along what held for
 * it, but a wildcard that did so would open what others have closed since.
 */
export function layerPermission(under: Permission, over: Permission): Permission {
  const rules = [...rulesOf(under), ...rulesOf(over)];
  const least = narrowest(rules.map(({ action }) => action));
  const layered = new Map(Object.entries(under));
  for (const [key, setting] of Object.entries(over)) {
    const isNew = !layered.has(key);
    const free = isWildcard(key) ? freeWildcard(key, layered) : undefined;
    if (typeof setting === "string") putAtEnd(layered, key, setting);
    else if (!isWildcard(key)) putAtEnd(layered, key, flat(settingFor(key, rules)));
    else if (isNew || free !== undefined) layered.set(isNew ? key : (free ?? key), setting);
    else putAtEnd(layered, key, closedTo(least, layered.get(key), setting));
  }
  return inOrder(layered, least);
}

function putAtEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

/** The same wildcard in other letters: two stars are as one, save in a final ` *`. None if it has no other star. */
function freeWildcard(key: string, taken: ReadonlyMap<string, unknown>): string | undefined {
  const at = key.search(/\*(?!$)|(?<! )\*$/);
  if (at === -1) return undefined;
  let free = key;
  while (taken.has(free)) free = `${free.slice(0, at)}*${free.slice(at)}`;
  return free;
}

/** All patterns of both, none of which opens anything. */
function closedTo(least: Action, ...settings: readonly (Permission[string] | undefined)[]): Permission[string] {
  const patterns = settings.flatMap((setting) => (typeof setting === "object" ? Object.keys(setting) : ["*"]));
  return Object.fromEntries(patterns.map((pattern) => [pattern, least]));
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
  const floor = narrowest([...own, ...general].map(({ action }) => action));
  const settings = [...capped].map(([name, setting]) => {
    return [name, withoutPatterns.has(name) ? narrowest(setting.values()) : flat(setting)] as const;
  });
  return inOrder(new Map(settings), floor);
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
    if (closed.length === 0) continue;
    const setting = new Map<string, Action>(own);
    for (const [pattern, action] of narrowed) putLast(setting, pattern, action);
    closing.set(permission, setting);
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
  for (const [pattern, action] of limit) if (pattern !== "*") putLast(met, pattern, narrowest([action, least]));
  return met;
}

/** What the rules for this very permission say. */
function settingOf(permission: string, rules: readonly PermissionRule[]): Setting {
  return settingFor(
    permission,
    rules.filter((rule) => rule.permission === permission),
  );
}

function flat(setting: Setting): Permission[string] {
  const whole = setting.get("*");
  return whole !== undefined && setting.size === 1 ? whole : inOrder(setting, narrowest(setting.values()));
}

/**
 * As an object, which has keys like `42` first, wherever they were put: a denial behind a `*` would be lost. Such a key
 * becomes `42*`, which stays where it is, and which allows as little as any other so that it need not be exact.
 */
function inOrder<Value>(map: ReadonlyMap<string, Value>, least: Value & Action): Record<string, Value> {
  const object = Object.fromEntries(map);
  const keys = [...map.keys()];
  if (Object.keys(object).every((key, i) => key === keys[i])) return object;
  const isNumber = (key: string): boolean => /^\d+$/.test(key);
  const closed = keys.filter(isNumber).map((key) => `${key}*`);
  const others = [...map].filter(([key]) => !isNumber(key) && !closed.includes(key));
  return Object.fromEntries([...others, ...closed.map((key) => [key, least] as const)]);
}

/** The keys of a config file that hold for every agent. */
export interface GeneralKeys {
  readonly tools?: Readonly<Record<string, boolean>>;
  readonly permission?: Permission;
}

/**
 * What several config files say together, in the order in which OpenCode reads them. It merges them key by key: a later
 * value replaces an earlier one, in the position of the earlier one. Switches come before permissions.
 */
export function mergeGeneralKeys(files: readonly GeneralKeys[]): Permission {
  const switches: Permission = permissionOfSwitches(Object.assign({}, ...files.map(({ tools = {} }) => tools)));
  const permission = files.map((file) => file.permission ?? {}).reduce(mergePermission, {});
  return mergePermission(switches, permission);
}

/** `over` merged into `under` as OpenCode merges agents and config files. */
export function mergePermission(under: Permission, over: Permission): Permission {
  const merged = new Map(Object.entries(under));
  for (const [name, setting] of Object.entries(over)) {
    const before = merged.get(name);
    merged.set(name, typeof setting === "object" && typeof before === "object" ? { ...before, ...setting } : setting);
  }
  return Object.fromEntries(merged);
}

/** OpenCode's own agents. Files of the same name change them, and inherit these rules. */
const builtinAgents: ReadonlyMap<string, Permission> = new Map<string, Permission>([
  ["plan", { task: { general: "deny" }, edit: { "*": "deny", ".opencode/plans/*.md": "allow" } }],
  ["general", { todowrite: "deny" }],
  [
    "explore",
    {
      "*": "deny",
      ...Object.fromEntries("grep glob list bash webfetch websearch read".split(" ").map((name) => [name, "allow"])),
    },
  ],
  ...["compaction", "title", "summary"].map((name) => [name, { "*": "deny" }] as const),
]);

/**
 * The rules that an OpenCode agent of this name has before its own: those of the built-in agent, then the user's general
 * ones. OpenCode's defaults are not among them: they are questions to you (about `.env` files, other folders), not limits
 * that anyone set, and whoever runs an agent elsewhere has said there what to ask about.
 */
export function inheritedRules(agent: string, general: Permission): PermissionRule[] {
  return [...rulesOf(builtinAgents.get(agent) ?? {}), ...rulesOf(general)];
}
