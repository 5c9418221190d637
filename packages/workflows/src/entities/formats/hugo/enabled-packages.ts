// Which plugins OpenCode loads stands in its config files only; what hugo.json remembers of disabled ones is for Hugo.
import { join, posix } from "node:path";
import type { JsonNode } from "@atomic/durable-files/jsonc/tree";
import type { Diagnostic } from "../../diagnostic.ts";
import type { EntityLocation } from "../../entity.ts";
import { readTextFile } from "../../read-file.ts";
import { opencode } from "../opencode.ts";
import { parseConfig } from "../opencode-config.ts";

export interface EnabledPackages {
  /** Names of packages, however an entry is written that stands for one. */
  readonly names: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** The config files of OpenCode in one location, from its base. */
export function configPaths(location: EntityLocation): string[] {
  return opencode.places.flatMap((place) =>
    place.kind === "config" && place.location === location ? [place.path] : [],
  );
}

export function enabledPackages(base: string, location: EntityLocation): EnabledPackages {
  const names = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const path of configPaths(location).map((way) => join(base, way))) {
    const file = readTextFile(path);
    if (file.kind === "unreadable") {
      if (file.diagnostic.code !== "file-missing") diagnostics.push(file.diagnostic);
      continue;
    }
    const config = parseConfig({ path, text: file.text });
    if (config.kind === "broken") diagnostics.push(config.diagnostic);
    // Old state may call a package by its address.
    else for (const spec of pluginsIn(config.root)) names.add(packageOf(spec) ?? spec);
  }
  return { names, diagnostics };
}

/** `"name"` and `["name", { options }]`. */
function pluginsIn(root: JsonNode | undefined): string[] {
  if (root?.kind !== "object") return [];
  const plugins = root.properties.findLast(({ key }) => key.value === "plugin")?.value;
  if (plugins?.kind !== "array") return [];
  return plugins.items.flatMap((item) => {
    const spec = item.kind === "array" ? item.items[0] : item;
    return spec?.kind === "string" ? [spec.value] : [];
  });
}

const NAMED = /^((?:@[^/@\s]+\/)?[^/@\s:#]+)(?:@(.*))?$/s;
const ALIASED = /^npm:((?:@[^/@]+\/)?[^/@]+)/;
/** The innermost package that a path leads into. */
const WITHIN = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/s;

/** Whose `name@1.2.3`, `other@npm:name@1.2.3`, `./…/node_modules/name/…` and the like are. */
function packageOf(spec: string): string | undefined {
  if (/^\.{0,2}\/|^file:/i.test(spec)) return WITHIN.exec(posix.normalize(decoded(spec)))?.[1];
  const [, name, version = ""] = NAMED.exec(spec) ?? [];
  return ALIASED.exec(version)?.[1] ?? name;
}

/** Only addresses have escapes. */
function decoded(spec: string): string {
  if (!/^file:/i.test(spec)) return spec;
  try {
    return decodeURIComponent(spec);
  } catch (error) {
    if (error instanceof URIError) return spec;
    throw error;
  }
}
