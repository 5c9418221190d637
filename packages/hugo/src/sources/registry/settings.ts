// npm's settings, from the same files and variables as npm.
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { findProgram } from "../program/find-program.ts";
import { redact } from "../redact.ts";
import { expandVariables, readNpmrc, variablesIn } from "./npmrc.ts";

type World = Pick<Context, "cwd" | "home" | "env">;

export interface RegistrySettings {
  /** Every setting that counts, with variables filled in. */
  readonly values: ReadonlyMap<string, string>;
  /** What the project's own .npmrc decides. */
  readonly notices: readonly string[];
}

/** Settings in the project's .npmrc that you do not have yourself: a clone's author chose them. */
export interface ProjectSettings {
  readonly file: string;
  /** The file as people write it here. */
  readonly name: string;
  /** Everything in it that counts. */
  readonly values: ReadonlyMap<string, string>;
  /** What needs your approval. */
  readonly unapproved: readonly UnapprovedSetting[];
  /** Lines that do not count, even with your approval. */
  readonly notices: readonly string[];
}

export interface UnapprovedSetting {
  readonly key: string;
  /** As in the file, without variables filled in. */
  readonly text: string;
  /** The environment variables that a registry would get. */
  readonly variables: readonly string[];
  /** Where these packages come from without it; undefined for credentials. */
  readonly insteadOf: string | undefined;
}

const DEFAULT_REGISTRY = "https://registry.npmjs.org/";

/** Your settings that count besides registries and credentials, and those among them that are paths. */
const CONNECTION_KEYS = new Set(["ca", "cafile", "cert", "key", "strict-ssl", "proxy", "https-proxy", "noproxy"]);
const PATH_KEYS = new Set(["cafile", "prefix", "globalconfig", "userconfig"]);

/** Your own settings, and apart from them what the project would like. Variables win over it, and it over your files. */
export function readRegistrySettings(world: World): {
  readonly files: ReadonlyMap<string, string>;
  readonly environment: ReadonlyMap<string, string>;
  readonly project: ProjectSettings | undefined;
} {
  const { home, env } = world;
  const expanded = (key: string, value: string): string => {
    const text = expandVariables(value.trim(), (name) => env[name]);
    const isPath = PATH_KEYS.has(key) || /:(?:certfile|keyfile)$/.test(key);
    if (!isPath) return text;
    return text.startsWith("~/") ? resolve(home, text.slice(2)) : resolve(world.cwd, text);
  };
  const settingsIn = (file: string): [string, string][] =>
    [...readNpmrc(file)].map(([name, value]) => {
      const key = expandVariables(name, (variable) => env[variable]);
      return [key, expanded(key, value)];
    });

  const environment = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const [, key] = /^npm_config_(.+)$/i.exec(name) ?? [];
    if (key === undefined || !value) continue;
    const plain = key.startsWith("//") ? key : key.replace(/(?!^)_/g, "-").toLowerCase();
    environment.set(plain, expanded(plain, value));
  }
  const { BUN_CONFIG_REGISTRY: bunRegistry, BUN_CONFIG_TOKEN: bunToken } = env;
  if (bunRegistry && !environment.has("registry")) environment.set("registry", bunRegistry);
  if (bunRegistry && bunToken) {
    environment.set(`${withSlash(bunRegistry.replace(/^https?:/, ""))}:_authToken`, bunToken);
  }

  // Each file may say where the next one is. Unlike npm, Hugo does not let the project's file say that.
  const files = new Map(settingsIn(builtinFile(world)));
  const setting = (key: string): string | undefined => environment.get(key) ?? files.get(key);
  const userFile = setting("userconfig") ?? join(home, ".npmrc");
  const user = settingsIn(userFile);
  const below = new Map(files);
  for (const [key, value] of user) files.set(key, value);
  const globalFile = setting("globalconfig") ?? join(setting("prefix") ?? defaultPrefix(world), "etc/npmrc");
  for (const [key, value] of [...settingsIn(globalFile), ...user]) below.set(key, value);

  const counts = ([key, value]: [string, string]): boolean =>
    value !== "" && value !== "null" && (isOfRegistry(key) || CONNECTION_KEYS.has(key));
  const own = { files: new Map([...below].filter(counts)), environment: new Map([...environment].filter(counts)) };
  return { ...own, project: projectSettings(world, own, userFile) };
}

/** The file that comes with npm: distributions use it to move the others. */
function builtinFile(world: World): string {
  const npm = findProgram("npm", world);
  const real = npm === undefined ? "" : realpathSync(npm);
  return basename(real) === "npm-cli.js" ? join(dirname(dirname(real)), "npmrc") : "/nonexistent";
}

/** Where npm's own node is installed, whatever runs Hugo. */
function defaultPrefix(world: World): string {
  if (world.env.PREFIX) return world.env.PREFIX;
  const node = findProgram("node", world) ?? process.execPath;
  return join(world.env.DESTDIR ?? "", dirname(dirname(realpathSync(node))));
}

