import { posix } from "node:path";
import type { FileSource } from "./package-source.ts";
import { refuseSpec, refuseUnprintable } from "./refuse-spec.ts";

/** A folder or a tarball on this machine: `./x`, `../x`, `/x`, `file:x`; undefined if the spec is none. */
export function readFileSpec(spec: string): FileSource | undefined {
  const path = pathIn(spec);
  if (path === undefined) return undefined;
  if (path === "" || path.startsWith("//")) throw refuseSpec(spec, "names no path on this machine");
  if (path.startsWith("~")) {
    throw refuseSpec(spec, 'starts with "~", which only a shell can resolve', "Write the path out, without quotes.");
  }
  if (path.includes("\\")) throw refuseSpec(spec, "contains a backslash", "Write the path with forward slashes.");
  const plain = canonical(path);
  refuseUnprintable(spec, plain);
  return { kind: "file", form: isTarball(plain) ? "tarball" : "folder", path: plain };
}

export function isTarball(path: string): boolean {
  return /\.(?:tgz|tar\.gz|tar)$/i.test(path);
}

function pathIn(spec: string): string | undefined {
  if (/^(?:\.{1,2}$|\.{0,2}\/|[.~][/\\]|\.\.\\)/.test(spec)) return spec;
  const [, rest] = /^file:(.*)$/is.exec(spec) ?? [];
  if (rest === undefined) return undefined;
  // Only with two slashes it is a URL, and only in a URL "%20" is a space.
  const [, urlPath] = /^\/\/(?:localhost)?(\/.*)$/is.exec(rest) ?? [];
  return urlPath === undefined ? rest : decoded(spec, urlPath);
}

function decoded(spec: string, path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw refuseSpec(spec, 'has a "%" that starts no escape', 'Write "%25" for a percent sign, or use a plain path.');
  }
}

function canonical(path: string): string {
  const normal = posix.normalize(path).replace(/(?<=.)\/$/, "");
  return /^\.{0,2}\/|^\.{1,2}$/.test(normal) ? normal : `./${normal}`;
}
