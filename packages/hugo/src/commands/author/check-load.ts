import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context } from "../../context.ts";
import { PackageTranslation } from "../../delivery/translate/package-translation.ts";
import { askOpencode, failedHooks, failedPlugins, type LogLine, type Opencode } from "../../opencode/opencode.ts";
import { findEntry, problemOfLoading } from "../../opencode/opencode-entry.ts";
import { type Registered, readConfigAnswer, readSkillAnswer } from "../../opencode/query-opencode.ts";
import { type TrialProject, trialProject } from "../../opencode/trial-project.ts";
import { type ContentType, usualPath } from "../../packages/manifest/content.ts";
import type { Manifest } from "../../packages/manifest.ts";
import { dependenciesIn, error, type PackageProblem, type SourcePackage, warning } from "./read-source.ts";

export type LoadCheck =
  /** OpenCode was asked; without problems, it has exactly what workflow.json lists. */
  | { readonly kind: "asked"; readonly problems: readonly PackageProblem[] }
  | { readonly kind: "impossible"; readonly because: string };

/** Loads the package in the real OpenCode, in a separate project, and compares what was loaded with the manifest. */
export async function checkLoad(
  context: Context,
  source: SourcePackage,
  { manifest, files }: { readonly manifest: Manifest; readonly files: Iterable<string> },
): Promise<LoadCheck> {
  const trial = trialProject(context, [source.folder]);
  if (trial === undefined) return { kind: "impossible", because: "OpenCode is not installed, or not on the PATH" };
  try {
    const target = prepareTrial(trial, source, manifest, files);
    context.user.progress("Loading it in OpenCode");
    const config = await askOpencode(trial.opencode, ["config"]);
    const skills = manifest.skills.length === 0 ? undefined : await askOpencode(trial.opencode, ["skill"]);
    if (config.kind === "silent" || skills?.kind === "silent") {
      const because = [config, skills].flatMap((answer) => (answer?.kind === "silent" ? [answer.because] : []));
      return {
        kind: "asked",
        problems: [error(undefined, because[0] ?? "", "OpenCode failed to start with this package.")],
      };
    }
    const registered = { ...readConfigAnswer(config.value), skills: readSkillAnswer(skills?.value) };
    const problems = differences(manifest, registered);
    if (manifest.delivery.kind === "copy" || problems.length === 0) return { kind: "asked", problems };
    const reason = await reasonOf(trial.opencode, target, config.errors);
    return { kind: "asked", problems: reason === undefined ? problems : [reason] };
  } finally {
    trial.remove();
  }
}

/** Why nothing was loaded; undefined if the plugin was loaded and only a part is missing. */
async function reasonOf(
  opencode: Opencode,
  target: string,
  errors: readonly LogLine[],
): Promise<PackageProblem | undefined> {
  const [logged] = failedPlugins(errors).values();
  const hint = "OpenCode starts without it and reports no error.";
  if (logged !== undefined) return error("package.json", `OpenCode does not load the plugin: ${logged}`, hint);
  const [hook] = failedHooks(errors);
  if (hook !== undefined) return error("package.json", `the plugin's config hook fails: ${hook}`, hint);
  const entry = findEntry(target, { isPath: true });
  const problem =
    entry.kind === "none" ? entry.because : await problemOfLoading(opencode, { entry: entry.url, isPath: true });
  if (problem === undefined) return undefined;
  const isUninstalled = /Cannot find (?:module|package) ["'](?![./])/.test(problem);
  const next = isUninstalled ? "Install its dependencies first: run `npm install` in its folder." : hint;
  return error("package.json", `OpenCode does not load the plugin: ${problem}`, next);
}

/** Everything that the manifest lists and OpenCode does not have, and vice versa. */
export function differences(manifest: Manifest, registered: Registered): PackageProblem[] {
  const lists: readonly [ContentType, Manifest["agents"], ReadonlySet<string>][] = [
    ["agent", manifest.agents, new Set(registered.agents.keys())],
    ["command", manifest.commands, new Set(registered.commands.keys())],
    ["skill", manifest.skills, new Set(registered.skills.keys())],
  ];
  return lists.flatMap(([type, listed, present]) => [
    ...listed
      .filter(({ name }) => !present.has(name))
      .map(({ name }) => {
        const message = `workflow.json lists the ${type} "${name}", but OpenCode did not load it`;
        return error(usualPath(type, name), message, "Let the plugin register it, or remove the file.");
      }),
    ...[...present]
      .filter((name) => !listed.some((entity) => entity.name === name))
      .map((name) => {
        const message = `OpenCode loaded the ${type} "${name}", but workflow.json does not list it`;
        const hint = `Hugo cannot check it for collisions. Define it in ${usualPath(type, name)} to have it listed.`;
        return warning("workflow.json", message, hint);
      }),
  ]);
}

/** Returns the folder of the package, installed as by a package manager: only these files, and its dependencies. */
function prepareTrial(trial: TrialProject, source: SourcePackage, manifest: Manifest, files: Iterable<string>): string {
  const { project, package: folder } = trial;
  const modules = join(folder, "node_modules");
  const target = join(modules, source.json.get("name").optionalString() ?? basename(source.folder));
  for (const path of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(source.folder, path), join(target, path));
  }
  for (const name of dependenciesIn(source.json)) {
    const installed = findInstalled(source.folder, name);
    if (installed === undefined) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(installed, join(modules, name), "junction");
  }
  const isPlugin = manifest.delivery.kind === "plugin";
  const copied = isPlugin ? [] : new PackageTranslation(manifest, source.tree).deliver().files;
  for (const [destination, { bytes }] of copied) {
    const file = join(project, ".opencode", destination);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  trial.configure(isPlugin ? [pathToFileURL(target).href] : []);
  return target;
}

/** Searches like Node: in the package's own node_modules, then in those above. */
function findInstalled(folder: string, name: string): string | undefined {
  const candidate = join(folder, "node_modules", name);
  if (existsSync(candidate)) return realpathSync(candidate);
  return dirname(folder) === folder ? undefined : findInstalled(dirname(folder), name);
}