/** What the nearest .npmrc says, up to the root of the worktree. Certificates, proxies and programs are not a project's to choose. */
function projectSettings(
  world: World,
  own: { readonly files: ReadonlyMap<string, string>; readonly environment: ReadonlyMap<string, string> },
  userFile: string,
): ProjectSettings | undefined {
  const cwd = resolve(world.cwd);
  const last = worktreeOf(cwd) ?? cwd;
  let folder = cwd;
  // Never the one in the home folder, which is your own.
  while (folder === resolve(world.home) || !existsSync(join(folder, ".npmrc"))) {
    if (folder === last || folder === dirname(folder)) return undefined;
    folder = dirname(folder);
  }
  const file = join(folder, ".npmrc");
  if (file === userFile) return undefined;
  const name = relative(cwd, file) || ".npmrc";
  const values = new Map<string, string>();
  const unapproved: UnapprovedSetting[] = [];
  const notices: string[] = [];
  for (const [key, text] of readNpmrc(file)) {
    if (text === "" || !isOfRegistry(key) || /:(?:certfile|keyfile)$/.test(key) || own.environment.has(key)) continue;
    const variables = variablesIn(text);
    // Even with approval, no cloud key or password goes to a registry that a project names.
    const refused = variables.find((variable) => !/(?:^|_)NPM(?:_|$)|^NODE_AUTH_TOKEN$/i.test(variable));
    if (refused !== undefined) {
      const why = `it would send ${refused} to a registry, but that is not an npm environment variable`;
      notices.push(`A line in ${name} was ignored: ${why}. To use it anyway, move it to ~/.npmrc.`);
      continue;
    }
    const isLogin = !isRegistryKey(key);
    // Credentials that are not there need no approval; they are for others, or for the pipeline.
    if (isLogin && variables.some((variable) => !world.env[variable])) continue;
    const value = expandVariables(text, (variable) => world.env[variable]);
    values.set(key, value);
    const before = own.files.get(key) ?? (isLogin ? undefined : defaultRegistry(own));
    const isSame = isLogin ? before === value : withSlash(before ?? "") === withSlash(value);
    if (!isSame) unapproved.push({ key, text, variables, insteadOf: isLogin ? undefined : before });
  }
  return { file, name, values, unapproved, notices };
}

function defaultRegistry(own: {
  readonly files: ReadonlyMap<string, string>;
  readonly environment: ReadonlyMap<string, string>;
}): string {
  return own.environment.get("registry") ?? own.files.get("registry") ?? DEFAULT_REGISTRY;
}

/** Where a package's scope, or packages without one, come from. Ends with a slash. */
export function registryOf(packageName: string, { values }: RegistrySettings): string {
  const scope = packageName.startsWith("@") ? packageName.slice(0, packageName.indexOf("/")) : undefined;
  const url = (scope && values.get(`${scope}:registry`)) || values.get("registry") || DEFAULT_REGISTRY;
  if (/^https?:\/\/[^\s/]/.test(url) && URL.canParse(url)) return withSlash(url);
  throw new HugoError("setting-invalid", {
    message: `The registry ${shown(redact(url))} in your npm settings is not an http or https address`,
    hint: "Fix it in .npmrc or npm_config_registry.",
  });
}

/** What a registry gets from us, if the settings have something for exactly that place. */
export function credentialsFor(
  url: string,
  { values }: RegistrySettings,
): { readonly authorization?: string; readonly certfile?: string; readonly keyfile?: string } {
  const place = url.replace(/^https?:/, "");
  const candidates = new Map<string, Map<string, string>>();
  for (const [key, value] of values) {
    const [, written = "", field = ""] = LOGIN_KEY.exec(key) ?? [];
    if (written === "" || !place.startsWith(withSlash(written))) continue;
    candidates.set(written, (candidates.get(written) ?? new Map()).set(field, value));
  }
  for (const nearest of [...candidates.keys()].sort((a, b) => b.length - a.length)) {
    const { _authToken, _auth, username, _password, certfile, keyfile } = Object.fromEntries(candidates.get(nearest)!);
    const pair = certfile && keyfile ? { certfile, keyfile } : {};
    if (_authToken) return { authorization: `Bearer ${_authToken}`, ...pair };
    if (_auth) return { authorization: `Basic ${_auth}`, ...pair };
    if (username && _password) {
      const password = Buffer.from(_password, "base64").toString();
      return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`, ...pair };
    }
    if (certfile && keyfile) return pair;
  }
  return {};
}

const LOGIN_KEY = /^(\/\/[^\s]+):(_authToken|_auth|username|_password|certfile|keyfile)$/;

function isOfRegistry(key: string): boolean {
  return isRegistryKey(key) || LOGIN_KEY.test(key);
}

export function isRegistryKey(key: string): boolean {
  return key === "registry" || /^@[^\s/:]+:registry$/.test(key);
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
