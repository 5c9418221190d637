import { statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { agentSkills } from "../formats/agent-skills.ts";
import { formats } from "../formats/all.ts";
import { type InitializeOptions, initializeWorkflowsSDK } from "../initialize.ts";
import { loadPlace } from "../load.ts";
import { createEntityRegistry, type EntityRegistry } from "../registry.ts";

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
export async function openTarget(
  path: string,
  options: Pick<InitializeOptions, "userPath" | "env"> = {},
): Promise<LintTarget> {
  const wanted = resolve(path);
  const includes = (file: string): boolean =>
    file === wanted || file.startsWith(wanted.endsWith(sep) ? wanted : wanted + sep);
  const project = projectOf(wanted);
  if (project === undefined) {
    const registry = createEntityRegistry();
    registerSkillsIn(wanted, registry);
    return { registry, includes };
  }
  const registry = await initializeWorkflowsSDK({ projectPath: project, ...options });
  return { registry, project, includes };
}

function projectOf(path: string): string | undefined {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if (isOfPlace(relative(at, path).replaceAll(sep, "/"))) return at;
  }
  return skillsRoot(path) === undefined ? path : undefined;
}

/** Whether something in a project is a place for entities, lies in one, or has one in it. */
function isOfPlace(path: string): boolean {
  return placePaths.some((place) => `${place}/`.startsWith(`${path}/`) || path.startsWith(`${place}/`));
}

/** Skills outside of any project, as a package or a repository of skills has them. */
function registerSkillsIn(path: string, registry: EntityRegistry): void {
  const root = skillsRoot(path);
  const [place] = agentSkills.places;
  if (root === undefined || place === undefined) return;
  const { entities, diagnostics } = loadPlace(place, root, "project");
  for (const entity of entities) registry.register(entity);
  for (const diagnostic of diagnostics) registry.report(diagnostic);
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
