import { statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { distinctInOrder } from "../diagnostic.ts";
import type { Entity, Provider } from "../entity.ts";
import type { SourceFile } from "../format.ts";
import { agentSkills } from "../formats/agent-skills.ts";
import { formats } from "../formats/all.ts";
import { basesOf, type InitializeOptions, registerEverything, registryOptionsOf } from "../initialize.ts";
import { loadPlace } from "../load.ts";
import { createEntityRegistry, type EntityRegistry } from "../registry.ts";
import { MOST_AGENTS } from "../tools/copilot.ts";
import { loadVerdicts, type ReadText, readOnce } from "../tools/load-verdicts.ts";
import { toolPlaceOf } from "../tools/places.ts";
import type { ToolVerdict } from "../tools/tool.ts";
import { knownNamesOf } from "./known-names.ts";
import type { LintFinding } from "./rule.ts";
import { rulesAbout } from "./rules/all.ts";
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
    return lintTarget({ registry: target, read: readOnce(), includes: () => true }, options).findings;
  }
  if (typeof target === "string") return lintTarget(await openTarget(target, options), options).findings;
  const findings: LintFinding[] = [];
  for (const path of new Set(target)) {
    const found = lintTarget(await openTarget(path, options), options).findings;
    for (const finding of found) findings.push(finding);
  }
  return distinctInOrder(findings);
}

/** What `lintTarget` finds in a target. */
export interface LintReport {
  readonly findings: LintFinding[];
  /** What each tool makes of every entity in it. */
  readonly verdicts: readonly (EntityVerdicts & { readonly qualifiedName: string })[];
}

/** Checks what `openTarget` opened. */
export function lintTarget({ registry, project, read, includes }: LintTarget, options: LintOptions): LintReport {
  const namesOf = knownNamesOf(registry);
  const entities = registry.entries().filter(({ source }) => source.location !== "builtin");
  const findings: LintFinding[] = registry.diagnostics().filter(({ path }) => includes(path));
  const stray = project === undefined ? [] : findStrayFiles(project, basesOf(options).userPath);
  for (const finding of [...tooManyAgents(entities), ...stray]) if (includes(finding.path)) findings.push(finding);
  const all: LintReport["verdicts"][number][] = [];
  for (const { entity, verdicts } of verdictsOf(entities, read, includes)) {
    const name = registry.qualifiedName(entity);
    all.push({ entity, verdicts, qualifiedName: name });
    for (const diagnostic of entity.diagnostics) findings.push({ ...diagnostic, entity: name });
    const subject = readSubject(entity, { registry, namesOf, verdicts }, read);
    // It may have been unreadable from the start, or deleted since it was loaded.
    if ("severity" in subject) {
      if (!entity.diagnostics.some(({ code }) => code === subject.code)) findings.push({ ...subject, entity: name });
      continue;
    }
    const { path } = entity.source;
    for (const { check, code, severity } of rulesAbout[entity.type]) {
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
  return { findings: distinctInOrder(findings), verdicts: all };
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
  /** Gives the files' texts. */
  readonly read: ReadText;
  /** Whether the target is this file or contains it. */
  readonly includes: (path: string | undefined) => boolean;
}

/** In characters; a typical file has a few thousand. */
const MOST_TEXT = 32 * 1024 * 1024;

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
    const sources = { projectPath: project, ...options };
    // Most of these are read again for the rules, so as many as fit are kept.
    const texts = new Map<string, string>();
    let room = MOST_TEXT;
    const onFile = ({ path, text }: SourceFile): void => {
      room -= text.length;
      if (room >= 0) texts.set(path, text);
    };
    const registry = createEntityRegistry({ ...registryOptionsOf(sources), onFile });
    await registerEverything(registry, sources);
    return { registry, project, read: readOnce(texts), includes };
  }
  // A package or a repository of skills.
  const registry = createEntityRegistry();
  const [place] = agentSkills.places;
  if (place !== undefined) {
    const { entities, diagnostics } = loadPlace(place, root, "project");
    for (const entity of entities) registry.register(entity);
    for (const diagnostic of diagnostics) registry.report(diagnostic);
  }
  return { registry, read: readOnce(), includes };
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
  const rootOf = ({ path = "", relative = "" }: Entity["source"]): string =>
    path.slice(0, path.length - relative.length);
  const skillFiles = new Map<string, Entity>();
  for (const entity of all) {
    const { relative = "" } = entity.source;
    if (/(?:^|\/)SKILL\.md$/.test(relative)) skillFiles.set(rootOf(entity.source) + relative, entity);
  }
  for (const entity of all) {
    if (!includes(entity.source.path)) continue;
    // A SKILL.md in the same folder or above affects other files; comparing all entities with all would be quadratic.
    const { relative = "" } = entity.source;
    const root = rootOf(entity.source);
    const neighbours: Entity[] = [];
    for (let end = 0; ; end = relative.indexOf("/", end) + 1) {
      const found = skillFiles.get(`${root}${relative.slice(0, end)}SKILL.md`);
      if (found !== undefined) neighbours.push(found);
      if (!relative.includes("/", end)) break;
    }
    yield { entity, verdicts: loadVerdicts(entity, neighbours, read) };
  }
}
