import { resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import type { Diagnostic } from "../diagnostic.ts";
import type { ConfigPlace, Format, Reading, SourceFile } from "./format.ts";
import { configPaths, enabledPackages } from "./hugo/enabled-packages.ts";
import { loadCopied } from "./hugo/installed-copy.ts";
import { findPackage, loadPlugin } from "./hugo/installed-plugin.ts";
import { type LockedPlugin, readRegistryLock, workflowPosition } from "./hugo/lock.ts";

/**
 * Workflows that Hugo installed. hugo.json says what is installed. Of plugins, OpenCode's configs say which are enabled,
 * and the files lie in Hugo's store; of what was copied, only graphs are read here: OpenCode's folders have the rest.
 * Installed entities rank below the user's own of the same location.
 */
export const hugo: Format = {
  provider: "hugo",
  places: [lockIn("project", ".opencode"), lockIn("user", ".config/opencode")],
};

function lockIn(location: ConfigPlace["location"], folder: string): ConfigPlace {
  return {
    kind: "config",
    location,
    path: `${folder}/hugo.json`,
    types: ["agent", "command", "skill", "workflow"],
    dependsOn: [`${folder}/.hugo/store`, `${folder}/workflows`, ...configPaths(location)],
    unreadableCode: "hugo-lock-invalid",
    read: readInstalled,
  };
}

function readInstalled(file: SourceFile): Reading {
  const { plugins, copies, diagnostics } = readRegistryLock(file);
  const copied = copies.map((copy) => loadCopied(copy, file));
  const entities = copied.flatMap((load) => load.entities);
  const problems = [...diagnostics, ...copied.flatMap((load) => load.diagnostics)];
  if (plugins.length === 0) return { entities, diagnostics: problems };
  const enabled = enabledPackages(baseOf(file), file.location);
  const found = plugins
    .filter((plugin) => enabled.names.has(plugin.package))
    .map((plugin) => ({ plugin, stored: findPackage(plugin, file) }));
  const missing = found.flatMap(({ plugin, stored }) => (stored.kind === "missing" ? [plugin] : []));
  const refused = found.flatMap(({ stored }) => (stored.kind === "refused" ? [stored.diagnostic] : []));
  const loads = found.flatMap(({ plugin, stored }) =>
    stored.kind === "there" ? [loadPlugin(plugin, stored, file)] : [],
  );
  return {
    entities: [...entities, ...loads.flatMap((load) => load.entities)],
    diagnostics: [
      ...problems,
      ...enabled.diagnostics,
      ...refused,
      ...missingFrom(file, missing),
      ...loads.flatMap((load) => load.diagnostics),
    ],
  };
}

/** The project, or the home folder. */
function baseOf({ path, place }: SourceFile): string {
  return resolve(path, ...place.split("/").map(() => ".."));
}

/** One for all of them, as they miss for one reason. */
function missingFrom(file: SourceFile, plugins: readonly LockedPlugin[]): Diagnostic[] {
  const migrated = plugins.filter(({ tree }) => tree === undefined);
  const others = plugins.filter(({ tree }) => tree !== undefined);
  return [
    ...missingPackages(file, others, "Run `hugo ci`, which fetches what hugo.json says."),
    ...missingPackages(file, migrated, "Run `hugo update`: old state does not tell what exactly was installed."),
  ];
}

function missingPackages(
  { path, text }: SourceFile,
  [first, ...more]: readonly LockedPlugin[],
  hint: string,
): Diagnostic[] {
  if (first === undefined) return [];
  const names = [first, ...more].map(({ name }) => shown(name)).join(", ");
  const what = more.length === 0 ? "The package of a workflow that is" : "The packages of workflows that are";
  const message = `${what} installed cannot be found: ${names}.`;
  return [
    { severity: "warning", code: "hugo-package-missing", message, path, ...workflowPosition(text, first.name), hint },
  ];
}
