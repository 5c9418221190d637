import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { compareDiagnostics, type Diagnostic } from "../entities/diagnostic.ts";
import { type FoundFile, listFiles } from "../entities/discover.ts";
import { builtinAgents } from "../entities/lint/known-names.ts";
import type { Permission } from "../permission/rules.ts";
import { checkMcp } from "./check-mcp.ts";
import { checkPermission } from "./check-permission.ts";
import { type Entry, type Finding, isUsable, nameProblem } from "./entry-file.ts";
import type { AgentConfig, CommandConfig, McpConfig } from "./opencode-config.ts";
import { readAgent } from "./read-agent.ts";
import { readCommand } from "./read-command.ts";
import { readSkill, type WorkflowSkill } from "./read-skill.ts";

/** What a workflow brings, checked. Everything in it can go into OpenCode's config as it is. */
export interface Workflow {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly commands: Readonly<Record<string, CommandConfig>>;
  readonly skills: readonly WorkflowSkill[];
  readonly mcp: Readonly<Record<string, McpConfig>>;
  /** For the tools that the workflow itself brings. */
  readonly permission: Permission;
  /** Agents whose files are left out. Nobody knows what they may do, so nothing may stand in for them. */
  readonly leftOut: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is not Markdown. */
export interface WorkflowExtras {
  readonly mcp?: Readonly<Record<string, McpConfig>> | undefined;
  readonly permission?: Permission | undefined;
}

/**
 * Reads `agents`, `commands` and `skills` below `root`, in the plural or the singular. A file that OpenCode could not use,
 * or that would be wider than it says, is left out alone and has an error among the diagnostics. Nothing on the disk makes it throw.
 *
 * @example
 * const { agents, diagnostics } = readWorkflow(new URL("..", import.meta.url));
 */
export function readWorkflow(root: URL | string, extras: WorkflowExtras = {}): Workflow {
  const folder = rootPath(root);
  const agents = readNamed(folder, ["agents", "agent"], readAgent, takenAgent);
  const commands = readNamed(folder, ["commands", "command"], readCommand, takenCommand);
  const skills = readSkills(folder);
  const mcp = readAll(Object.entries(extras.mcp ?? {}), checkMcp);
  const permission = readAll(Object.entries(extras.permission ?? {}), checkPermission);
  const found = [agents, commands, skills, mcp, permission].flatMap(({ diagnostics }) => diagnostics);
  return {
    agents: agents.entries,
    commands: commands.entries,
    skills: skills.entries,
    mcp: mcp.entries,
    permission: permission.entries,
    // OpenCode has its own under such a name, and that is what a user's settings are for.
    leftOut: agents.leftOut.filter((name) => takenAgent(name) === undefined),
    diagnostics: [...found, ...emptiness(folder, agents, commands, skills)].toSorted(compareDiagnostics),
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
  read: (path: string, name: string) => Entry<Config>,
  problemWith: (name: string) => Finding | undefined,
): Named<Config> {
  const lists = folders.map((folder) => listFiles(join(root, folder), { pattern: "**/*.md" }));
  const seen = new Set<string>();
  const files = lists
    .flatMap((list) => list.files)
    .map((file) => [file.relative.slice(0, -".md".length), file] as const);
  const named = readAll(files, (name, { path }): Entry<Config> => {
    const problem = nameProblem(name) ?? problemWith(name) ?? (seen.has(name) ? duplicate(name) : undefined);
    seen.add(name);
    if (problem === undefined) return read(path, name);
    const entry = problem.severity === "error" ? { diagnostics: [] } : read(path, name);
    return { ...entry, diagnostics: [{ ...problem, path }, ...entry.diagnostics] };
  });
  return { ...named, diagnostics: [...lists.flatMap((list) => list.diagnostics), ...named.diagnostics] };
}

function readAll<From, Config>(
  from: readonly (readonly [string, From])[],
  read: (name: string, from: From) => Entry<Config>,
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

interface Skills {
  readonly entries: readonly WorkflowSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

function readSkills(root: string): Skills {
  const lists = ["skills", "skill"].map((folder) => listFiles(join(root, folder), { pattern: "**/SKILL.md" }));
  const files = lists.flatMap((list) => list.files);
  const skills = new Map<string, WorkflowSkill>();
  const diagnostics = lists.flatMap((list) => list.diagnostics);
  for (const { path } of files) {
    const { config, diagnostics: found } = readSkill(path);
    diagnostics.push(...found);
    if (config === undefined) continue;
    const problem = skills.has(config.name) ? duplicate(config.name) : nesting(config, files);
    if (problem === undefined) skills.set(config.name, config);
    else diagnostics.push({ ...problem, path });
  }
  return { entries: [...skills.values()], diagnostics };
}

/** OpenCode looks for skills in all of the folder that it is given: the inner one would come along unchecked. */
function nesting({ folder }: WorkflowSkill, files: readonly FoundFile[]): Finding | undefined {
  const inner = files.find(({ path }) => path.startsWith(folder + sep) && path !== join(folder, "SKILL.md"));
  if (inner === undefined) return undefined;
  const message = `Another skill lies inside this one: ${inner.relative}.`;
  return { severity: "error", code: "skill-nested", message, hint: "Put them side by side." };
}

function duplicate(name: string): Finding {
  const message = `There is another "${name}" in this workflow.`;
  return { severity: "error", code: "name-duplicate", message, hint: "Rename one, or remove one." };
}

function takenAgent(name: string): Finding | undefined {
  if (!builtinAgents("opencode").has(name)) return undefined;
  const message = `"${name}" is an agent of OpenCode itself, which a workflow does not change.`;
  return { severity: "error", code: "name-builtin", message, hint: "Rename the file." };
}

function takenCommand(name: string): Finding | undefined {
  if (name !== "init" && name !== "review") return undefined;
  const message = `/${name} replaces a command of OpenCode itself.`;
  return { severity: "warning", code: "name-builtin", message, hint: "Rename the file if that is not what you want." };
}

function emptiness(root: string, ...parts: readonly (Named<unknown> | Skills)[]): Diagnostic[] {
  if (parts.some(({ entries, diagnostics }) => Object.keys(entries).length > 0 || !isUsable(diagnostics))) return [];
  const message = "There are no agents, commands or skills in this folder.";
  const hint = 'Check the "root" of defineWorkflow: it is the folder that holds agents/, commands/ and skills/.';
  return [{ severity: "warning", code: "workflow-empty", message, path: root, hint }];
}
