import { workflowNameOf } from "../workflow-name.ts";
import type { RegistrySource, WantedVersion } from "./package-source.ts";
import { refuseSpec } from "./refuse-spec.ts";

const NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
const LONGEST_NAME = 214;
/** The registry refuses them too. */
const TAKEN: ReadonlySet<string> = new Set(["node_modules", "favicon.ico"]);

const number = String.raw`(?:0|[1-9]\d{0,15})`;
const identifiers = String.raw`[0-9a-z-]+(?:\.[0-9a-z-]+)*`;
const suffix = String.raw`(?:-${identifiers})?(?:\+${identifiers})?`;
const wild = `(?:${number}|[x*])`;
const partial = String.raw`v?(?:${number}\.${number}\.${number}${suffix}|${wild}(?:\.${wild}){0,2})`;
const VERSION = new RegExp(`^${number}\\.${number}\\.${number}${suffix}$`, "i");
const COMPARATORS = new RegExp(`^(?:(?:[~^=]|[<>]=?)? ?${partial})(?: (?:[~^=]|[<>]=?)? ?${partial})*$`, "i");
const HYPHEN = new RegExp(`^${partial} - ${partial}$`, "i");
const TAG = /^[a-z][a-z0-9._-]{0,63}$/i;

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
  if (NAME.test(name) && name.length <= LONGEST_NAME && !TAKEN.has(name)) return;
  const lower = name.toLowerCase();
  const hint = NAME.test(lower) && lower !== name ? `Package names are in lower case: ${lower}.` : undefined;
  throw refuseSpec(spec, "is no package name, repository or path", hint ?? hintForRef(spec, name));
}

function hintForRef(spec: string, name: string): string | undefined {
  const isRepository = /^[a-z0-9-]+\/[\w.-]+$/i.test(name) && spec.length > name.length;
  return isRepository ? `A tag or branch of a repository stands after "#": ${name}#…` : undefined;
}

function readWanted(spec: string, text: string): WantedVersion {
  if (/^npm:/i.test(text)) {
    throw refuseSpec(spec, "gives a package another name", "Install the package by its own name.");
  }
  if (VERSION.test(text)) return { kind: "version", text };
  if (isRange(text)) return { kind: "range", text: text.replace(/\s+/g, " ") };
  if (TAG.test(text)) return { kind: "tag", text };
  const hint = 'After "@" stands a version (1.2.0), a range (^1.2.0) or a tag (latest).';
  throw refuseSpec(spec, "asks for something that is no version", hint);
}

function isRange(text: string): boolean {
  if (text.length > 256) return false;
  return text.split("||").every((part) => {
    const one = part.trim().replace(/\s+/g, " ");
    return COMPARATORS.test(one) || HYPHEN.test(one);
  });
}
