// One reading of the user's npm settings, for Hugo's own requests and for whichever package manager is there.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { worktreeOf } from "../program/find-program.ts";
import { redact } from "../redact.ts";
import { expandVariables, isRegistryKey, parseNpmrc, readAuthKey, withSlash } from "./npmrc.ts";

type World = Pick<Context, "cwd" | "home" | "env">;

export interface RegistrySettings {
  /** Every line that counts, with all variables filled in: the environment's over the project's over the user's. */
  readonly values: ReadonlyMap<string, string>;
  /** What the project's own .npmrc decides. */
  readonly notices: readonly string[];
}

const DEFAULT_REGISTRY = "https://registry.npmjs.org/";

/** What of the user's own settings has a say besides registries and credentials. */
const CONNECTION_KEYS: ReadonlySet<string> = new Set([
  "ca",
  "cafile",
  "cert",
  "key",
  "strict-ssl",
  "proxy",
  "https-proxy",
  "noproxy",
]);

export function readRegistrySettings(world: World): RegistrySettings {
  const user = userSettings(world);
  const environment = environmentSettings(world.env);
  const project = projectSettings(world, user, environment);
  return { values: new Map([...user, ...project.values, ...environment]), notices: project.notices };
}

/** Where the packages of a scope come from, or those without one. Ends with a slash. */
export function registryOf(packageName: string, { values }: RegistrySettings): string {
  const scope = packageName.startsWith("@") ? packageName.slice(0, packageName.indexOf("/")) : undefined;
  const url = (scope && values.get(`${scope}:registry`)) || values.get("registry") || DEFAULT_REGISTRY;
  if (/^https?:\/\/[^\s/]/.test(url) && URL.canParse(url)) return withSlash(url);
  throw new HugoError("setting-invalid", {
    message: `The registry ${shown(redact(url))} of your npm settings is no http or https address`,
    hint: "Correct it in .npmrc, or in npm_config_registry.",
  });
}

/** The header that tells who is asking, if the settings have one for exactly that place. */
export function authorizationFor(url: string, { values }: RegistrySettings): string | undefined {
  const place = url.replace(/^https?:/, "");
  const candidates = new Map<string, Map<string, string>>();
  for (const [key, value] of values) {
    const auth = readAuthKey(key);
    if (auth === undefined || !place.startsWith(auth.place)) continue;
    candidates.set(auth.place, (candidates.get(auth.place) ?? new Map()).set(auth.field, value));
  }
  const [nearest] = [...candidates.keys()].sort((a, b) => b.length - a.length);
  return nearest === undefined ? undefined : header(candidates.get(nearest) ?? new Map());
}

function header(fields: ReadonlyMap<string, string>): string | undefined {
  const [token, auth, user, password] = ["_authToken", "_auth", "username", "_password"].map((key) => fields.get(key));
  if (token) return `Bearer ${token}`;
  if (auth) return `Basic ${auth}`;
  if (!user || !password) return undefined;
  return `Basic ${Buffer.from(`${user}:${Buffer.from(password, "base64").toString()}`).toString("base64")}`;
}

function userSettings({ home, env }: World): Map<string, string> {
  const file = inEnvironment(env, "userconfig") ?? join(home, ".npmrc");
  const lines = [...readLines(file)].map(([key, value]): [string, string] => [
    key,
    expandVariables(value, (name) => env[name]),
  ]);
  return new Map(lines.filter(([key]) => isRegistryKey(key) || readAuthKey(key) || CONNECTION_KEYS.has(key)));
}

interface ProjectSettings {
  readonly values: ReadonlyMap<string, string>;
  readonly notices: readonly string[];
}

/** Companies put their registry there, so it counts; but a stranger's repository may have one too, so it is told. */
function projectSettings(
  world: World,
  user: ReadonlyMap<string, string>,
  environment: ReadonlyMap<string, string>,
): ProjectSettings {
  const file = projectNpmrc(world);
  if (file === undefined) return { values: new Map(), notices: [] };
  const name = relative(resolve(world.cwd), file) || ".npmrc";
  const values = new Map<string, string>();
  const notices: string[] = [];
  for (const [key, raw] of readLines(file)) {
    if (!isRegistryKey(key) && readAuthKey(key) === undefined) continue;
    const refused = foreignVariable(raw);
    if (refused !== undefined) {
      const why = `it would send the variable ${refused}, whose name does not say that it is for npm, to a registry`;
      notices.push(`A line of ${name} was left out: ${why}. If that is right, put the line into ~/.npmrc.`);
      continue;
    }
    const value = expandVariables(raw, (variable) => world.env[variable]);
    values.set(key, value);
    const isOverruled = environment.has(key) || withSlash(user.get(key) ?? "") === withSlash(value);
    if (!isRegistryKey(key) || isOverruled) continue;
    const what = key === "registry" ? "packages" : `packages of ${key.slice(0, key.indexOf(":"))}`;
    notices.push(`${name} of this project makes ${what} come from ${redact(value)}`);
  }
  return { values, notices };
}

/** npm would hand any variable to the registry that a project names, such as the key to a cloud. */
function foreignVariable(value: string): string | undefined {
  const names = [...value.matchAll(/\$\{([^${}?]+)\??\}/g)].map(([, name = ""]) => name);
  return names.find((name) => !/(?:^|_)NPM(?:_|$)|^NODE_AUTH_TOKEN$/i.test(name));
}

/** The nearest, up to the root of the worktree; never the one in the home folder, which is the user's own. */
function projectNpmrc({ cwd, home }: World): string | undefined {
  const last = worktreeOf(resolve(cwd)) ?? resolve(cwd);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, ".npmrc");
    if (folder !== resolve(home) && existsSync(file)) return file;
    if (folder === last || folder === dirname(folder)) return undefined;
  }
}

function environmentSettings(env: World["env"]): Map<string, string> {
  const values = new Map<string, string>();
  const { BUN_CONFIG_REGISTRY: bunRegistry, BUN_CONFIG_TOKEN: bunToken } = env;
  if (bunRegistry) values.set("registry", bunRegistry);
  if (bunRegistry && bunToken) values.set(`${withSlash(bunRegistry.replace(/^https?:/, ""))}:_authToken`, bunToken);
  for (const [name, value] of Object.entries(env)) {
    const [, key] = /^npm_config_(.+)$/i.exec(name) ?? [];
    if (key === undefined || !value) continue;
    // Only plain names are written with underscores instead of dashes there.
    const plain = /^[a-z_]+$/i.test(key) ? key.toLowerCase().replace(/(?!^)_/g, "-") : key;
    if (isRegistryKey(plain) || readAuthKey(plain) || CONNECTION_KEYS.has(plain)) values.set(plain, value);
  }
  return values;
}

function inEnvironment(env: World["env"], key: string): string | undefined {
  return env[`npm_config_${key}`] || env[`NPM_CONFIG_${key.toUpperCase()}`] || undefined;
}

function readLines(file: string): Map<string, string> {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return new Map();
    // To read from a FIFO would wait without end.
    if (!stats.isFile()) throw unreadable(file, "no file");
    return parseNpmrc(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return new Map();
    throw code === "EACCES" ? unreadable(file, code, error) : error;
  }
}

function unreadable(file: string, why: string, cause?: unknown): HugoError {
  return new HugoError("setting-invalid", {
    message: `${file} cannot be read (${why})`,
    at: file,
    hint: "npm settings live there: make it a readable file, or remove it.",
    cause,
  });
}
