import { posix } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";
import { didYouMean } from "@atomic/terminal/suggest";
import {
  HOST,
  isFolderInRepository,
  isPackageName,
  isPort,
  isRef,
  isRepository,
  kindOfWanted,
  LONGEST_SOURCE,
  PACKAGE_NAME,
  problemWithPart,
  USER,
} from "@atomic/workflows/internal/hugo-lock/source-form";
import { HugoError } from "../errors.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import type { FileSource, GitSource, PackageSource, RegistrySource } from "./package-source.ts";

const schemes = ["github:", "git+ssh:", "git+https:", "git+file:", "git:", "file:"];

/**
 * Parses what a user typed after `hugo install`. Refuses anything that a package manager, git or a shell could take for
 * an option or a command, and never shows a secret in an error.
 *
 * @example
 * parsePackageSpec("org/review#v1"); // { kind: "git", url: "github:org/review", ref: "v1" }
 */
export function parsePackageSpec(spec: string): PackageSource {
  if (spec.trim() === "") throw refuseSpec(spec, "is empty");
  if (spec.startsWith("-")) throw refuseSpec(spec, "starts with a dash, like an option");
  if (spec.length > LONGEST_SOURCE) throw refuseSpec(spec, `is longer than ${LONGEST_SOURCE} characters`);
  refuseUnprintable(spec, spec);
  const file = readFileSpec(spec);
  if (file !== undefined) return file;
  const page = readGithubPage(spec);
  if (page !== undefined) {
    const [ref, ...folder] = page.tree ?? [];
    return parsePackageSpec([page.url, ...folder].join("/") + (ref === undefined ? "" : `#${ref}`));
  }
  const hint = hintForForeignForm(spec);
  if (hint !== undefined) throw refuseSpec(spec, "uses a form that Hugo does not support", hint);
  return readGitSpec(spec) ?? readRegistrySpec(spec);
}

/** A page of a repository on GitHub, as people paste it from a browser. */
export interface GithubPage {
  readonly url: string;
  /** What follows `/tree/`: a ref and a folder. Where one ends and the other starts, only git knows. */
  readonly tree?: readonly string[];
}

