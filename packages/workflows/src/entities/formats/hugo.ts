import { posix } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { LockError, parseLock } from "../../hugo-lock/parse-lock.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type EntityLocation, entityTypes } from "../entity.ts";
import { type ConfigPlace, type Format, joined, type Reading, type SourceFile } from "../format.ts";
import { readTextFile } from "../read-file.ts";
import {
  type CopiedWorkflow,
  findPackage,
  type LockedPlugin,
  loadCopied,
  loadPlugin,
  workflowPosition,
} from "./hugo-packages.ts";
import { opencode } from "./opencode.ts";
import { diagnosticAt, parseConfig } from "./opencode-config.ts";

/**
 * Workflows that Hugo installed, as listed in hugo.json. OpenCode's configs say which plugins are enabled, and their
 * files are in Hugo's store. Of a copied workflow, only the graphs are read here: OpenCode's folders have the rest.
 * Installed entities rank below the user's own in the same location.
 */
export const hugo: Format = {
  provider: "hugo",
  places: (["project", "user"] as const).map((location) => {
    const folder = location === "project" ? ".opencode" : ".config/opencode";
    return {
      kind: "config",
      location,
      path: `${folder}/hugo.json`,
      types: entityTypes,
      dependsOn: [".hugo/store", "workflows", ...configPlaces(location)],
      unreadableCode: "hugo-lock-invalid",
      read: readInstalled,
    };
  }),
};

function readInstalled(file: SourceFile): Reading {
  const plugins: LockedPlugin[] = [];
  const copies: CopiedWorkflow[] = [];
  try {
    for (const [name, workflow] of parseLock(file.text, file.path).workflows) {
      const { delivery } = workflow;
      if (delivery.kind === "plugin") {
        plugins.push({ ...workflow, name });
        continue;
      }
      // Files in subfolders belong to the modules.
      const files = delivery.parked ? [] : [...delivery.files.keys()];
      copies.push({ name, modules: files.filter((each) => /^workflows\/[^/\\]+\.[jt]s$/.test(each)) });
    }
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    // A lock that Hugo refuses is one diagnostic, in Hugo's words; nothing in it counts.
    return { entities: [], diagnostics: [diagnosticAt(error, { code: "hugo-lock-invalid", path: file.path })] };
  }
  const copied = joined(copies.map((copy) => loadCopied(copy, file)));
  if (plugins.length === 0) return copied;
  const enabled = enabledPackages(file);
  const found = plugins
    .filter((plugin) => enabled.names.has(plugin.package))
    .map((plugin) => ({ plugin, stored: findPackage(plugin, file) }));
  // One warning for all packages that are missing for the same reason.
  const missing = found.flatMap(({ plugin, stored }) => (stored.kind === "missing" ? [plugin] : []));
  const warnings = [true, false].flatMap((isRecorded): Diagnostic[] => {
    const [first, ...more] = missing.filter(({ tree }) => (tree !== undefined) === isRecorded);
    if (first === undefined) return [];
    const names = [first, ...more].map(({ name }) => shown(name)).join(", ");
    const what = more.length === 0 ? "The package for an installed workflow" : "The packages for installed workflows";
    const message = `${what} cannot be found: ${names}.`;
    const hint = isRecorded
      ? "Run `hugo ci` to download what hugo.json lists."
      : "Run `hugo update`: the old state file does not record exactly what was installed.";
    const at = { path: file.path, ...workflowPosition(file.text, first.name) };
    return [{ severity: "warning", code: "hugo-package-missing", message, ...at, hint }];
  });
  const refused = found.flatMap(({ stored }) => (stored.kind === "refused" ? [stored.diagnostic] : []));
  const loaded = found.flatMap(({ plugin, stored }) =>
    stored.kind === "there" ? [loadPlugin(plugin, stored, file)] : [],
  );
  const problems = { entities: [], diagnostics: [...enabled.diagnostics, ...refused, ...warnings] };
  return joined([copied, problems, ...loaded]);
}

/** OpenCode's config files in one location. */
function configPlaces(location: EntityLocation): ConfigPlace[] {
  return opencode.places.flatMap((place) => (place.kind === "config" && place.location === location ? place : []));
}

/**
 * The names of the packages that OpenCode loads as plugins, however the entries in its config files are written. What
 * hugo.json records about disabled ones is for Hugo.
 */
function enabledPackages({ location, locate }: SourceFile): { names: Set<string>; diagnostics: Diagnostic[] } {
  const names = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const { path } of configPlaces(location).flatMap((place) => locate?.(place) ?? [])) {
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
      // `"name"` and `["name", { options }]`. Old state may identify a package by its path.
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

/** The package that `name@1.2.3`, `other@npm:name@1.2.3`, `./…/node_modules/name/…` and the like stand for. */
function packageOf(spec: string): string | undefined {
  if (/^\.{0,2}\/|^file:/i.test(spec)) {
    let path = spec;
    try {
      // Only URLs have escapes.
      if (/^file:/i.test(spec)) path = decodeURIComponent(spec);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
    return WITHIN.exec(posix.normalize(path))?.[1];
  }
  const [, name, version = ""] = NAMED.exec(spec) ?? [];
  return ALIASED.exec(version)?.[1] ?? name;
}
