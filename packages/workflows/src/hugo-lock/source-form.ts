// The forms in which a source may be written. What a user types and what hugo.json contains follow the same rules:
// both end up as words for git, npm and OpenCode.
import { posix } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { checkName } from "@atomic/durable-files/safety/names";
import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";

export const LONGEST_SOURCE = 2048;

export const PACKAGE_NAME: RegExp = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
const LONGEST_PACKAGE_NAME = 214;
/** The registry refuses them, too. */
const TAKEN: ReadonlySet<string> = new Set(["node_modules", "favicon.ico"]);

export function isPackageName(name: string): boolean {
  return PACKAGE_NAME.test(name) && name.length <= LONGEST_PACKAGE_NAME && !TAKEN.has(name);
}

const number = String.raw`(?:0|[1-9]\d{0,15})`;
const identifiers = String.raw`[0-9a-z-]+(?:\.[0-9a-z-]+)*`;
const suffix = String.raw`(?:-${identifiers})?(?:\+${identifiers})?`;
const wild = `(?:${number}|[x*])`;
const partial = String.raw`v?(?:${number}\.${number}\.${number}${suffix}|${wild}(?:\.${wild}){0,2})`;
const VERSION = new RegExp(`^${number}\\.${number}\\.${number}${suffix}$`, "i");
const COMPARATORS = new RegExp(`^(?:(?:[~^=]|[<>]=?)? ?${partial})(?: (?:[~^=]|[<>]=?)? ?${partial})*$`, "i");
const HYPHEN = new RegExp(`^${partial} - ${partial}$`, "i");
const TAG = /^[a-z][a-z0-9._-]{0,63}$/i;

/** What the text after a package's `@` is; undefined if it is none of these. */
export function kindOfWanted(text: string): "version" | "range" | "tag" | undefined {
  if (VERSION.test(text)) return "version";
  const comparators = text.split("||").map((part) => part.trim().replace(/\s+/g, " "));
  const isRange = text.length <= 256 && comparators.every((one) => COMPARATORS.test(one) || HYPHEN.test(one));
  if (isRange) return "range";
  return TAG.test(text) ? "tag" : undefined;
}

const OWNER = /^[a-z0-9][a-z0-9-]{0,38}$/i;
const REPOSITORY = /^[a-z0-9_.][a-z0-9_.-]{0,99}$/i;

export function isRepository(owner: string, name: string): boolean {
  return OWNER.test(owner) && REPOSITORY.test(name) && !/^\.{1,2}$/.test(name);
}

export const HOST: RegExp = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i;
export const USER: RegExp = /^[a-z0-9_][a-z0-9_.-]{0,63}$/i;

export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
}

/** The rules of `git check-ref-format`, without what few names need but attackers use. */
export function isRef(ref: string): boolean {
  const isOdd = /\.\.|\/\/|@\{|(?:^|\/)\.|\.lock(?:\/|$)|[./]$/.test(ref);
  return !isOdd && /^[a-z0-9_][\w./+@-]{0,254}$/i.test(ref);
}

/** Some programs that git calls take a leading dash for an option, and some decode the path first. */
export function problemWithPart(part: string): string | undefined {
  let plain: string;
  try {
    plain = decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return 'a "%" that does not start an escape sequence';
    throw error;
  }
  if (plain === "") return "an empty part";
  if (plain === "." || plain === "..") return `a part "${plain}"`;
  if (plain.startsWith("-")) return "a part that starts with a dash";
  if (/[\\/]/.test(plain)) return "a backslash or an escaped slash";
  if (!isPrintable(`x${plain}`)) return "an invisible character";
  return /[\s"'`$;|&<>(){}*!]/.test(part) ? "a space or a shell metacharacter" : undefined;
}

/** A folder inside a repository: `skills/pdf`. Nothing in it may look like a ref, a version, a secret or an option. */
export function isFolderInRepository(folder: string): boolean {
  const isPlainPart = (part: string): boolean => problemWithPart(part) === undefined && !/^\.git$/i.test(part);
  return !/[%:@?#]/.test(folder) && folder.split("/").every(isPlainPart);
}

/** Matches nearly every source: looking for hidden characters takes longer than reading a lock. */
const ASCII = /^[ -~]*$/;

function isPrintable(text: string): boolean {
  return ASCII.test(text) || (!/\p{Cc}/u.test(text) && findHiddenCharacters(text).length === 0);
}

export type SourceForm = { readonly kind: "registry"; readonly name: string } | { readonly kind: "git" | "local" };

/** Which of Hugo's three forms a source in hugo.json has; undefined if it has none. */
export function sourceForm(text: string): SourceForm | undefined {
  if (text.length > LONGEST_SOURCE || text !== text.trim() || !isPrintable(text)) return undefined;
  if (/^\.{0,2}\/|^\.{1,2}$/.test(text)) {
    const isPlain = !text.includes("\\") && !text.startsWith("//") && !(text.endsWith("/") && text !== "/");
    // Hugo writes `./a` for what is normally `a`.
    const isNormal = [text, text.replace(/^\.\//, "")].includes(posix.normalize(text));
    return isPlain && isNormal ? { kind: "local" } : undefined;
  }
  if (/^(?:github:|git(?:\+(?:ssh|https|file))?:\/\/)/.test(text)) return isGit(text) ? { kind: "git" } : undefined;
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const isWanted = at === -1 || kindOfWanted(text.slice(at + 1)) !== undefined;
  // On its own, such a name is probably a file that should have been written as a path.
  const isFile = /\.(?:tgz|tar\.gz|tar)$/i.test(text) && !/[/@]/.test(text);
  if (!isPackageName(name) || !isWanted || isFile) return undefined;
  try {
    // A workflow is named after its package.
    checkName(name.slice(name.indexOf("/") + 1));
    return { kind: "registry", name };
  } catch (error) {
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}

function isGit(text: string): boolean {
  const hash = text.indexOf("#");
  const address = hash === -1 ? text : text.slice(0, hash);
  if (hash !== -1 && !isRef(text.slice(hash + 1))) return false;
  const [, owner, repository, inGithub] = /^github:([^/]*)\/([^/]*)(?:\/(.*))?$/s.exec(address) ?? [];
  if (inGithub !== undefined && !isFolderInRepository(inGithub)) return false;
  if (owner !== undefined && repository !== undefined) return isRepository(owner, repository);
  const [, scheme, authority = "", whole = ""] =
    /^(git(?:\+(?:ssh|https|file))?):\/\/([^/?]*)\/([^?]*)$/.exec(address) ?? [];
  // Two slashes end the repository's own path.
  const [path = "", folder, ...more] = whole.split("//");
  if (more.length > 0 || (folder !== undefined && !isFolderInRepository(folder))) return false;
  if (scheme === undefined || path.split("/").some((part) => problemWithPart(part) !== undefined)) return false;
  if (scheme === "git+file") return authority === "";
  const [, user, host = "", port] = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:@]*)(?::(.*))?$/.exec(authority) ?? [];
  if (path.includes("@") || (user !== undefined && !(scheme === "git+ssh" && USER.test(user)))) return false;
  return HOST.test(host) && host === host.toLowerCase() && (port === undefined || isPort(port));
}
