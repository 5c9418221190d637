import { join, posix, resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import type { Diagnostic } from "../diagnostic.ts";
import { type EntityLocation, entityTypes } from "../entity.ts";
import type { ConfigPlace, Format, Reading, SourceFile } from "../format.ts";
import { readTextFile } from "../read-file.ts";
import { type LockedPlugin, readRegistryLock, workflowPosition } from "./hugo-lock.ts";
import { findPackage, loadCopied, loadPlugin } from "./hugo-packages.ts";
import { opencode } from "./opencode.ts";
import { parseConfig } from "./opencode-config.ts";

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
    types: entityTypes,
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
  // The project, or the home folder.
  const enabled = enabledPackages(resolve(file.path, ...file.place.split("/").map(() => "..")), file.location);
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
      ...missingPackages(
        file,
        missing.filter(({ tree }) => tree !== undefined),
        "Run `hugo ci` to download what hugo.json lists.",
      ),
      ...missingPackages(
        file,
        missing.filter(({ tree }) => tree === undefined),
        "Run `hugo update`: the old state does not record exactly what was installed.",
      ),
      ...loads.flatMap((load) => load.diagnostics),
    ],
  };
}

/** One for all of them, as they miss for one reason. */
function missingPackages(
  { path, text }: SourceFile,
  [first, ...more]: readonly LockedPlugin[],
  hint: string,
): Diagnostic[] {
  if (first === undefined) return [];
  const names = [first, ...more].map(({ name }) => shown(name)).join(", ");
  const what = more.length === 0 ? "The package of an installed workflow" : "The packages of installed workflows";
  const message = `${what} cannot be found: ${names}.`;
  return [
    { severity: "warning", code: "hugo-package-missing", message, path, ...workflowPosition(text, first.name), hint },
  ];
}

/** The config files of OpenCode in one location, from its base. */
function configPaths(location: EntityLocation): string[] {
  return opencode.places.flatMap((place) =>
    place.kind === "config" && place.location === location ? [place.path] : [],
  );
}

/**
 * Which plugins OpenCode loads stands in its config files only; what hugo.json remembers of disabled ones is for Hugo.
 * Given are the names of packages, however an entry is written that stands for one.
 */
function enabledPackages(base: string, location: EntityLocation): { names: Set<string>; diagnostics: Diagnostic[] } {
  const names = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const path of configPaths(location).map((way) => join(base, way))) {
    const file = readTextFile(path);
    if (file.kind === "unreadable") {
      if (file.diagnostic.code !== "file-missing") diagnostics.push(file.diagnostic);
      continue;
    }
    const config = parseConfig({ path, text: file.text });
    if (config.kind === "broken") {
      diagnostics.push(config.diagnostic);
      continue;
    }
    const { root } = config;
    const plugins =
      root?.kind === "object" ? root.properties.findLast(({ key }) => key.value === "plugin")?.value : undefined;
    for (const item of plugins?.kind === "array" ? plugins.items : []) {
      // `"name"` and `["name", { options }]`. Old state may call a package by its address.
      const spec = item.kind === "array" ? item.items[0] : item;
      if (spec?.kind === "string") names.add(packageOf(spec.value) ?? spec.value);
    }
  }
  return { names, diagnostics };
}

const NAMED = /^((?:@[^/@\s]+\/)?[^/@\s:#]+)(?:@(.*))?$/s;
const ALIASED = /^npm:((?:@[^/@]+\/)?[^/@]+)/;
/** The innermost package that a path leads into. */
const WITHIN = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/s;

/** Whose `name@1.2.3`, `other@npm:name@1.2.3`, `./…/node_modules/name/…` and the like are. */
function packageOf(spec: string): string | undefined {
  if (/^\.{0,2}\/|^file:/i.test(spec)) {
    let path = spec;
    try {
      // Only addresses have escapes.
      if (/^file:/i.test(spec)) path = decodeURIComponent(spec);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
    return WITHIN.exec(posix.normalize(path))?.[1];
  }
  const [, name, version = ""] = NAMED.exec(spec) ?? [];
  return ALIASED.exec(version)?.[1] ?? name;
}
