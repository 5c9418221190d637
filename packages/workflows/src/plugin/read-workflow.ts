import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Diagnostic, distinctInOrder } from "../entities/diagnostic.ts";
import { listFiles } from "../entities/discover.ts";
import { builtinAgents } from "../entities/lint/known-names.ts";
import { isObject } from "../graph/graph-shape.ts";
import { type Permission, readPermission } from "../permission/rules.ts";
import {
  type CheckedEntry,
  type EntryProblem,
  isUsable,
  nameProblem,
  readAgent,
  readCommand,
  readSkill,
  type WorkflowSkill,
} from "./entry-file.ts";
import { readListedNames } from "./listed-names.ts";
import type { AgentConfig, CommandConfig, McpConfig } from "./opencode-config.ts";

/** What a workflow brings, checked. Everything in it can go into OpenCode's config unchanged. */
export interface Workflow {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly commands: Readonly<Record<string, CommandConfig>>;
  readonly skills: readonly WorkflowSkill[];
  readonly mcp: Readonly<Record<string, McpConfig>>;
  /** For the tools that the workflow itself brings. */
  readonly permission: Permission;
  /** Agents whose files are left out. What they may do is unknown, so nothing may replace them. */
  readonly leftOut: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is not Markdown. */
export interface WorkflowExtras {
  readonly mcp?: Readonly<Record<string, McpConfig>> | undefined;
  readonly permission?: Permission | undefined;
  /** Also read what workflow.json does not list, for an author who is about to list it. */
  readonly isUnlisted?: boolean | undefined;
}

/**
 * Reads `agents`, `commands` and `skills` below `root`, plural or singular. If there is a `workflow.json`, only what it lists
 * is loaded, from the plural folders: that is what Hugo showed to the user. A file that OpenCode could not use, or that would
 * allow more than it says, is left out and gets an error in the diagnostics. Nothing on disk makes this function throw.
 */
export function readWorkflow(root: URL | string, extras: WorkflowExtras = {}): Workflow {
  const folder = rootPath(root);
  const { names, diagnostics: unlistable } =
    extras.isUnlisted === true ? { names: undefined, diagnostics: [] } : readListedNames(folder);
  const agents = readNamed(folder, ["agents", "agent"], names?.agents, readAgent, takenAgent);
  const commands = readNamed(folder, ["commands", "command"], names?.commands, readCommand, (name) => {
    if (name !== "init" && name !== "review") return undefined;
    const message = `/${name} replaces a built-in OpenCode command.`;
    const hint = "Rename the file if that is not what you want.";
    return { severity: "warning", code: "name-builtin", message, hint };
  });
  const skills = readSkills(folder, names?.skills);
  const isEmpty = [agents, commands, skills].every(
    ({ entries, diagnostics }) => Object.keys(entries).length === 0 && isUsable(diagnostics),
  );
  const mcp = readAll(Object.entries(extras.mcp ?? {}), checkMcp);
  const permission = readAll(Object.entries(extras.permission ?? {}), checkPermission);
  const found = [
    ...unlistable,
    ...[agents, commands, skills, mcp, permission].flatMap(({ diagnostics }) => diagnostics),
  ];
  if (isEmpty && isUsable(found)) {
    const message = "This folder has no agents, commands or skills.";
    const hint =
      'Check "root" in defineWorkflow(): it must be the folder that contains agents/, commands/ and skills/.';
    found.push({ severity: "warning", code: "workflow-empty", message, path: folder, hint });
  }
  return {
    agents: agents.entries,
    commands: commands.entries,
    skills: skills.entries,
    mcp: mcp.entries,
    permission: permission.entries,
    // OpenCode has its own agent with such a name, which the user's settings are for.
    leftOut: agents.leftOut.filter((name) => takenAgent(name) === undefined),
    diagnostics: distinctInOrder(found),
  };
}

export function rootPath(root: URL | string): string {
  return root instanceof URL || root.startsWith("file:") ? fileURLToPath(root) : root;
}

interface Named<Config> {
  readonly entries: Readonly<Record<string, Config>>;
  readonly leftOut: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

function readNamed<Config>(
  root: string,
  folders: readonly string[],
  listed: ReadonlySet<string> | undefined,
  read: (path: string, name: string) => CheckedEntry<Config>,
  problemWith: (name: string) => EntryProblem | undefined,
): Named<Config> {
  const lists = folders.map((folder) => listFiles(join(root, folder), { pattern: "**/*.md" }));
  const seen = new Set<string>();
  const all = lists.flatMap((list) => list.files).map((file) => [file.relative.slice(0, -".md".length), file] as const);
  const isListed = ([name, { path }]: (typeof all)[number]): boolean =>
    listed === undefined || (listed.has(name) && path === join(root, folders[0]!, `${name}.md`));
  const files = all.filter(isListed);
  const unlisted = all.filter((file) => !isListed(file));
  const named = readAll(files, (name, { path }): CheckedEntry<Config> => {
    const problem = nameProblem(name) ?? problemWith(name) ?? (seen.has(name) ? duplicate(name) : undefined);
    seen.add(name);
    if (problem === undefined) return read(path, name);
    const entry = problem.severity === "error" ? { diagnostics: [] } : read(path, name);
    return { ...entry, diagnostics: [{ ...problem, path }, ...entry.diagnostics] };
  });
  const names = unlisted.map(([name]) => name).filter((name) => !files.some(([taken]) => taken === name));
  return {
    ...named,
    leftOut: [...named.leftOut, ...names],
    diagnostics: [
      ...lists.flatMap((list) => list.diagnostics),
      ...unlisted.map(([, { path }]) => notListed(path)),
      ...named.diagnostics,
    ],
  };
}

function notListed(path: string): Diagnostic {
  const message = "This file is not loaded, because workflow.json does not list it.";
  const hint = "Run `hugo build` in the workflow package to list it.";
  return { severity: "warning", code: "not-listed", message, path, hint };
}

function readAll<From, Config>(
  from: readonly (readonly [string, From])[],
  read: (name: string, from: From) => CheckedEntry<Config>,
): Named<Config> {
  const results = from.map(([name, item]) => [name, read(name, item)] as const);
  const usable = results.flatMap(([name, { config }]) => (config === undefined ? [] : [[name, config] as const]));
  const entries = Object.fromEntries(usable);
  return {
    entries,
    leftOut: results.flatMap(([name]) => (Object.hasOwn(entries, name) ? [] : [name])),
    diagnostics: results.flatMap(([, { diagnostics }]) => diagnostics),
  };
}

function readSkills(
  root: string,
  listed: ReadonlySet<string> | undefined,
): {
  readonly entries: readonly WorkflowSkill[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const lists = ["skills", "skill"].map((folder) => listFiles(join(root, folder), { pattern: "**/SKILL.md" }));
  const files = lists.flatMap((list) => list.files);
  const taken = new Set([...(listed ?? [])].map((name) => join(root, "skills", name, "SKILL.md")));
  const skills = new Map<string, WorkflowSkill>();
  const diagnostics = lists.flatMap((list) => list.diagnostics);
  for (const { path } of files) {
    if (listed !== undefined && !taken.has(path)) {
      diagnostics.push(notListed(path));
      continue;
    }
    const { config, diagnostics: found } = readSkill(path);
    diagnostics.push(...found);
    if (config === undefined) continue;
    const { name, folder } = config;
    // OpenCode looks for skills in the whole folder it is given, so the inner skill would come along unchecked.
    const inner = files.find((file) => file.path.startsWith(folder + sep) && file.path !== join(folder, "SKILL.md"));
    if (skills.has(name)) diagnostics.push({ ...duplicate(name), path });
    else if (inner === undefined) skills.set(name, config);
    else {
      const message = `This skill contains another skill: ${inner.relative}.`;
      const hint = "Move the inner skill into its own folder next to this one.";
      diagnostics.push({ severity: "error", code: "skill-nested", message, path, hint });
    }
  }
  return { entries: [...skills.values()], diagnostics };
}

function duplicate(name: string): EntryProblem {
  const message = `This workflow has more than one "${name}".`;
  return { severity: "error", code: "name-duplicate", message, hint: "Rename or remove one of them." };
}

function takenAgent(name: string): EntryProblem | undefined {
  if (!builtinAgents.opencode.has(name)) return undefined;
  const message = `"${name}" is a built-in OpenCode agent, which a workflow cannot change.`;
  return { severity: "error", code: "name-builtin", message, hint: "Rename the file." };
}

interface KeyRule {
  readonly check: (value: unknown) => boolean;
  readonly isNeeded?: boolean;
  readonly expected: string;
}

const texts: KeyRule = {
  check: (value) => isObject(value) && Object.values(value).every((each) => typeof each === "string"),
  expected: "a map of names to strings",
};
const common: Readonly<Record<string, KeyRule>> = {
  enabled: { check: (value) => typeof value === "boolean", expected: "true or false" },
  timeout: {
    check: (value) => Number.isInteger(value) && Number(value) > 0,
    expected: "a whole number of milliseconds",
  },
};
const local: Readonly<Record<string, KeyRule>> = {
  command: {
    check: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"),
    isNeeded: true,
    expected: 'a list such as ["npx", "-y", "server"]',
  },
  cwd: { check: (value) => typeof value === "string", expected: "a path" },
  environment: texts,
  ...common,
};
const remote: Readonly<Record<string, KeyRule>> = {
  url: {
    check: (value) => typeof value === "string" && URL.canParse(value) && /^https?:/.test(value),
    isNeeded: true,
    expected: "an http or https URL",
  },
  headers: texts,
  oauth: { check: (value) => value === false || isObject(value), expected: "an object with settings, or false" },
  ...common,
};
const shapes: ReadonlyMap<unknown, Readonly<Record<string, KeyRule>>> = new Map([
  ["local", local],
  ["remote", remote],
]);

/** An MCP server as OpenCode wants it. OpenCode would drop another tool's shape with only a line in its log. */
function checkMcp(name: string, entry: unknown): CheckedEntry<McpConfig> {
  const diagnostics: EntryProblem[] = [nameProblem(name) ?? []].flat();
  const refuse = (what: string): void => {
    const message = `The MCP server ${JSON.stringify(name)} ${what}.`;
    const hint = "Use the same format as in opencode.json.";
    diagnostics.push({ severity: "error", code: "mcp-unaccepted", message, hint });
  };
  const shape = isObject(entry) ? shapes.get(entry.type) : undefined;
  if (!isObject(entry) || shape === undefined) {
    refuse(`needs "type": "local" with a command, or "remote" with a url`);
    return { diagnostics };
  }
  for (const [key, { isNeeded, expected }] of Object.entries(shape)) {
    if (isNeeded === true && entry[key] === undefined) refuse(`has no "${key}", ${expected}`);
  }
  for (const [key, value] of Object.entries(entry)) {
    if (key === "type" || value === undefined) continue;
    const rule = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (rule === undefined) refuse(`has a key that a ${entry.type} server does not support: "${key}"`);
    else if (!rule.check(value)) refuse(`has a "${key}" that is not ${rule.expected}`);
  }
  // OpenCode expands these only in its own files, so the server would get the braces.
  if (/\{(?:env|file):/.test(JSON.stringify(entry))) {
    const message = `The MCP server ${JSON.stringify(name)} contains {env:…} or {file:…}, which OpenCode does not expand here.`;
    const hint = "Use process.env in the plugin's source.";
    diagnostics.push({ severity: "warning", code: "mcp-unexpanded", message, hint });
  }
  if (!isUsable(diagnostics)) return { diagnostics };
  return { config: structuredClone(entry) as unknown as McpConfig, diagnostics };
}

const opencodePermissions = new Set(
  [
    "read edit write patch apply_patch multiedit glob grep list bash task external_directory todowrite todoread question",
    "webfetch websearch lsp doom_loop skill plan_enter plan_exit invalid",
  ].flatMap((line) => line.split(" ")),
);

/** A permission that a workflow sets for every agent. It may only name the workflow's own tools. */
function checkPermission(name: string, setting: unknown): CheckedEntry<Permission[string]> {
  const shown = JSON.stringify(name);
  if (opencodePermissions.has(name) || /[*?]/.test(name)) {
    const message = `The permission ${shown} would apply to every agent, not only the workflow's agents.`;
    const hint = "Set it in the agents it is meant for; only the workflow's own tools can be named here.";
    return { diagnostics: [{ severity: "error", code: "permission-foreign", message, hint }] };
  }
  const config = readPermission({ [name]: setting })[name];
  if (config !== undefined) return { config, diagnostics: [] };
  const message = `The permission ${shown} must be allow, ask or deny, or a map from patterns to these.`;
  const hint = 'Write "ask" to let the user decide.';
  return { diagnostics: [{ severity: "error", code: "value-unaccepted", message, hint }] };
}
