import { statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { compareDiagnostics } from "../diagnostic.ts";
import type { Entity, Provider } from "../entity.ts";
import { agentSkills } from "../formats/agent-skills.ts";
import { formats } from "../formats/all.ts";
import { basesOf, type InitializeOptions, initializeWorkflowsSDK } from "../initialize.ts";
import { loadPlace } from "../load.ts";
import { createEntityRegistry, type EntityRegistry } from "../registry.ts";
import { MOST_AGENTS } from "../tools/copilot.ts";
import { loadVerdicts, type ReadText, readOnce } from "../tools/load-verdicts.ts";
import { toolPlaceOf } from "../tools/places.ts";
import type { ToolVerdict } from "../tools/tool.ts";
import { knownNamesOf } from "./known-names.ts";
import type { LintFinding } from "./rule.ts";
import { rules } from "./rules/all.ts";
import { findStrayFiles } from "./stray-files.ts";
import { readSubject } from "./subject.ts";

/** `userPath` is the home folder whose entities a reference may name. Default: the user's own. */
export type LintOptions = Pick<InitializeOptions, "userPath" | "env">;

/**
 * Checks entity files: how each tool reads them, what no tool enforces, and what people cannot see. Each finding has a
 * stable code; the guide to entities explains them all. Nothing is changed or run.
 *
 * A path is a project, a file or folder in one, or skills outside of any project; a registry is checked as a whole.
 *
 * @example
 * for (const { path, line, code, message } of await lintEntities("/my/project")) {
 *   console.log(`${path}:${line ?? 1} ${code}: ${message}`);
 * }
 */
export async function lintEntities(
  target: EntityRegistry | string | readonly string[],
  options: LintOptions = {},
): Promise<LintFinding[]> {
  if (typeof target === "object" && "entries" in target && "register" in target) {
    return lintTarget({ registry: target, includes: () => true }, options).findings;
  }
  if (typeof target === "string") return lintTarget(await openTarget(target, options), options).findings;
  const findings: LintFinding[] = [];
  for (const path of new Set(target)) {
    const found = lintTarget(await openTarget(path, options), options).findings;
    for (const finding of found) findings.push(finding);
  }
  return inOrder(findings);
}

/** What `lintTarget` finds in a target. */
export interface LintReport {
  readonly findings: LintFinding[];
  /** What each tool makes of every entity in it. */
  readonly verdicts: readonly EntityVerdicts[];
}

/** Checks what `openTarget` opened. */
export function lintTarget({ registry, project, includes }: LintTarget, options: LintOptions): LintReport {
  const namesOf = knownNamesOf(registry);
  const entities = registry.entries().filter(({ source }) => source.location !== "builtin");
  const findings: LintFinding[] = registry.diagnostics().filter(({ path }) => includes(path));
  const stray = project === undefined ? [] : findStrayFiles(project, basesOf(options).userPath);
  for (const finding of [...tooManyAgents(entities), ...stray]) if (includes(finding.path)) findings.push(finding);
  const all: EntityVerdicts[] = [];
  const read = readOnce();
  for (const { entity, verdicts } of verdictsOf(entities, read, includes)) {
    all.push({ entity, verdicts });
    const name = registry.qualifiedName(entity);
    for (const diagnostic of entity.diagnostics) findings.push({ ...diagnostic, entity: name });
    const subject = readSubject(entity, { registry, namesOf, verdicts }, read);
    // The file may have been deleted since it was loaded.
    if ("severity" in subject) {
      findings.push({ ...subject, entity: name });
      continue;
    }
    const { path } = entity.source;
    for (const { check, code, severity } of rules) {
      for (const { message, hint, at } of check(subject)) {
        findings.push({
          severity,
          code,
          message,
          ...(path !== undefined && { path }),
          ...subject.positionOf(at),
          ...(typeof at === "number" && subject.text !== undefined && { offset: at }),
          ...(hint !== undefined && { hint }),
          entity: name,
        });
      }
    }
  }
  return { findings: inOrder(findings), verdicts: all };
}

/** Without what was found twice. */
function inOrder(findings: readonly LintFinding[]): LintFinding[] {
  const distinct = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...distinct.values()].sort(compareDiagnostics);
}

/** One finding for each folder: none of its files is to blame. */
function tooManyAgents(entities: readonly Entity[]): LintFinding[] {
  const filesIn = new Map<string, { readonly owner: Provider; readonly paths: Set<string> }>();
  for (const { type, source } of entities) {
    const { path, relative = "" } = source;
    if (type !== "agent" || path === undefined || toolPlaceOf("copilot", source) === undefined) continue;
    if (relative.split("/").some((part) => part.startsWith("."))) continue;
    const folder = path.slice(0, -relative.length - 1);
    const files = filesIn.get(folder) ?? { owner: source.provider, paths: new Set() };
    files.paths.add(path);
    filesIn.set(folder, files);
  }
  return [...filesIn].flatMap(([path, { owner, paths }]): LintFinding[] => {
    const { size } = paths;
    if (size <= MOST_AGENTS) return [];
    // Copilot also reads Claude's agents, but most people write them for Claude alone.
    const severity = owner === "copilot" ? "warning" : "info";
    const message = `Copilot loads only ${MOST_AGENTS} of the ${size} agent files in this folder, and not always the same ones.`;
    const hint = "If you use Copilot, move some of them elsewhere.";
    return [{ severity, code: "agents-too-many", message, path, hint }];
  });
}

