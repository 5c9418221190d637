import type { Diagnostic } from "../diagnostic.ts";
import { compareDiagnostics } from "../diagnostic-order.ts";
import type { Entity } from "../entity.ts";
import { basesOf, type InitializeOptions } from "../initialize.ts";
import type { EntityRegistry } from "../registry.ts";
import type { Finding } from "./finding.ts";
import { knownNamesOf } from "./known-names.ts";
import { openTarget } from "./lint-target.ts";
import type { Problem, Rule } from "./rule.ts";
import { rules } from "./rules/all.ts";
import { findStrayFiles } from "./stray-files.ts";
import { readSubject, type Subject } from "./subject.ts";
import { whoLoads } from "./who-loads.ts";

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
): Promise<Finding[]> {
  if (typeof target === "string") return await lintPath(target, options);
  if (!("entries" in target && "register" in target)) {
    const findings: Finding[] = [];
    for (const path of new Set(target)) findings.push(...(await lintPath(path, options)));
    return inOrder(findings);
  }
  return inOrder(lintRegistry(target, () => true));
}

async function lintPath(path: string, options: LintOptions): Promise<Finding[]> {
  const { registry, project, includes } = await openTarget(path, options);
  const isMeant = (file: string | undefined): boolean => file !== undefined && includes(file);
  const stray = project === undefined ? [] : findStrayFiles(project, basesOf(options).userPath);
  return inOrder([...lintRegistry(registry, isMeant), ...stray.filter((finding) => isMeant(finding.path))]);
}

function lintRegistry(registry: EntityRegistry, isMeant: (path: string | undefined) => boolean): Finding[] {
  const namesOf = knownNamesOf(registry);
  const entities = registry.entries().filter(({ source }) => source.location !== "builtin");
  const findings: Finding[] = registry.diagnostics().filter(({ path }) => isMeant(path));
  for (const { entity, verdicts } of whoLoads(entities)) {
    if (!isMeant(entity.source.path)) continue;
    findings.push(...lintEntity(entity, { registry, namesOf, verdicts }));
  }
  return findings;
}

function lintEntity(entity: Entity, context: Pick<Subject, "registry" | "namesOf" | "verdicts">): Finding[] {
  const name = context.registry.qualifiedName(entity);
  const reported = entity.diagnostics.map((diagnostic): Finding => ({ ...diagnostic, entity: name }));
  const subject = readSubject(entity, context);
  // The file may have gone since it was loaded.
  if (isDiagnostic(subject)) return [...reported, { ...subject, entity: name }];
  const found = rules.flatMap((rule) =>
    Array.from(rule.check(subject), (problem) => findingOf(rule, problem, subject, name)),
  );
  return [...reported, ...found];
}

function findingOf(rule: Rule, { message, hint, at }: Problem, subject: Subject, entity: string): Finding {
  const { path } = subject.entity.source;
  const position = subject.positionOf(at);
  return {
    severity: rule.severity,
    code: rule.code,
    message,
    ...(path !== undefined && { path }),
    ...position,
    ...(typeof at === "number" && subject.text !== undefined && { offset: at }),
    ...(hint !== undefined && { hint }),
    entity,
  };
}

function isDiagnostic(subject: Subject | Diagnostic): subject is Diagnostic {
  return "severity" in subject;
}

function inOrder(findings: readonly Finding[]): Finding[] {
  const distinct = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...distinct.values()].sort(compareDiagnostics);
}
