import { dirname, resolve } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { findPlugin, identifyPlugins, pathIn } from "../opencode/find-plugin.ts";
import { specIn } from "../opencode/plugin-edits.ts";
import { type PluginEntry, readOpencodeConfig } from "../opencode/read-config.ts";
import { addressOf, parsePackageSpec } from "../sources/spec.ts";
import type { WorkspacePlace } from "./place.ts";
import { commandFor } from "./request.ts";
import { storedFolder } from "./store/store.ts";

/** How a config file names exactly the locked version. */
export function pinOf(place: WorkspacePlace, name: string, workflow: LockedWorkflow, file: string): string {
  const { package: packageName, source, version, tree, dependencies } = workflow;
  if (tree !== undefined)
    return specIn(file, storedFolder(place.stateFolder, name, packageName, { tree, dependencies }));
  // After a migration, OpenCode can only fetch it by itself.
  if (parsePackageSpec(source).kind === "registry") return `${packageName}@${version}`;
  throw new HugoError("not-installed", {
    message: `Hugo no longer has the plugin entry or the stored package for "${name}"`,
    hint: `Install it again: ${commandFor(place, "install --force", source)}. Nothing was changed.`,
  });
}

/** Whether an entry makes OpenCode load another folder than the one with the locked package. */
export function isRedirected(
  place: WorkspacePlace,
  name: string,
  workflow: LockedWorkflow,
  entry: Pick<PluginEntry, "file" | "spec">,
): boolean {
  const path = workflow.tree === undefined ? undefined : pathIn(entry);
  return path !== undefined && path !== resolve(dirname(entry.file), pinOf(place, name, workflow, entry.file));
}

/** Whether an entry is for the workflow's package. What hugo.json records is untrusted. */
export function isEntryFor(
  file: string,
  spec: string | undefined,
  { package: packageName, source }: LockedWorkflow,
): boolean {
  if (spec === undefined) return false;
  const from = parsePackageSpec(source);
  const alone = identifyPlugins([readOpencodeConfig(file, JSON.stringify({ plugin: [spec] }))]);
  return findPlugin(alone, { packageName, ...(from.kind === "git" && { gitUrl: addressOf(from) }) }).length > 0;
}
