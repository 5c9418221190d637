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

export interface ReadLock {
  readonly plugins: readonly LockedPlugin[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Workflows whose files Hugo copied are left out: OpenCode finds those in its folders, and so do we. */
export function readLock(file: SourceFile): ReadLock {
  const lock = parseConfig(file);
  if (lock.kind === "broken") return { plugins: [], diagnostics: [lock.diagnostic] };
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
  const diagnostics: Diagnostic[] = [];
  for (const { key, value, start } of new Map(workflows.properties.map((each) => [each.key.value, each])).values()) {
    const at = positionOf(start);
    const workflow = readWorkflow(value);
    if (typeof workflow === "string") diagnostics.push(refuse(`says of ${shown(key.value)} ${workflow}.`, at));
    else if (workflow !== undefined) plugins.push({ ...workflow, name: key.value, at });
  }
  return { plugins, diagnostics };
}

export function lockProblem(path: string, problem: string, at: Position): Diagnostic {
  const message = `hugo.json ${problem}`;
  const hint = "Restore it from version control, then run `hugo ci`.";
  return { severity: "error", code: "hugo-lock-invalid", message, path, ...at, hint };
}

function nothing(diagnostic: Diagnostic): ReadLock {
  return { plugins: [], diagnostics: [diagnostic] };
}

/** Of two properties with one name the last counts, as everywhere. */
function last(properties: readonly PropertyNode[], name: string): JsonNode | undefined {
  return properties.findLast(({ key }) => key.value === name)?.value;
}

type Facts = Omit<LockedPlugin, "name" | "at">;

/** What it says, what is wrong with that, or nothing if it is no plugin. */
function readWorkflow(node: JsonNode): Facts | string | undefined {
  if (node.kind !== "object") return "nothing that describes a workflow";
  const { delivery, package: packageName, tree, agents, commands, skills } = toValue(node) as Record<string, unknown>;
  if (delivery === "copy") return undefined;
  if (delivery !== "plugin") return 'a "delivery" that is neither "plugin" nor "copy"';
  if (typeof packageName !== "string" || packageName === "") return 'no "package"';
  if (tree !== undefined && !isHash(tree)) return 'a "tree" that is no hash';
  if (!isNames(agents) || !isNames(commands) || !isNames(skills)) return "no names of agents, commands or skills";
  return { packageName, ...(tree !== undefined && { tree }), agents, commands, skills };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^sha256:[\da-f]{64}$/.test(value);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
