// What hugo.json says of where a package comes from ends up in plugin arrays, and OpenCode fetches what stands there.
import { HugoError } from "../errors.ts";
import type { JsonPart } from "../json-part.ts";
import type { PackageSource } from "../source/package-source.ts";
import { parsePackageSpec } from "../source/spec.ts";

const NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
const VERSION = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z.-]{1,100})?$/i;
/** Also as older state has it. */
const COMMIT = /^[\w.+~-]{1,200}$/;

/** Refuses a version that is none, or another package than the one that was asked for. */
export function refuseOrigin(part: JsonPart): void {
  const [name, source, version] = [part.get("package"), part.get("source"), part.get("version")];
  const from = sourceOf(source.string());
  if (from?.kind === "registry" && from.name !== name.string()) {
    throw name.refuse("is not the package that its source names");
  }
  refuseVersion(version, source.string());
}

export function refuseVersion(version: JsonPart, source: string): void {
  const kind = sourceOf(source)?.kind;
  if (kind === "registry" && !VERSION.test(version.string())) throw version.refuse("is no version");
  if (kind === "git" && !COMMIT.test(version.string())) throw version.refuse("is no commit");
}

/** Undefined for what nobody can fetch: whoever tries says so. */
function sourceOf(text: string): PackageSource | undefined {
  try {
    return parsePackageSpec(text);
  } catch (error) {
    if (error instanceof HugoError && error.code === "spec-invalid") return undefined;
    throw error;
  }
}

/** Whether it is certainly right, found out in no time. */
export function isPlainOrigin(name: string, source: string, version: string): boolean {
  if (/^(?:github:|git[+:])/.test(source)) return COMMIT.test(version);
  if (/^\.{0,2}\//.test(source)) return true;
  return NAME.test(name) && VERSION.test(version) && (source === name || source.startsWith(`${name}@`));
}
