import {
  HOST,
  isPort,
  isRef,
  isRepository,
  problemWithPart,
  USER,
} from "@atomic/workflows/internal/hugo-lock/source-form";
import { isTarball } from "./file-spec.ts";
import type { GitSource } from "./package-source.ts";
import { refuseSpec } from "./refuse-spec.ts";

const NO_PASSWORD =
  "Let git find it (a credential helper, an SSH key): what is written here ends up in a committed file.";

/** A git repository: `github:o/r`, `o/r`, `git+ssh://…`, `git+https://…`, `git+file://…`, `git://…`, each with `#ref`. */
export function readGitSpec(spec: string): GitSource | undefined {
  // git runs `ext::command` and reads from `fd::7`.
  if (/^[a-z0-9+.-]+::/i.test(spec)) throw refuseSpec(spec, "names a helper program of git, which is never run");
  const [address, ref] = splitRef(spec);
  const url = readShorthand(spec, address) ?? readUrl(spec, address);
  if (url === undefined) return undefined;
  return ref === undefined ? { kind: "git", url } : { kind: "git", url, ref: checkRef(spec, ref) };
}

function splitRef(spec: string): [address: string, ref: string | undefined] {
  const hash = spec.indexOf("#");
  return hash === -1 ? [spec, undefined] : [spec.slice(0, hash), spec.slice(hash + 1)];
}

function readShorthand(spec: string, address: string): string | undefined {
  const [, prefix, path] = /^(github:)?([^:@]+)$/i.exec(address) ?? [];
  if (path === undefined || (prefix === undefined && !path.includes("/"))) return undefined;
  const [owner = "", repository = "", ...more] = path.replace(/\.git$/, "").split("/");
  if (prefix === undefined && isTarball(path)) throw refuseSpec(spec, "looks like a file", `Write ./${path} for it.`);
  if (more.length > 0 || !isRepository(owner, repository)) {
    const hint = prefix === undefined ? `For a folder write ./${path}; a repository is owner/name.` : undefined;
    throw refuseSpec(spec, "is no repository on GitHub: that is an owner, a slash and a name", hint);
  }
  return `github:${owner}/${repository}`;
}

function readUrl(spec: string, address: string): string | undefined {
  const [, scheme, rest] = /^(git\+ssh|git\+https|git\+file|git):\/\/(.*)$/is.exec(address) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  const protocol = scheme.toLowerCase();
  const at = rest.search(/[/?]/);
  const authority = at === -1 ? rest : rest.slice(0, at);
  const path = at === -1 ? "" : rest.slice(at);
  if (protocol === "git+file") {
    if (!/^(?:localhost)?$/i.test(authority)) throw refuseSpec(spec, "has a host, but files lie on this machine");
    return `git+file://${checkPath(spec, path)}`;
  }
  // A password with a slash in it would look like a path.
  if (path.includes("@")) throw refuseSpec(spec, 'has an "@" behind its host', NO_PASSWORD);
  const { user, host, port, folder } = readAuthority(spec, authority, protocol === "git+ssh");
  return `${protocol}://${user}${host}${port}${checkPath(spec, folder + path)}`;
}

interface Authority {
  readonly user: string;
  readonly host: string;
  readonly port: string;
  /** What stands where a port belongs, as in `git@github.com:org/repo.git`. */
  readonly folder: string;
}

function readAuthority(spec: string, authority: string, isSsh: boolean): Authority {
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at, 0));
  if (user.includes(":")) throw refuseSpec(spec, "contains a password", NO_PASSWORD);
  if (at !== -1 && !isSsh) throw refuseSpec(spec, "contains a user name or a token", NO_PASSWORD);
  if (at !== -1 && !USER.test(user)) throw refuseSpec(spec, "has a user name that is not allowed");
  const [, host = "", tail = ""] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? [];
  if (!HOST.test(host)) throw refuseSpec(spec, "has no valid host name");
  const hasPort = isPort(tail);
  if (tail !== "" && !hasPort && (!isSsh || /^\d+$/.test(tail))) throw refuseSpec(spec, "has no valid port");
  return {
    user: at === -1 ? "" : `${user}@`,
    host: host.toLowerCase(),
    port: hasPort ? `:${tail}` : "",
    folder: hasPort || tail === "" ? "" : `/${tail}`,
  };
}

function checkPath(spec: string, path: string): string {
  if (path.includes("?")) throw refuseSpec(spec, 'has a "?", which no repository needs');
  const trimmed = path.replace(/\/$/, "");
  if (trimmed === "") throw refuseSpec(spec, "names no repository, only a host");
  for (const part of trimmed.slice(1).split("/")) {
    const problem = problemWithPart(part);
    if (problem !== undefined) throw refuseSpec(spec, `has a path with ${problem}`);
  }
  return trimmed;
}

function checkRef(spec: string, ref: string): string {
  const hint = 'After "#" stands a tag, a branch or a commit.';
  if (ref === "") throw refuseSpec(spec, 'has nothing after "#"', hint);
  if (ref.startsWith("semver:"))
    throw refuseSpec(spec, "asks for a range of tags", `${hint} Ranges are for npm names.`);
  if (!isRef(ref)) throw refuseSpec(spec, 'has a name after "#" that is not allowed', hint);
  return ref;
}
