// What a project has of what `atomic init` would write.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readTextForEdit, type TextRead } from "@atomic/durable-files/files/read-for-edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { toValue } from "@atomic/durable-files/jsonc/value";
import type { PackageManager } from "@atomic/terminal/package-managers";
import { configFolders, worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import { lockFiles, packageManagerOf } from "./package-manager.ts";
import { type FoundProject, packagesIn, projectPaths } from "./plan-files.ts";
import type { TsconfigChain } from "./tsconfig.ts";

export interface ProjectReading {
  readonly found: Omit<FoundProject, "hasNames">;
  /** Of the files that may be changed. */
  readonly reads: ReadonlyMap<string, TextRead>;
  readonly packageManager: PackageManager;
}

export function readProject(folder: string, env: Readonly<Record<string, string | undefined>>): ProjectReading {
  const { packageJson, tsconfig, ownTsconfig, workflows } = projectPaths;
  const read = (path: string): TextRead => readTextForEdit(join(folder, path));
  const reads = new Map<string, TextRead>([packageJson, tsconfig].map((path) => [path, read(path)]));
  const textOf = (path: string): string | undefined => {
    const found = reads.get(path);
    return found === undefined || found.hash === "absent" ? undefined : found.text;
  };
  // Outside of a repository, what lies above has nothing to do with this project.
  const above = worktreeOf(folder) === undefined ? [] : configFolders(folder).slice(1);
  const manifests = above.map((each) => join(each, packageJson)).filter((path) => existsSync(path));
  const isModule = textIn(textOf(packageJson), packageJson, "type") === "module";
  const config = textOf(tsconfig);
  const found = {
    packageJson: textOf(packageJson),
    listedAbove: new Set(manifests.flatMap((path) => [...packagesIn(readFileSync(path, "utf8"), path)])),
    tsconfig: config === undefined ? undefined : { ...readChain(join(folder, tsconfig), config), isModule },
    hasOwnTsconfig: existsSync(join(folder, ownTsconfig)),
    hasWorkflows: hasFiles(join(folder, workflows), /(?<!\.d)\.[jt]s$/),
  };
  const declared = [join(folder, packageJson), ...manifests]
    .filter((path) => existsSync(path))
    .map((path) => textIn(readFileSync(path, "utf8"), path, "packageManager"));
  const locks = [folder, ...above].flatMap((each) => lockFiles.filter((name) => existsSync(join(each, name))));
  const manager = declared.find((each) => each !== undefined);
  return { found, reads, packageManager: packageManagerOf(locks, manager, env.npm_config_user_agent) };
}

function textIn(json: string | undefined, file: string, key: string): string | undefined {
  const node = json === undefined ? undefined : nodeAt(parseJsonc(json, { file }), [key]);
  return node?.kind === "string" ? node.value : undefined;
}

function hasFiles(folder: string, name: RegExp): boolean {
  return existsSync(folder) && statSync(folder).isDirectory() && readdirSync(folder).some((each) => name.test(each));
}

/** A tsconfig and what it extends, the strongest first: of several, the last one wins. */
function readChain(file: string, text: string): Omit<TsconfigChain, "isModule"> {
  const extended: (string | undefined)[] = [];
  const seen = new Set([file]);
  const follow = (from: string, content: string): void => {
    const value = nodeAt(parseJsonc(content, { file: from, empty: "absent" }), ["extends"]);
    const names = value === undefined ? [] : [toValue(value)].flat().reverse();
    for (const name of names) {
      const path = typeof name === "string" ? resolveExtended(from, name) : undefined;
      if (path !== undefined && seen.has(path)) continue;
      if (path !== undefined) seen.add(path);
      const next = path === undefined ? undefined : readFileSync(path, "utf8");
      extended.push(next);
      if (path !== undefined && next !== undefined) follow(path, next);
    }
  };
  follow(file, text);
  return { text, extended };
}

/** As TypeScript finds it: a path, with or without `.json`, or a package. */
function resolveExtended(from: string, name: string): string | undefined {
  const isPath = isAbsolute(name) || /^\.\.?(?:\/|$)/.test(name);
  const paths = isPath ? [resolve(dirname(from), name)] : packagePaths(from, name);
  const candidates = paths.flatMap((path) => [path, `${path}.json`, join(path, "tsconfig.json")]);
  return candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

function packagePaths(from: string, name: string): string[] {
  return (createRequire(from).resolve.paths(name) ?? []).map((folder) => join(folder, name));
}
