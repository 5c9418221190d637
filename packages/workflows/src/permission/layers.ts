// Combines rules of several owners. Permissions are ordered rules of which the last match counts, and OpenCode puts an
// agent's own rules after the user's general ones, so the order decides whose rule wins.
import {
  type Action,
  narrowest,
  type PatternActions,
  type Permission,
  type PermissionRule,
  permissionOfSwitches,
  putLast,
  rulesOf,
  settingFor,
  withoutPatterns,
} from "./rules.ts";
import { isWildcard } from "./wildcard.ts";

/**
 * The rules of `over` after those of `under`. An object has a key in one place only, so a name takes its earlier rules along;
 * but a wildcard that did so would open what others have closed since.
 */
export function layerPermission(under: Permission, over: Permission): Permission {
  const rules = [...rulesOf(under), ...rulesOf(over)];
  const least = narrowest(rules.map(({ action }) => action));
  const layered = new Map(Object.entries(under));
  for (const [key, setting] of Object.entries(over)) {
    const isNew = !layered.has(key);
    // The same wildcard, spelled differently: two stars match like one, except in a final ` *`, which may be its only star.
    const star = key.search(/\*(?!$)|(?<! )\*$/);
    let value = setting;
    if (typeof setting === "object" && !isWildcard(key)) value = flat(settingFor(key, rules));
    else if (typeof setting === "object" && (isNew || star !== -1)) {
      let free = key;
      while (layered.has(free)) free = `${free.slice(0, star)}*${free.slice(star)}`;
      layered.set(free, setting);
      continue;
    } else if (typeof setting === "object") {
      // All patterns of both, none of which opens anything.
      const patterns = [layered.get(key), setting].flatMap((each) =>
        typeof each === "object" ? Object.keys(each) : ["*"],
      );
      value = Object.fromEntries(patterns.map((pattern) => [pattern, least]));
    }
    layered.delete(key);
    layered.set(key, value);
  }
  return inOrder(layered, least);
}

/**
 * The rules, limited to what the user's general permissions grant: never wider than `rules`, never wider than `limit`.
 * Narrower than both where two patterns overlap, because no pattern says what they have in common.
 */
export function capPermission(rules: Permission, limit: Permission): Permission {
  const [own, general] = [rulesOf(rules), rulesOf(limit)];
  const wild = own.filter(({ permission }) => isWildcard(permission));
  const least = narrowest(wild.map(({ action }) => action));
  const floor = narrowest([...own, ...general].map(({ action }) => action));
  const closing = wild.length === 0 ? new Map<string, PatternActions>() : closingWildcards(wild, general, least);
  const capped = new Map<string, PatternActions>();
  for (const { permission } of wild) {
    const setting = settingOf(permission, own);
    if (!closing.has(permission)) capped.set(permission, within(setting, settingFor(permission, general), least));
  }
  for (const [name, setting] of closing) capped.set(name, setting);
  const names = [...own, ...(wild.length === 0 ? [] : general)].map(({ permission }) => permission);
  for (const name of new Set(names.filter((each) => !isWildcard(each)))) {
    // What both allow.
    const [mine, most] = [settingFor(name, own), settingFor(name, general)];
    const whole = most.get("*");
    const both = within(mine, most, narrowest(mine.values()));
    capped.set(name, whole === undefined || mine.has("*") ? both : new Map([["*", whole], ...both]));
  }
  const settings = [...capped].map(([name, setting]) => {
    return [name, withoutPatterns.has(name) ? narrowest(setting.values()) : flat(setting)] as const;
  });
  return inOrder(new Map(settings), floor);
}

/**
 * Which tools two wildcards share is unknown, so what the user's wildcards close comes last. An agent's wildcard of the same
 * name has to come along, and opens no more than any other.
 */
function closingWildcards(
  wild: readonly PermissionRule[],
  general: readonly PermissionRule[],
  least: Action,
): Map<string, PatternActions> {
  const others = general.filter(({ permission }) => isWildcard(permission) && permission !== "*");
  const floor = narrowest([least, ...general.map(({ action }) => action)]);
  const closing = new Map<string, PatternActions>();
  for (const { permission } of others) {
    const most = narrowest([least, ...settingFor(permission, general).values()]);
    const closed = [...settingOf(permission, others)].filter(([, action]) => action !== "allow");
    if (closed.length === 0) continue;
    const setting = new Map<string, Action>();
    for (const pattern of settingOf(permission, wild).keys()) setting.set(pattern, floor);
    for (const [pattern, action] of closed) putLast(setting, pattern, narrowest([action, most]));
    closing.set(permission, setting);
  }
  return closing;
}

/** The agent's own patterns up to the limit, then the limit's patterns, which open no more than `least`. */
function within(own: PatternActions, limit: PatternActions, least: Action): PatternActions {
  const most = limit.get("*") ?? "allow";
  const met = new Map([...own].map(([pattern, action]) => [pattern, narrowest([action, most])]));
  for (const [pattern, action] of limit) if (pattern !== "*") putLast(met, pattern, narrowest([action, least]));
  return met;
}

/** What the rules for exactly this permission say. */
function settingOf(permission: string, rules: readonly PermissionRule[]): PatternActions {
  const own = rules.filter((rule) => rule.permission === permission);
  return settingFor(permission, own);
}

function flat(setting: PatternActions): Permission[string] {
  const whole = setting.get("*");
  return whole !== undefined && setting.size === 1 ? whole : inOrder(setting, narrowest(setting.values()));
}

/**
 * Converts to an object, which has keys like `42` first, wherever they were put: a denial after a `*` would be lost. Such a
 * key becomes `42*`, which stays in place and, because it is not exact, allows no more than any other key.
 */
function inOrder<Value>(map: ReadonlyMap<string, Value>, least: Value & Action): Record<string, Value> {
  const object = Object.fromEntries(map);
  const keys = [...map.keys()];
  if (Object.keys(object).every((key, i) => key === keys[i])) return object;
  const closed = keys.filter((key) => /^\d+$/.test(key)).map((key) => `${key}*`);
  const others = [...map].filter(([key]) => !/^\d+$/.test(key) && !closed.includes(key));
  return Object.fromEntries([...others, ...closed.map((key) => [key, least] as const)]);
}

/** A config file's keys that apply to every agent. */
export interface GeneralKeys {
  readonly tools?: Readonly<Record<string, boolean>>;
  readonly permission?: Permission;
}

/**
 * What several config files say together, in the order in which OpenCode reads them. OpenCode merges them key by key: a
 * later value replaces an earlier one in its position. Switches come before permissions.
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

/** OpenCode's own agents. Files with the same name change them, and inherit these rules. */
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
 * The rules that an OpenCode agent of this name has before its own: the built-in agent's, then the user's general ones.
 * OpenCode's defaults are not included: they are questions to you (about `.env` files, other folders), not limits that
 * anyone set, and a host that runs an agent elsewhere has its own settings for what to ask.
 */
export function inheritedRules(agent: string, general: Permission): PermissionRule[] {
  return [...rulesOf(builtinAgents.get(agent) ?? {}), ...rulesOf(general)];
}
