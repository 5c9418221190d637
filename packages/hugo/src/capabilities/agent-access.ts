// What an agent may do once OpenCode has loaded it: OpenCode's own rules, not ours, which would be narrower.
import { parseFrontmatter } from "@atomic/workflows/frontmatter/parse";
import { combineTools } from "@atomic/workflows/normalize/combine";
import { covers } from "@atomic/workflows/normalize/restrictions";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/normalize/tools";

type Action = "allow" | "ask" | "deny";

/** What holds for one permission: in general, and for patterns, of which the last match wins. */
interface Setting {
  readonly action: Action;
  readonly exceptions: ReadonlyMap<string, Action>;
}

interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: Action;
}

/** The rules of one agent, in order; none means that it may do everything. */
export type AgentAccess = readonly Rule[];

type Values = Readonly<Record<string, unknown>>;

const WIDTH: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 };
const SHOWN: Readonly<Record<Action, string>> = { deny: "no", ask: "asks", allow: "yes" };
/** Tools that go by the permission `edit`; as a permission of their own they have no effect. */
const DEAD = new Set(["write", "patch", "apply_patch", "multiedit", "notebookedit"]);
/** Those that OpenCode takes for `edit` in `tools`. It looks at the case of names, here and everywhere. */
const EDIT_SWITCHES = new Set(["write", "edit", "patch"]);
/** What OpenCode itself asks about. */
const KNOWN: readonly string[] = [
  ...["bash", "doom_loop", "edit", "external_directory", "glob", "grep", "list", "lsp", "question", "read", "skill"],
  ...["task", "todowrite", "webfetch", "websearch"],
];

/** From the text of an agent's file, be it written for OpenCode or for Claude Code. */
export function readAgentAccess(text: string): AgentAccess {
  const { values, complete } = parseFrontmatter(text);
  // Nobody knows what it restricts, so nothing may be taken for restricted.
  return complete ? accessOf(values) : [];
}

export function accessOf({ tools, disallowedTools, permission }: Values): AgentAccess {
  const stated = isAction(permission) ? { "*": permission } : isMap(permission) ? permission : {};
  if (tools === undefined || isMap(tools)) {
    // A permission takes the place of the switch with its name, and the last of all that match wins.
    return [...rulesOfTools(undefined, disallowedTools), ...rulesOfPermission({ ...switches(tools), ...stated })];
  }
  return [...rulesOfTools(tools, disallowedTools), ...rulesOfPermission(stated)];
}

function switches(tools: Values | undefined): Record<string, Action> {
  const permission: Record<string, Action> = {};
  for (const [tool, isOn] of Object.entries(tools ?? {})) {
    if (typeof isOn === "boolean") permission[EDIT_SWITCHES.has(tool) ? "edit" : tool] = isOn ? "allow" : "deny";
  }
  return permission;
}

/** Lists of Claude's, whose names have been made OpenCode's. */
function rulesOfTools(tools: unknown, disallowedTools: unknown): Rule[] {
  const normal = combineTools(
    normalizeTools(tools, { provider: "claude" }),
    normalizeDisallowedTools(disallowedTools, { provider: "claude" }),
  );
  if (normal.kind !== "restricted") return [];
  const { allow, ask = [], deny = [] } = normal.restrictions;
  const rules = (list: typeof deny, action: Action): Rule[] =>
    list.map(({ tool, pattern = "*" }) => ({ permission: DEAD.has(tool) ? "edit" : tool, pattern, action }));
  return [
    ...(allow === undefined ? [] : [whole("*", "deny")]),
    ...rules(ask, "ask"),
    ...rules(allow ?? [], "allow"),
    ...rules(deny, "deny"),
  ];
}

function rulesOfPermission(permission: Values): Rule[] {
  return Object.entries(permission).flatMap(([name, setting]): Rule[] => {
    if (DEAD.has(name)) return [];
    const patterns = isMap(setting) ? Object.entries(setting) : [["*", setting] as const];
    const rules = patterns.flatMap(([pattern, action]) =>
      isAction(action) ? [{ permission: name, pattern, action }] : [],
    );
    return isMisspelt(name) ? rules.filter(({ action }) => action === "allow") : rules;
  });
}

