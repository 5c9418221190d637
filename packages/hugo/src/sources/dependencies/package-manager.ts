import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError, type HugoErrorCode } from "../../errors.ts";
import { fetchTimeout } from "../limits.ts";
import { findProgram, trustedPath } from "../program/find-program.ts";
import { runProgram } from "../program/run-program.ts";
import { redact } from "../redact.ts";
import { objectIn } from "../registry/packument.ts";
import { compareVersions, parseVersion } from "../registry/version.ts";

/** A program that installs what a folder's package.json asks for. */
export interface PackageManager {
  readonly name: "bun" | "npm";
  /** The oldest version that keeps all promises made here. */
  readonly since: string;
  /** Scripts off, files copied, no questions. Nothing published after `before` is installed. */
  arguments(options: { readonly before: Date | undefined; readonly registry: string }): string[];
  /** What it installed, according to its lock file. What did not come from a registry has no version. */
  readLock(folder: string): { readonly name: string; readonly version: string | undefined }[];
  /** What it leaves besides `node_modules`. */
  readonly leavings: readonly string[];
}

const bun: PackageManager = {
  name: "bun",
  // The first with a minimum release age; older ones silently ignore the option.
  since: "1.3.0",
  arguments: ({ before, registry }) => [
    "install",
    "--ignore-scripts",
    // By default it makes hard links into a cache that all projects share.
    "--backend=copyfile",
    "--linker=hoisted",
    "--no-progress",
    "--no-summary",
    `--registry=${registry}`,
    ...(before === undefined ? [] : [`--minimum-release-age=${Math.ceil((Date.now() - before.getTime()) / 1000)}`]),
  ],
  // `"name": ["name@1.0.0", "url", {…}, "sha512-…"]`; a package from elsewhere has an address after the "@".
  readLock: (folder) => {
    const file = join(folder, "bun.lock");
    const { root } = parseJsonc(readFileSync(file, "utf8"), { file });
    const { packages } = objectIn(root === undefined ? undefined : toValue(root));
    return Object.values(objectIn(packages)).map((entry) => {
      const [ident, , , integrity] = Array.isArray(entry) ? entry : [];
      const [, name = "", version = ""] = /^(.+?)@([^@]*)$/.exec(String(ident)) ?? [];
      const isRelease = parseVersion(version) !== undefined && typeof integrity === "string";
      return { name, version: isRelease ? version : undefined };
    });
  },
  leavings: ["package.json", "bun.lock", ".npmrc", "node_modules/.bin", "node_modules/.cache"],
};

