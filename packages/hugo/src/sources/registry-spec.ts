import { isPackageName, kindOfWanted, PACKAGE_NAME } from "@atomic/workflows/internal/hugo-lock/source-form";
import { workflowNameOf } from "../packages/workflow-name.ts";
import type { RegistrySource, WantedVersion } from "./package-source.ts";
import { refuseSpec } from "./refuse-spec.ts";

/** A package in the npm registry: `name`, `@scope/name`, each with `@version`, `@range` or `@tag`. */
export function readRegistrySpec(spec: string): RegistrySource {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  checkPackageName(spec, name);
  // Asked here so that a package that cannot become a workflow is not fetched at all.
  workflowNameOf(name);
  return { kind: "registry", name, wanted: readWanted(spec, at === -1 ? "latest" : spec.slice(at + 1).trim()) };
}

function checkPackageName(spec: string, name: string): void {
  if (isPackageName(name)) return;
  const lower = name.toLowerCase();
  const hint = PACKAGE_NAME.test(lower) && lower !== name ? `Package names are in lower case: ${lower}.` : undefined;
  throw refuseSpec(spec, "is not a package name, repository or path", hint ?? hintForRef(spec, name));
}

function hintForRef(spec: string, name: string): string | undefined {
  const isRepository = /^[a-z0-9-]+\/[\w.-]+$/i.test(name) && spec.length > name.length;
  return isRepository ? `A tag or branch of a repository stands after "#": ${name}#…` : undefined;
}

function readWanted(spec: string, text: string): WantedVersion {
  if (/^npm:/i.test(text)) {
    throw refuseSpec(spec, "gives a package another name", "Install the package by its own name.");
  }
  const kind = kindOfWanted(text);
  if (kind !== undefined) return { kind, text: text.replace(/\s+/g, " ") };
  const hint = 'After "@" stands a version (1.2.0), a range (^1.2.0) or a tag (latest).';
  throw refuseSpec(spec, "asks for something that is no version", hint);
}