/** `Edit` restricts nothing that is called `edit`. */
function isMisspelt(name: string): boolean {
  const lower = name.toLowerCase();
  return lower !== name && (KNOWN.includes(lower) || DEAD.has(lower));
}

function whole(permission: string, action: Action): Rule {
  return { permission, pattern: "*", action };
}

/** What holds for all uses of a permission; undefined if that depends on the use. */
export function plainAction(access: AgentAccess, permission: string): Action | undefined {
  const { action, exceptions } = settingOf(permission, access);
  return exceptions.size === 0 ? action : undefined;
}

/** `bash: asks, "git *" yes; everything else: yes`. */
export function describeAccess(access: AgentAccess): string {
  const named = [...new Set([...permissionsIn(access), ...coveredBy(access)])].filter((name) => name !== "*").sort();
  return [...named.map((name) => `${name}: ${describe(settingOf(name, access))}`), rest(named, access)].join("; ");
}

/** Permissions that patterns of names decide about, so that nobody has to work out which pattern wins. */
function coveredBy(access: AgentAccess): string[] {
  const wild = permissionsIn(access).filter((name) => name !== "*" && /[*?]/.test(name));
  return KNOWN.filter((name) => wild.some((pattern) => covers(pattern, name)));
}

function rest(named: readonly string[], access: AgentAccess): string {
  return `${named.length === 0 ? "everything" : "everything else"}: ${describe(settingOf("*", access))}`;
}

function describe({ action, exceptions }: Setting): string {
  return [SHOWN[action], ...[...exceptions].map(([pattern, each]) => `"${pattern}" ${SHOWN[each]}`)].join(", ");
}

/** What an agent may do after an update that it may not do before, one line a permission. */
export function widenedAccess(before: AgentAccess, after: AgentAccess): string[] {
  const all = [before, after].flatMap((access) => [...permissionsIn(access), ...coveredBy(access)]);
  const names = new Set([...all, "*"]);
  return [...names].sort().flatMap((name) => {
    const [was, is] = [settingOf(name, before), settingOf(name, after)];
    const shown = name === "*" ? "everything else" : name;
    return isWider(was, is) ? [`${shown}: ${describe(is)} (before: ${describe(was)})`] : [];
  });
}

/** More than anybody writes by hand; to compare them all would take longer than to ask. */
const MOST_PATTERNS = 40;

/** Whether there is something that is allowed now and was not, or is no longer asked about. */
function isWider(was: Setting, is: Setting): boolean {
  if (describe(was) === describe(is)) return false;
  const patterns = [...new Set([...was.exceptions.keys(), ...is.exceptions.keys()])];
  if (WIDTH[is.action] > WIDTH[was.action] || patterns.length > MOST_PATTERNS) return true;
  return [...samplesOf(patterns)].some((sample) => WIDTH[actionFor(is, sample)] > WIDTH[actionFor(was, sample)]);
}

/** Of the patterns that match, the last wins, as in OpenCode. */
function actionFor({ action, exceptions }: Setting, subject: string): Action {
  return [...exceptions].findLast(([pattern]) => covers(pattern, subject))?.[1] ?? action;
}

/** Texts that the patterns match, alone and in every two of them together. */
function samplesOf(patterns: readonly string[]): Set<string> {
  const fill = (pattern: string, filling: string): string => pattern.replaceAll("*", filling).replaceAll("?", "x");
  const fillings = ["", "x", ...patterns.map((pattern) => fill(pattern, ""))];
  return new Set(patterns.flatMap((pattern) => fillings.map((filling) => fill(pattern, filling))));
}

function settingOf(permission: string, access: AgentAccess): Setting {
  let action: Action = "allow";
  const exceptions = new Map<string, Action>();
  for (const rule of access) {
    if (!covers(rule.permission, permission)) continue;
    if (rule.pattern === "*") {
      action = rule.action;
      exceptions.clear();
    } else {
      exceptions.delete(rule.pattern);
      exceptions.set(rule.pattern, rule.action);
    }
  }
  return { action, exceptions };
}

function permissionsIn(access: AgentAccess): string[] {
  return [...new Set(access.map(({ permission }) => permission))].sort();
}

function isAction(value: unknown): value is Action {
  return value === "allow" || value === "ask" || value === "deny";
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
