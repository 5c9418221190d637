import * as fs from "node:fs";
import { dirname, isAbsolute, join, resolve, relative as wayFrom } from "node:path";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import { isReservedOnWindows, shown } from "./names.ts";

/**
 * The absolute path of `relative` inside `root`, or `unsafe-path`. Only plain relative paths with `/` pass, and only if no symbolic link
 * on the way leads out of the root. The disk may change afterwards: call it right before the path is used.
 * @example
 * joinInside("/project/.opencode", "agents/reviewer.md"); // "/project/.opencode/agents/reviewer.md"
 */
export function joinInside(root: string, relative: string): string {
  const problem = problemWith(relative);
  if (problem !== undefined) throw unsafe(relative, problem);
  const path = join(resolve(root), relative);
  const [realRoot, realPath] = [realPlace(resolve(root), relative), realPlace(path, relative)];
  const way = wayFrom(realRoot, realPath);
  if (way === ".." || way.startsWith("../") || isAbsolute(way)) {
    throw unsafe(relative, `leads outside ${root} through a symbolic link`, LINK_HINT);
  }
  return path;
}

function problemWith(path: string): string | undefined {
  if (path === "") return "is empty";
  // Most paths need none of the Unicode tables, and to compile an expression that does takes a millisecond.
  const isPrintableAscii = /^[ -~]*$/.test(path);
  if (!isPrintableAscii && /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return "contains a control character";
  if (!isPrintableAscii && /\p{Bidi_Control}/u.test(path)) {
    return "contains a character that changes the text direction";
  }
  if (path.includes("\\")) return "contains a backslash";
  if (path.includes(":")) return "contains a colon (a drive or a stream on Windows)";
  if (path.startsWith("/")) return "is absolute";
  if (Buffer.byteLength(path) > 1024) return "is too long";
  for (const part of path.split("/")) {
    if (part === "") return "has an empty part";
    if (part === "." || part === "..") return `contains the part ${part}`;
    if (/[. ]$/.test(part)) return "has a part that ends with a dot or a space";
    if (part.startsWith(" ")) return "has a part that starts with a space";
    if (Buffer.byteLength(part) > 255) return "has a part that is too long";
    if (isReservedOnWindows(part)) return "has a part that is reserved on Windows";
  }
  return undefined;
}

/** Where a path is once links are followed: the deepest part that exists decides. */
function realPlace(path: string, relative: string): string {
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(fs.realpathSync.native(at), path.slice(at.length));
    } catch (error) {
      const code = errnoOf(error);
      if (code === "ENOTDIR") continue; // a file in place of a folder: writing there will fail
      if (code === "ELOOP")
        throw unsafe(relative, "goes through a symbolic link that points back to itself", LINK_HINT);
      if (code !== "ENOENT") throw error;
      const isLink = fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      if (isLink) throw unsafe(relative, "goes through a broken symbolic link", LINK_HINT);
    }
  }
}

const LINK_HINT = "Replace the link with the file or folder itself, or remove it.";

function unsafe(
  path: string,
  what: string,
  hint: string = "Use a plain relative path with forward slashes.",
): DurableError {
  return new DurableError("unsafe-path", { message: `The path ${shown(path)} ${what}`, hint });
}