const npm: PackageManager = {
  name: "npm",
  since: "8.0.0",
  arguments: ({ before, registry }) => [
    "install",
    "--ignore-scripts",
    "--omit=dev",
    "--no-bin-links",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--no-update-notifier",
    "--package-lock=true",
    "--install-links=true",
    // Known to newer versions only, which refuse more than the lock file shows afterwards.
    ...["git", "file", "directory", "remote"].map((kind) => `--allow-${kind}=none`),
    // It retries, but without waiting ten seconds.
    "--fetch-retry-mintimeout=250",
    "--fetch-retry-maxtimeout=2000",
    `--registry=${registry}`,
    ...(before === undefined ? [] : [`--before=${before.toISOString()}`]),
  ],
  // `"node_modules/name": { version, resolved, integrity }`; bundled packages came inside another one.
  readLock: (folder) => {
    const { packages } = objectIn(JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")));
    return Object.entries(objectIn(packages)).flatMap(([path, value]) => {
      if (path === "") return [];
      const { version, resolved, integrity, link, inBundle } = objectIn(value);
      const isRelease = typeof resolved === "string" && /^https?:/.test(resolved) && typeof integrity === "string";
      const isFine = (isRelease || inBundle === true) && link !== true;
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return [{ name, version: isFine && typeof version === "string" ? version : undefined }];
    });
  },
  leavings: [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "node_modules/.bin",
    "node_modules/.cache",
    "node_modules/.package-lock.json",
  ],
};

/** In order of preference: bun is a hundred times faster at it. */
export const packageManagers: readonly PackageManager[] = [bun, npm];

/** The first that is there and new enough, or the one that `HUGO_PACKAGE_MANAGER` names. */
export async function findPackageManager(
  context: Context,
): Promise<{ readonly manager: PackageManager; readonly file: string }> {
  const namesOf = (managers: readonly PackageManager[]): string => managers.map(({ name }) => name).join(" or ");
  const { HUGO_PACKAGE_MANAGER: wanted } = context.env;
  const candidates = wanted ? packageManagers.filter(({ name }) => name === wanted) : packageManagers;
  if (candidates.length === 0) {
    throw new HugoError("setting-invalid", {
      message: "HUGO_PACKAGE_MANAGER names a package manager that Hugo does not support",
      hint: `Set it to ${namesOf(packageManagers)}, or unset it.`,
    });
  }
  const outdated: string[] = [];
  for (const manager of candidates) {
    const file = findProgram(manager.name, context);
    if (file === undefined) continue;
    const env = { PATH: trustedPath(context), HOME: context.home };
    const timeout = fetchTimeout(context.env);
    const { signal } = context;
    const { stdout } = await runProgram({ file, args: ["--version"], cwd: "/", env, timeout, signal });
    const version = stdout.trim();
    // An older one silently ignores options that it does not know.
    if (compareVersions(version, manager.since) >= 0) return { manager, file };
    outdated.push(`${file} is version ${shown(version)}, older than ${manager.since}`);
  }
  const why =
    outdated.length > 0 ? outdated.join(", ") : "not found on the PATH (folders inside this project are ignored)";
  throw new HugoError("program-failed", {
    message: `The package has dependencies, which need ${namesOf(candidates)}: ${why}`,
    hint: `Install ${namesOf(candidates)}, then try again.`,
  });
}

const LAST_LINES = 3;

/** What both package managers print, the most specific first. */
const REASONS: readonly { readonly words: RegExp; readonly code: HugoErrorCode; readonly hint: string }[] = [
  {
    words: /Fetching packages of type|"git clone"|(?:file|link|workspace|git\+\w+):/i,
    code: "package-unsafe",
    hint: "Nothing was installed. Dependencies must come from a registry, so the package's author must publish them.",
  },
  {
    words: /minimum-release-age|ENOVERSIONS|with a date before/i,
    code: "release-too-new",
    hint: "One of its dependencies was published more recently than HUGO_MINIMUM_RELEASE_AGE allows. Wait, or add --allow-new.",
  },
  {
    words: /integrity check failed|IntegrityCheckFailed|EINTEGRITY/i,
    code: "integrity-mismatch",
    hint: "Nothing was installed. Try again; if this keeps happening, something is altering the download.",
  },
  {
    words: /\b40[13]\b|E40[13]|Unauthorized|Forbidden/,
    code: "access-denied",
    hint: "Log in with `npm login`, or put a token for this registry in ~/.npmrc.",
  },
  {
    words: /\b404\b|E404/,
    code: "package-not-found",
    hint: "A dependency is not in the registry. Only the package's author can fix that.",
  },
  {
    words: /No version matching|failed to resolve|ETARGET|No matching version/i,
    code: "version-not-found",
    hint: "A dependency is not in the registry. Only the package's author can fix that.",
  },
  {
    words:
      /ConnectionRefused|ConnectionClosed|DNSResolve|ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|socket hang up|\b5\d\d\b/i,
    code: "network-failed",
    hint: "Check your connection, your proxy and the registry in .npmrc, then try again.",
  },
];

/** Why a package manager failed, with a hint that helps. */
export function managerFailure(manager: string, what: string, output: string): HugoError {
  const { code, hint } = REASONS.find(({ words }) => words.test(output)) ?? {
    code: "program-failed" as const,
    hint: `Nothing was installed. Try \`${manager} install\` in an empty folder: it shows more details.`,
  };
  const lines = redact(output)
    .split(/\r?\n/)
    .map((line) => line.replace(/^(?:npm (?:error|ERR!)|error:)\s*/, "").trim())
    .filter((line) => line !== "" && !/^(?:Resolv|Saved|code |npm warn|A complete log|bun install v)/.test(line));
  const said = [...new Set(lines)].slice(0, LAST_LINES).join(" / ") || "it gave no reason";
  const message = `${manager} could not install the dependencies of ${what}: ${said}`;
  return new HugoError(code, { message, hint });
}