const GITHUB_PAGE =
  /^https:\/\/(?:www\.)?github\.com\/([^/?#@]+)\/([^/?#@]+?)(?:\.git)?(?:\/tree\/([^?#@]+?))?\/?(?:\?tab=[\w-]*)?$/i;

/** Undefined if the spec is not the address of a repository or of a folder in one. */
export function readGithubPage(spec: string): GithubPage | undefined {
  const [, owner, repository, tree] = GITHUB_PAGE.exec(spec) ?? [];
  if (owner === undefined || repository === undefined) return undefined;
  return { url: `github:${owner}/${repository}`, ...(tree !== undefined && { tree: tree.split("/") }) };
}

/** The canonical form of a source: parsing it gives the same source. */
export function printPackageSpec(source: PackageSource): string {
  switch (source.kind) {
    case "registry": {
      const { kind, text } = source.wanted;
      return kind === "tag" && text === "latest" ? source.name : `${source.name}@${text}`;
    }
    case "git":
      return source.ref === undefined ? addressOf(source) : `${addressOf(source)}#${source.ref}`;
    case "file":
      return source.path;
  }
}

/** A git source without its ref: `github:org/repo/skills/pdf`, `git+https://host/repo.git//skills/pdf`. */
export function addressOf({ url, folder }: { readonly url: string; readonly folder?: string | undefined }): string {
  if (folder === undefined) return url;
  // A repository on another host may be in any number of folders.
  return url.startsWith("github:") ? `${url}/${folder}` : `${url}//${folder}`;
}

const EXAMPLES = "Examples: @org/review, review@^2.0.0, github:org/review#v1.0.0, ./review.";

/**
 * `problem` completes "The package spec … ". The message never contains a password and rather hides too much:
 * people paste URLs with tokens, and errors end up in logs.
 */
function refuseSpec(spec: string, problem: string, hint: string = EXAMPLES): HugoError {
  const bare = spec.replace(/\/\/.*@/s, "//***@").replace(/\?.*/s, "?***");
  const isDone = /^(?:[a-z0-9+.-]+:\/\/\*\*\*@|github:|file:)/i.test(bare);
  const safe = isDone ? bare : bare.replace(/^[^/@:]+:.*@/s, "***@");
  return new HugoError("spec-invalid", { message: `The package spec ${shown(safe)} ${problem}`, hint });
}

/** Refuses invisible characters in a spec or in its decoded form. */
function refuseUnprintable(spec: string, text: string): void {
  if (text !== text.trim()) throw refuseSpec(spec, "starts or ends with a space");
  if (/\p{Cc}/u.test(text)) throw refuseSpec(spec, "contains a control character");
  const [hidden] = findHiddenCharacters(text);
  if (hidden === undefined) return;
  throw refuseSpec(
    spec,
    `contains an invisible character at position ${hidden.offset + 1}`,
    "Type the spec by hand instead of pasting it.",
  );
}

/** For other tools' forms that Hugo does not support: what to write instead. */
function hintForForeignForm(spec: string): string | undefined {
  const [, web] = /^https?:\/\/(.+)$/i.exec(spec) ?? [];
  if (web !== undefined) {
    const [, npm] = /^(?:www\.)?npmjs\.(?:com|org)\/package\/((?:@[\w.-]+\/)?[\w.-]+)/i.exec(web) ?? [];
    if (npm !== undefined) return `Write ${npm}.`;
    const [, repository, file] =
      /^(?:www\.)?github\.com\/([\w-]+\/[\w.-]+?)(?:\.git)?(?:\/blob\/[\w.-]+\/([\w./-]+))?(?:[/?#].*)?$/is.exec(web) ??
      [];
    if (repository !== undefined) {
      const folder = file?.includes("/") ? file.slice(0, file.lastIndexOf("/")) : undefined;
      return `Write ${addressOf({ url: `github:${repository}`, folder })}.`;
    }
    if (isTarball(web)) return "Download it, inspect it, and install the file: hugo install ./name.tgz.";
    // Text before "@" or after "?" may be a secret.
    const safe = /[?#@]/.test(web) ? "…" : web;
    return `For a git repository, write git+https://${safe}`;
  }
  const [, user, host, path] = /^([\w.-]+)@([\w.-]+):([\w./~-]+)$/.exec(spec) ?? [];
  if (host?.includes(".")) return `Write git+ssh://${user}@${host}/${path}.`;
  const [, scheme, rest = ""] = /^([a-z0-9+.-]+:)(?!:)(.*)$/is.exec(spec) ?? [];
  if (scheme === undefined || schemes.includes(scheme.toLowerCase())) {
    const isBareFile = isTarball(spec) && !/[/:@#]/.test(spec);
    return isBareFile ? `For a file in this folder, write ./${spec}.` : undefined;
  }
  if (scheme === "ssh:") return "For a git repository, write git+ssh://…";
  if (scheme === "git+http:") return "Only git+https:// protects the download from tampering.";
  if (scheme === "gitlab:" || scheme === "bitbucket:") {
    return `Write git+https://${scheme === "gitlab:" ? "gitlab.com" : "bitbucket.org"}/${/[@?:]/.test(rest) ? "…" : rest}`;
  }
  const [meant] = didYouMean(scheme, schemes);
  return meant === undefined ? `Hugo supports ${schemes.join(", ")}, npm names and paths.` : `Did you mean ${meant}…?`;
}

/** A folder or a tarball on this machine: `./x`, `../x`, `/x`, `file:x`; undefined if the spec is something else. */
function readFileSpec(spec: string): FileSource | undefined {
  let path = spec;
  if (!/^(?:\.{1,2}$|\.{0,2}\/|[.~][/\\]|\.\.\\)/.test(spec)) {
    const [, rest] = /^file:(.*)$/is.exec(spec) ?? [];
    if (rest === undefined) return undefined;
    // It is a URL only with two slashes, and "%20" is a space only in a URL.
    const [, urlPath] = /^\/\/(?:localhost)?(\/.*)$/is.exec(rest) ?? [];
    try {
      path = urlPath === undefined ? rest : decodeURIComponent(urlPath);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      throw refuseSpec(
        spec,
        'contains a "%" that is not part of a valid escape sequence',
        'Write "%25" for a percent sign, or use a plain path.',
      );
    }
  }
  if (path === "" || path.startsWith("//")) throw refuseSpec(spec, "is not a path on this machine");
  if (path.startsWith("~")) {
    throw refuseSpec(
      spec,
      'starts with "~", which only a shell can expand',
      "Write the full path, or leave out the quotes.",
    );
  }
  if (path.includes("\\")) throw refuseSpec(spec, "contains a backslash", "Write the path with forward slashes.");
  const normal = posix.normalize(path).replace(/(?<=.)\/$/, "");
  const plain = /^\.{0,2}\/|^\.{1,2}$/.test(normal) ? normal : `./${normal}`;
  refuseUnprintable(spec, plain);
  return { kind: "file", form: isTarball(plain) ? "tarball" : "folder", path: plain };
}

function isTarball(path: string): boolean {
  return /\.(?:tgz|tar\.gz|tar)$/i.test(path);
}

const NO_PASSWORD =
  "Let git supply credentials (with a credential helper or an SSH key): the spec ends up in a committed file.";

/**
 * A git repository: `github:o/r`, `o/r`, `git+ssh://…`, `git+https://…`, `git+file://…`, `git://…`, each with `#ref`. A
 * folder in it follows after `github:o/r/`, or after two slashes: `git+https://host/r.git//folder`.
 */
function readGitSpec(spec: string): GitSource | undefined {
  // git runs `ext::command` and reads from `fd::7`.
  if (/^[a-z0-9+.-]+::/i.test(spec)) throw refuseSpec(spec, "uses a git remote helper, which Hugo never runs");
  const hash = spec.indexOf("#");
  const address = hash === -1 ? spec : spec.slice(0, hash);
  const [, remote = address, inRemote] = /^(git(?:\+[a-z]+)?:\/\/[^/]*\/[^/].*?)\/\/(.*)$/is.exec(address) ?? [];
  let url = readUrl(spec, remote);
  let folder = inRemote;
  const [, prefix, path] = /^(github:)?([^:@]+)$/i.exec(address) ?? [];
  if (path !== undefined && (prefix !== undefined || path.includes("/"))) {
    const [owner = "", name = "", ...more] = path.replace(/\/$/, "").split("/");
    const repository = name.replace(/\.git$/, "");
    if (prefix === undefined && isTarball(path)) throw refuseSpec(spec, "looks like a file", `Write it as ./${path}.`);
    if (!isRepository(owner, repository) || (prefix === undefined && more.length > 0)) {
      const hint =
        prefix === undefined
          ? `For a folder on this machine, write ./${path}; for a repository, owner/name; for a folder in one, github:owner/name/folder.`
          : undefined;
      throw refuseSpec(spec, "is not a GitHub repository in the form owner/name", hint);
    }
    url = `github:${owner}/${repository}`;
    folder = more.length === 0 ? undefined : more.join("/");
  }
  if (url === undefined) return undefined;
  folder = folder?.replace(/\/$/, "");
  if (folder !== undefined && !isFolderInRepository(folder)) {
    throw refuseSpec(
      spec,
      "names an invalid folder",
      "Write the folder as in github:org/repo/skills/pdf, or after two slashes: git+https://host/repo.git//skills/pdf.",
    );
  }
  const place = { kind: "git", url, ...(folder !== undefined && { folder }) } as const;
  if (hash === -1) return place;
  const ref = spec.slice(hash + 1);
  const hint = 'Write a tag, a branch or a commit after "#".';
  if (ref === "") throw refuseSpec(spec, 'has nothing after "#"', hint);
  if (ref.startsWith("semver:")) {
    throw refuseSpec(
      spec,
      "asks for a range of tags, which Hugo does not support",
      `${hint} Ranges work only with npm package names.`,
    );
  }
  if (!isRef(ref)) throw refuseSpec(spec, 'has an invalid name after "#"', hint);
  return { ...place, ref };
}

function readUrl(spec: string, address: string): string | undefined {
  const [, scheme, rest] = /^(git\+ssh|git\+https|git\+file|git):\/\/(.*)$/is.exec(address) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  const protocol = scheme.toLowerCase();
  const end = rest.search(/[/?]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const path = end === -1 ? "" : rest.slice(end);
  if (protocol === "git+file") {
    if (!/^(?:localhost)?$/i.test(authority))
      throw refuseSpec(spec, "names a host, but the file must be on this machine");
    return `git+file://${checkPath(spec, path)}`;
  }
  // A password with a slash in it would look like a path.
  if (path.includes("@")) throw refuseSpec(spec, 'has an "@" after the host name', NO_PASSWORD);
  const isSsh = protocol === "git+ssh";
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at, 0));
  if (user.includes(":")) throw refuseSpec(spec, "contains a password", NO_PASSWORD);
  if (at !== -1 && !isSsh) throw refuseSpec(spec, "contains a user name or a token", NO_PASSWORD);
  if (at !== -1 && !USER.test(user)) throw refuseSpec(spec, "has an invalid user name");
  const [, host = "", tail = ""] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? [];
  if (!HOST.test(host)) throw refuseSpec(spec, "does not have a valid host name");
  const hasPort = isPort(tail);
  if (tail !== "" && !hasPort && (!isSsh || /^\d+$/.test(tail))) throw refuseSpec(spec, "has an invalid port");
  // A folder may be where a port belongs, as in `git@github.com:org/repo.git`.
  const folder = hasPort || tail === "" ? "" : `/${tail}`;
  const place = `${at === -1 ? "" : `${user}@`}${host.toLowerCase()}${hasPort ? `:${tail}` : ""}`;
  return `${protocol}://${place}${checkPath(spec, folder + path)}`;
}

/** What `problemWithPart` refuses unless it is escaped. */
const UNSAFE = /[\s"'`$;|&<>(){}*!]/g;

function checkPath(spec: string, path: string): string {
  if (path.includes("?")) throw refuseSpec(spec, 'has a "?", which is not allowed in a repository address');
  const trimmed = path.replace(/\/$/, "");
  if (trimmed === "") throw refuseSpec(spec, "names only a host, not a repository");
  for (const part of trimmed.slice(1).split("/")) {
    const problem = problemWithPart(part);
    if (problem === undefined) continue;
    const escaped = trimmed.replaceAll(UNSAFE, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
    // Of an address on another host, any part may be a secret.
    const whole = /^git\+file:/i.test(spec) ? `: git+file://${escaped}` : ".";
    const hint = part.search(UNSAFE) === -1 ? undefined : `Write "%20" for a space, and the like for others${whole}`;
    throw refuseSpec(spec, `has a path with ${problem}`, hint);
  }
  return trimmed;
}

/** A package in the npm registry: `name`, `@scope/name`, each with `@version`, `@range` or `@tag`. */
export function readRegistrySpec(spec: string): RegistrySource {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  if (!isPackageName(name)) {
    const lower = name.toLowerCase();
    const isLower = lower === name || !PACKAGE_NAME.test(lower);
    const isRepositoryName = /^[a-z0-9-]+\/[\w.-]+$/i.test(name) && spec.length > name.length;
    let hint: string | undefined;
    if (!isLower) hint = `Package names must be lowercase: ${lower}.`;
    else if (isRepositoryName) hint = `Write a repository's tag or branch after "#": ${name}#…`;
    throw refuseSpec(spec, "is not a package name, repository or path", hint);
  }
  // Checked here so a package that cannot become a workflow is not fetched at all.
  workflowNameOf(name);
  const text = at === -1 ? "latest" : spec.slice(at + 1).trim();
  if (/^npm:/i.test(text)) {
    throw refuseSpec(spec, "uses an npm alias", "Install the package under its own name.");
  }
  const kind = kindOfWanted(text);
  if (kind !== undefined) return { kind: "registry", name, wanted: { kind, text: text.replace(/\s+/g, " ") } };
  const hint = 'Write a version (1.2.0), a range (^1.2.0) or a tag (latest) after "@".';
  throw refuseSpec(spec, "asks for an invalid version", hint);
}
