import { statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { compareDiagnostics } from "../diagnostic.ts";
import type { Entity } from "../entity.ts";
import { agentSkills } from "../formats/agent-skills.ts";
import { formats } from "../formats/all.ts";
import { basesOf, type InitializeOptions, initializeWorkflowsSDK } from "../initialize.ts";
import { loadPlace } from "../load.ts";
import { createEntityRegistry, type EntityRegistry } from "../registry.ts";
import { loadVerdicts } from "../tools/load-verdicts.ts";
import type { ToolVerdict } from "../tools/tool.ts";
import { knownNamesOf } from "./known-names.ts";
import type { LintFinding } from "./rule.ts";
import { rules } from "./rules/all.ts";
import { findStrayFiles } from "./stray-files.ts";
import { readSubject } from "./subject.ts";

/** `userPath` is the home folder whose entities references may lead to. Default: the user's own. */
export type LintOptions = Pick<InitializeOptions, "userPath" | "env">;

/**
 * What is worth telling about entity files: what the tools make of them, what in them nobody heeds, and what cannot be
 * seen. Each finding has a stable code; `rules` and `loaderCodes` explain them all. Nothing is changed or run.
 *
 * A path is a project, a file or folder in one, or skills that lie anywhere; a registry is looked at whole.
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
  if (typeof target === "string") return await lintPath(target, options);
  if (!("entries" in target && "register" in target)) {
    const findings: LintFinding[] = [];
    for (const path of new Set(target)) findings.push(...(await lintPath(path, options)));
    return inOrder(findings);
  }
  return inOrder(lintRegistry(target, () => true));
}

async function lintPath(path: string, options: LintOptions): Promise<LintFinding[]> {
  const { registry, project, includes } = await openTarget(path, options);
  const isMeant = (file: string | undefined): boolean => file !== undefined && includes(file);
  const stray = project === undefined ? [] : findStrayFiles(project, basesOf(options).userPath);
  return inOrder([...lintRegistry(registry, isMeant), ...stray.filter((finding) => isMeant(finding.path))]);
}

function lintRegistry(registry: EntityRegistry, isMeant: (path: string | undefined) => boolean): LintFinding[] {
  const namesOf = knownNamesOf(registry);
  const entities = registry.entries().filter(({ source }) => source.location !== "builtin");
  const findings: LintFinding[] = registry.diagnostics().filter(({ path }) => isMeant(path));
  for (const { entity, verdicts } of whoLoads(entities)) {
    if (!isMeant(entity.source.path)) continue;
    const name = registry.qualifiedName(entity);
    for (const diagnostic of entity.diagnostics) findings.push({ ...diagnostic, entity: name });
    const subject = readSubject(entity, { registry, namesOf, verdicts });
    // The file may have gone since it was loaded.
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
  return findings;
}

function inOrder(findings: readonly LintFinding[]): LintFinding[] {
  const distinct = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...distinct.values()].sort(compareDiagnostics);
}

/** What a path on a command line means. */
export interface LintTarget {
  readonly registry: EntityRegistry;
  /** The project that it belongs to, if any. */
  readonly project?: string;
  /** Whether the path is, or holds, this file. */
  readonly includes: (path: string) => boolean;
}

const placePaths: readonly string[] = formats.flatMap(({ places }) => places.map((place) => place.path));

/**
 * A project, one of the folders or files in it, or skills that lie anywhere. The user's entities are loaded with the
 * project's, because references lead to them.
 *
 * @example
 * const { registry, includes } = await openTarget("/my/project/.claude/agents", { userPath: homedir() });
 * registry.entries().filter(({ source }) => includes(source.path ?? ""));
 */
export async function openTarget(path: string, options: LintOptions = {}): Promise<LintTarget> {
  const wanted = resolve(path);
  const includes = (file: string): boolean =>
    file === wanted || file.startsWith(wanted.endsWith(sep) ? wanted : wanted + sep);
  let project: string | undefined;
  // Something in a project is a place for entities, lies in one, or has one in it.
  for (let at = dirname(wanted); project === undefined && at !== dirname(at); at = dirname(at)) {
    const inside = relative(at, wanted).replaceAll(sep, "/");
    const isOfPlace = placePaths.some(
      (place) => `${place}/`.startsWith(`${inside}/`) || inside.startsWith(`${place}/`),
    );
    if (isOfPlace) project = at;
  }
  const root = project === undefined ? skillsRoot(wanted) : undefined;
  if (root === undefined) {
    project ??= wanted;
    const registry = await initializeWorkflowsSDK({ projectPath: project, ...options });
    return { registry, project, includes };
  }
  // Skills outside of any project, as a package or a repository of skills has them.
  const registry = createEntityRegistry();
  const [place] = agentSkills.places;
  if (place !== undefined) {
    const { entities, diagnostics } = loadPlace(place, root, "project");
    for (const entity of entities) registry.register(entity);
    for (const diagnostic of diagnostics) registry.report(diagnostic);
  }
  return { registry, includes };
}

/** The folder of skills that a path is, lies in as a skill, or lies in as a skill's file. */
function skillsRoot(path: string): string | undefined {
  if (basename(path) === "SKILL.md") return dirname(dirname(path));
  if (exists(join(path, "SKILL.md"))) return dirname(path);
  return basename(path) === "skills" && exists(path) ? path : undefined;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
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
  const all = [...entities];
  const skillFiles = new Map<string, Entity>();
  for (const entity of all) {
    if (/(?:^|\/)SKILL\.md$/.test(entity.source.relative ?? "")) skillFiles.set(keyOf(entity), entity);
  }
  return all.map((entity) => {
    // A SKILL.md in the same folder or above decides about others; to look at all entities for each would take squares.
    const folders = (entity.source.relative ?? "").split("/").slice(0, -1);
    const candidates = [[], ...folders.map((_, depth) => folders.slice(0, depth + 1))];
    const neighbours = candidates.flatMap(
      (parts) => skillFiles.get(keyOf(entity, [...parts, "SKILL.md"].join("/"))) ?? [],
    );
    return { entity, verdicts: loadVerdicts(entity, neighbours) };
  });
}

function keyOf({ source: { location, place, relative } }: Entity, file: string | undefined = relative): string {
  return `${location} ${place} ${file}`;
}
