// A project with a home of its own, in which OpenCode finds one workflow and nothing else of this machine.
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context } from "../../context.ts";
import type { CopiedFile } from "../../delivery/translate/package-translation.ts";
import { findOpencode, type Opencode } from "../../opencode/opencode.ts";

export interface TrialProject {
  readonly opencode: Opencode;
  /** Where OpenCode is started. */
  readonly project: string;
  /** Where the package lies in it, as if it had been installed. */
  readonly package: string;
  remove(): void;
}

/** Undefined if OpenCode is not installed. */
export function trialProject(context: Context, packageFolder: string): TrialProject | undefined {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hugo-")));
  const [home, project, folder] = ["home", "project", "package"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const env = { ...trialEnvironment(home, root), PATH: context.env.PATH, HUGO_OPENCODE: context.env.HUGO_OPENCODE };
  const opencode = findOpencode(
    { cwd: context.cwd, beside: [packageFolder], home, env, ...(context.signal && { signal: context.signal }) },
    project,
  );
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  if (opencode === undefined) {
    remove();
    return undefined;
  }
  for (const path of [home, project]) mkdirSync(path);
  return { opencode, project, package: folder, remove };
}

function trialEnvironment(home: string, root: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: root,
    // Nobody listens there: nothing is fetched for a trial.
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
  };
}

/** Installs a package the way a package manager would: only these files, and beside it only what it depends on. */
export function installForTrial(
  trial: TrialProject,
  source: {
    readonly folder: string;
    readonly name: string;
    readonly files: Iterable<string>;
    readonly dependencies: readonly string[];
  },
): string {
  const modules = join(trial.package, "node_modules");
  const target = join(modules, source.name);
  for (const path of source.files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(source.folder, path), join(target, path));
  }
  for (const name of source.dependencies) {
    const installed = findInstalled(source.folder, name);
    if (installed === undefined) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(installed, join(modules, name), "junction");
  }
  return target;
}

/** As Node looks for it: in the package's own node_modules, then in those above. */
function findInstalled(folder: string, name: string): string | undefined {
  const candidate = join(folder, "node_modules", name);
  if (existsSync(candidate)) return realpathSync(candidate);
  return dirname(folder) === folder ? undefined : findInstalled(dirname(folder), name);
}

export function configureTrial(
  { project, opencode }: { project: string; opencode: Opencode },
  plugin: string | undefined,
): void {
  const config = {
    $schema: "https://opencode.ai/config.json",
    ...(plugin !== undefined && { plugin: [pathToFileURL(plugin).href] }),
  };
  writeFileSync(join(project, "opencode.json"), JSON.stringify(config));
  const folders = [join(opencode.env.XDG_CONFIG_HOME ?? "", "opencode"), join(project, ".opencode")];
  for (const folder of folders) withoutInstall(folder);
}

/** OpenCode installs its own plugin package into each config folder, unless a lock file says that it is there. */
function withoutInstall(folder: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const packages = { "": { dependencies: { "@opencode-ai/plugin": "*" } } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
}

/** Puts copied files where OpenCode reads them. */
export function copyForTrial(project: string, files: ReadonlyMap<string, CopiedFile>): void {
  for (const [destination, { bytes }] of files) {
    const file = join(project, ".opencode", destination);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}
