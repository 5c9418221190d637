import { didYouMean } from "@atomic/terminal/suggest";
import { LONGEST_SOURCE } from "@atomic/workflows/internal/hugo-lock/source-form";
import { isTarball, readFileSpec } from "./file-spec.ts";
import { readGitSpec } from "./git-spec.ts";
import type { PackageSource } from "./package-source.ts";
import { refuseSpec, refuseUnprintable } from "./refuse-spec.ts";
import { readRegistrySpec } from "./registry-spec.ts";

const schemes = ["github:", "git+ssh:", "git+https:", "git+file:", "git:", "file:"];

/**
 * What a user typed after `hugo install`. Nothing that a package manager, git or a shell could take for an option or a
 * command comes through, and no secret is shown in an error.
 *
 * @example
 * parsePackageSpec("org/review#v1"); // { kind: "git", url: "github:org/review", ref: "v1" }
 */
export function parsePackageSpec(spec: string): PackageSource {
  refuseAtOnce(spec);
  const file = readFileSpec(spec);
  if (file !== undefined) return file;
  refuseForeignForm(spec);
  return readGitSpec(spec) ?? readRegistrySpec(spec);
}

/** The one way to write a source down: parsed again, it is the same source. */
export function printPackageSpec(source: PackageSource): string {
  switch (source.kind) {
    case "registry": {
      const { kind, text } = source.wanted;
      return kind === "tag" && text === "latest" ? source.name : `${source.name}@${text}`;
    }
    case "git":
      return source.ref === undefined ? source.url : `${source.url}#${source.ref}`;
    case "file":
      return source.path;
  }
}

function refuseAtOnce(spec: string): void {
  if (spec.trim() === "") throw refuseSpec(spec, "is empty");
  if (spec.startsWith("-")) throw refuseSpec(spec, "starts with a dash, so it would count as an option");
  if (spec.length > LONGEST_SOURCE) throw refuseSpec(spec, `is longer than ${LONGEST_SOURCE} characters`);
  refuseUnprintable(spec);
}

/** Forms of other tools that are not taken, each with the one to write instead. */
function refuseForeignForm(spec: string): void {
  const hint = hintForWeb(spec) ?? hintForScheme(spec) ?? hintForBareName(spec);
  if (hint !== undefined) throw refuseSpec(spec, "is of a form that Hugo does not take", hint);
}

function hintForWeb(spec: string): string | undefined {
  const [, web] = /^https?:\/\/(.+)$/i.exec(spec) ?? [];
  if (web === undefined) return undefined;
  const [, npm] = /^(?:www\.)?npmjs\.(?:com|org)\/package\/((?:@[\w.-]+\/)?[\w.-]+)/i.exec(web) ?? [];
  if (npm !== undefined) return `Write ${npm}.`;
  const [, repository] = /^(?:www\.)?github\.com\/([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(web) ?? [];
  if (repository !== undefined) return `Write github:${repository}.`;
  if (isTarball(web)) return "Download it, look into it, and install the file: hugo install ./name.tgz.";
  // Before an "@" or after a "?" may stand a secret.
  return /[?#@]/.test(web)
    ? "For a git repository write git+https://…"
    : `For a git repository write git+https://${web}`;
}

function hintForScheme(spec: string): string | undefined {
  const [, user, host, path] = /^([\w.-]+)@([\w.-]+):([\w./~-]+)$/.exec(spec) ?? [];
  if (host?.includes(".")) return `Write git+ssh://${user}@${host}/${path}.`;
  const [, scheme, rest = ""] = /^([a-z0-9+.-]+:)(?!:)(.*)$/is.exec(spec) ?? [];
  if (scheme === undefined || schemes.includes(scheme.toLowerCase())) return undefined;
  if (scheme === "ssh:") return "Write git+ssh://… for a git repository.";
  if (scheme === "git+http:") return "Only git+https:// is safe from changes on the way.";
  if (scheme === "gitlab:" || scheme === "bitbucket:") {
    return `Write git+https://${scheme === "gitlab:" ? "gitlab.com" : "bitbucket.org"}/${/[@?:]/.test(rest) ? "…" : rest}`;
  }
  const [meant] = didYouMean(scheme, schemes);
  return meant === undefined ? `Known are ${schemes.join(", ")} npm names and paths.` : `Did you mean ${meant}…?`;
}

function hintForBareName(spec: string): string | undefined {
  return isTarball(spec) && !/[/:@#]/.test(spec) ? `For a file in this folder write ./${spec}.` : undefined;
}
