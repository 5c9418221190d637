import { basename } from "node:path";
import type { Context } from "../../context.ts";
import { PackageTranslation } from "../../delivery/translate/package-translation.ts";
import { problemOfLoading } from "../../opencode/load-plugin.ts";
import { type Answer, askOpencode } from "../../opencode/opencode.ts";
import { findEntry } from "../../opencode/opencode-entry.ts";
import { failedHooks, failedPlugins } from "../../opencode/opencode-log.ts";
import { type Registered, readConfigAnswer, readSkillAnswer } from "../../opencode/registered.ts";
import { type ContentType, usualPath } from "../../packages/manifest/content.ts";
import type { Manifest } from "../../packages/manifest.ts";
import { error, type Problem, warning } from "./problem.ts";
import type { SourcePackage } from "./read-source.ts";
import { configureTrial, copyForTrial, installForTrial, type TrialProject, trialProject } from "./trial-project.ts";

export type LoadCheck =
  /** OpenCode was asked; without problems it has exactly what workflow.json lists. */
  | { readonly kind: "asked"; readonly problems: readonly Problem[] }
  | { readonly kind: "impossible"; readonly because: string };

/** Loads the package in the real OpenCode, in a project of its own, and compares what is there with the manifest. */
export async function checkLoad(
  context: Context,
  source: SourcePackage,
  { manifest, files }: { readonly manifest: Manifest; readonly files: Iterable<string> },
): Promise<LoadCheck> {
  const trial = trialProject(context, source.folder);
  if (trial === undefined) return { kind: "impossible", because: "OpenCode is not installed, or not on the PATH" };
  try {
    return await checkIn(trial, context, source, { manifest, files });
  } finally {
    trial.remove();
  }
}

async function checkIn(
  trial: TrialProject,
  context: Context,
  source: SourcePackage,
  { manifest, files }: { readonly manifest: Manifest; readonly files: Iterable<string> },
): Promise<LoadCheck> {
  const target = installForTrial(trial, { ...source, ...facts(source), files });
  const isPlugin = manifest.delivery.kind === "plugin";
  if (!isPlugin) copyForTrial(trial.project, new PackageTranslation(manifest, source.tree).deliver().files);
  configureTrial(trial, isPlugin ? target : undefined);

  context.person.progress("Loading it in OpenCode");
  const config = await askOpencode(trial.opencode, ["config"]);
  const skills = manifest.skills.length === 0 ? undefined : await askOpencode(trial.opencode, ["skill"]);
  const silent = [config, skills].find((answer) => answer?.kind === "silent");
  if (silent?.kind === "silent")
    return { kind: "asked", problems: [error(".", silent.because, "OpenCode did not start with it.")] };
  const registered = { ...readConfigAnswer(printedBy(config)), skills: readSkillAnswer(printedBy(skills)) };
  const problems = differences(manifest, registered);
  if (!isPlugin || problems.length === 0) return { kind: "asked", problems };
  const reason = await reasonOf(trial.opencode, target, config);
  return { kind: "asked", problems: reason === undefined ? problems : [reason] };
}

function facts({ folder, json }: SourcePackage): { name: string; dependencies: string[] } {
  const lists = ["dependencies", "peerDependencies", "optionalDependencies"].map((key) => json.get(key));
  const dependencies = lists.flatMap((list) =>
    list.node?.kind === "object" ? list.entries().map(([name]) => name) : [],
  );
  return { name: json.get("name").optionalString() ?? basename(folder), dependencies };
}

function printedBy(answer: Answer | undefined): unknown {
  return answer?.kind === "answered" ? answer.value : undefined;
}

/** Why nothing of it is there; undefined if the plugin was loaded and only some of it is missing. */
async function reasonOf(
  opencode: Parameters<typeof problemOfLoading>[0],
  target: string,
  config: Answer,
): Promise<Problem | undefined> {
  const errors = config.kind === "answered" ? config.errors : [];
  const [logged] = failedPlugins(errors).values();
  const hint = "OpenCode starts without it, and says nothing.";
  if (logged !== undefined) return error("package.json", `OpenCode does not load the plugin: ${logged}`, hint);
  const [hook] = failedHooks(errors);
  if (hook !== undefined) return error("package.json", `the plugin's config hook fails: ${hook}`, hint);
  const entry = findEntry(target, { isPath: true });
  const problem =
    entry.kind === "none" ? entry.because : await problemOfLoading(opencode, { entry: entry.url, isPath: true });
  return problem === undefined
    ? undefined
    : error("package.json", `OpenCode does not load the plugin: ${problem}`, hint);
}

/** Everything that the manifest lists and OpenCode does not have, and the other way round. */
export function differences(manifest: Manifest, registered: Registered): Problem[] {
  const lists: readonly [ContentType, Manifest["agents"], ReadonlySet<string>][] = [
    ["agent", manifest.agents, new Set(registered.agents.keys())],
    ["command", manifest.commands, new Set(registered.commands.keys())],
    ["skill", manifest.skills, new Set(registered.skills.keys())],
  ];
  return lists.flatMap(([type, listed, present]) => [
    ...listed.filter(({ name }) => !present.has(name)).map(({ name }) => notThere(type, name)),
    ...[...present]
      .filter((name) => !listed.some((entity) => entity.name === name))
      .map((name) => unlisted(type, name)),
  ]);
}

function notThere(type: ContentType, name: string): Problem {
  const message = `workflow.json lists the ${type} "${name}", but OpenCode does not have it`;
  return error(usualPath(type, name), message, "Let the plugin register it, or remove the file.");
}

function unlisted(type: ContentType, name: string): Problem {
  const message = `OpenCode has the ${type} "${name}", which workflow.json does not list`;
  const hint = `Hugo finds no collisions of it. Write it as ${usualPath(type, name)} to have it listed.`;
  return warning("workflow.json", message, hint);
}
