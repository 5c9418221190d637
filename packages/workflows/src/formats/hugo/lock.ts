// The few facts of a hugo.json that tell which entities are there. It may come from anybody, so that each is checked.
import { type Position, positionsOf } from "@atomic/durable-files/jsonc/position";
import type { JsonNode, PropertyNode } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { shown } from "@atomic/durable-files/names";
import type { Diagnostic } from "../../diagnostic.ts";
import type { SourceFile } from "../format.ts";
import { parseConfig } from "../opencode-config.ts";

/** A workflow that OpenCode loads as a plugin. */
export interface LockedPlugin {
  /** Of the workflow. */
  readonly name: string;
  readonly packageName: string;
  /** `sha256:` and 64 digits; missing after a migration from old state. */
  readonly tree?: string;
  /** Names, as their files have them. */
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  /** Where it stands in hugo.json. */
  readonly at: Position;
}

/** A workflow whose files lie in OpenCode's folders. Agents and the like are found there as anybody's are. */
export interface LockedCopy {
  readonly name: string;
  /** Modules of graphs, from the folder of the lock: `workflows/release.ts`. */
  readonly modules: readonly string[];
}

export interface ReadLock {
  readonly plugins: readonly LockedPlugin[];
  readonly copies: readonly LockedCopy[];
  readonly diagnostics: readonly Diagnostic[];
}

export function readLock(file: SourceFile): ReadLock {
  const lock = parseConfig(file);
  if (lock.kind === "broken") return { plugins: [], copies: [], diagnostics: [lock.diagnostic] };
  const positionOf = positionsOf(file.text);
  const refuse = (problem: string, at: Position): Diagnostic => lockProblem(file.path, problem, at);
  const root = lock.root;
  if (root?.kind !== "object") return nothing(refuse("is no object.", { line: 1, column: 1 }));
  const [version, workflows] = [last(root.properties, "version"), last(root.properties, "workflows")];
  if (version?.kind !== "number" || version.value !== 1)
    return nothing(refuse("has a version that is not known here.", positionOf(version?.start ?? root.start)));
  if (workflows?.kind !== "object")
    return nothing(refuse("has no list of workflows.", positionOf(workflows?.start ?? root.start)));
  const plugins: LockedPlugin[] = [];
  const copies: LockedCopy[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { key, value, start } of new Map(workflows.properties.map((each) => [each.key.value, each])).values()) {
    const at = positionOf(start);
    const workflow = readWorkflow(value);
    if (typeof workflow === "string") diagnostics.push(refuse(`says of ${shown(key.value)} ${workflow}.`, at));
    else if ("modules" in workflow) copies.push({ ...workflow, name: key.value });
    else plugins.push({ ...workflow, name: key.value, at });
  }
  return { plugins, copies, diagnostics };
}

export function lockProblem(path: string, problem: string, at: Position): Diagnostic {
  const message = `hugo.json ${problem}`;
  const hint = "Restore it from version control, then run `hugo ci`.";
  return { severity: "error", code: "hugo-lock-invalid", message, path, ...at, hint };
}

function nothing(diagnostic: Diagnostic): ReadLock {
  return { plugins: [], copies: [], diagnostics: [diagnostic] };
}

/** Of two properties with one name the last counts, as everywhere. */
function last(properties: readonly PropertyNode[], name: string): JsonNode | undefined {
  return properties.findLast(({ key }) => key.value === name)?.value;
}

type Facts = Omit<LockedPlugin, "name" | "at">;

/** What it says, or what is wrong with that. */
function readWorkflow(node: JsonNode): Facts | Omit<LockedCopy, "name"> | string {
  if (node.kind !== "object") return "nothing that describes a workflow";
  const value = toValue(node) as Record<string, unknown>;
  const { delivery, package: packageName, tree, agents, commands, skills } = value;
  if (delivery === "copy") return { modules: value.parked === true ? [] : modulesIn(value.files) };
  if (delivery !== "plugin") return 'a "delivery" that is neither "plugin" nor "copy"';
  if (typeof packageName !== "string" || packageName === "") return 'no "package"';
  if (tree !== undefined && !isHash(tree)) return 'a "tree" that is no hash';
  if (!isNames(agents) || !isNames(commands) || !isNames(skills)) return "no names of agents, commands or skills";
  return { packageName, ...(tree !== undefined && { tree }), agents, commands, skills };
}

/** Files in folders beside modules belong to those. What was left out or deleted is not there. */
function modulesIn(files: unknown): string[] {
  if (typeof files !== "object" || files === null) return [];
  return Object.keys(files).filter((path) => /^workflows\/[^/\\]+\.[jt]s$/.test(path));
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^sha256:[\da-f]{64}$/.test(value);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