/** What a path on a command line means. */
export interface LintTarget {
  readonly registry: EntityRegistry;
  /** The project that it belongs to, if any. */
  readonly project?: string;
  /** Whether the target is this file or contains it. */
  readonly includes: (path: string | undefined) => boolean;
}

const placePaths: readonly string[] = formats.flatMap(({ places }) => places.map((place) => place.path));

/**
 * Opens a project, one of its folders or files, or skills outside of any project. The user's entities are loaded with
 * the project's, because references may name them.
 *
 * @example
 * const { registry, includes } = await openTarget("/my/project/.claude/agents", { userPath: homedir() });
 * registry.entries().filter(({ source }) => includes(source.path ?? ""));
 */
export async function openTarget(path: string, options: LintOptions = {}): Promise<LintTarget> {
  const wanted = resolve(path);
  const includes = (file: string | undefined): boolean =>
    file === wanted || file?.startsWith(wanted.endsWith(sep) ? wanted : wanted + sep) === true;
  let project: string | undefined;
  // A path belongs to a project if it is a place for entities, is inside one, or contains one.
  for (let at = dirname(wanted); project === undefined && at !== dirname(at); at = dirname(at)) {
    const inside = relative(at, wanted).replaceAll(sep, "/");
    const isOfPlace = placePaths.some(
      (place) => `${place}/`.startsWith(`${inside}/`) || inside.startsWith(`${place}/`),
    );
    if (isOfPlace) project = at;
  }
  // Outside of any project, the path may be a folder of skills, one of these skills, or a skill's file.
  let root: string | undefined;
  if (project === undefined) {
    const quiet = { throwIfNoEntry: false };
    if (basename(wanted) === "SKILL.md") root = dirname(dirname(wanted));
    else if (statSync(join(wanted, "SKILL.md"), quiet) !== undefined) root = dirname(wanted);
    else if (basename(wanted) === "skills" && statSync(wanted, quiet) !== undefined) root = wanted;
  }
  if (root === undefined) {
    project ??= wanted;
    const registry = await initializeWorkflowsSDK({ projectPath: project, ...options });
    return { registry, project, includes };
  }
  // A package or a repository of skills.
  const registry = createEntityRegistry();
  const [place] = agentSkills.places;
  if (place !== undefined) {
    const { entities, diagnostics } = loadPlace(place, root, "project");
    for (const entity of entities) registry.register(entity);
    for (const diagnostic of diagnostics) registry.report(diagnostic);
  }
  return { registry, includes };
}

/** What each tool does with one entity's file. */
export interface EntityVerdicts {
  readonly entity: Entity;
  readonly verdicts: readonly ToolVerdict[];
}

/**
 * For each entity: which tools load its file and under which name, or why not.
 *
 * @example
 * const registry = await initializeWorkflowsSDK();
 * for (const { entity, verdicts } of whoLoads(registry.entries())) {
 *   for (const { tool, loads, as, because } of verdicts) console.log(entity.name, tool, loads ? as : because);
 * }
 */
export function whoLoads(entities: Iterable<Entity>): EntityVerdicts[] {
  return [...verdictsOf([...entities], readOnce(), () => true)];
}

/** One after the other, so the file of the current one need not be read again. */
function* verdictsOf(
  all: readonly Entity[],
  read: ReadText,
  includes: LintTarget["includes"],
): Iterable<EntityVerdicts> {
  const skillFiles = new Map<string, Entity>();
  for (const entity of all) {
    if (/(?:^|\/)SKILL\.md$/.test(entity.source.relative ?? "")) skillFiles.set(keyOf(entity), entity);
  }
  for (const entity of all) {
    if (!includes(entity.source.path)) continue;
    // A SKILL.md in the same folder or above affects other files; comparing all entities with all would be quadratic.
    const folders = (entity.source.relative ?? "").split("/").slice(0, -1);
    const candidates = [[], ...folders.map((_, depth) => folders.slice(0, depth + 1))];
    const neighbours = candidates.flatMap(
      (parts) => skillFiles.get(keyOf(entity, [...parts, "SKILL.md"].join("/"))) ?? [],
    );
    yield { entity, verdicts: loadVerdicts(entity, neighbours, read) };
  }
}

function keyOf({ source: { path = "", relative = "" } }: Entity, file: string = relative): string {
  return path.slice(0, path.length - relative.length) + file;
}
