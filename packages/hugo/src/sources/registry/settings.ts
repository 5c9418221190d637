// Reads the user's npm settings once, for Hugo's own requests and for the package manager.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { redact } from "../redact.ts";

type World = Pick<Context, "cwd" | "home" | "env">;

export interface RegistrySettings {
  /** Every line that counts, with variables filled in. The environment overrides the project, which overrides the user. */
  readonly values: ReadonlyMap<string, string>;
  /** What the project's own .npmrc decides. */
  readonly notices: readonly string[];
}

const DEFAULT_REGISTRY = "https://registry.npmjs.org/";

/** The user's settings that count besides registries and credentials. */
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
  const { home, env } = world;
  const counts = (key: string): boolean =>
    isRegistryKey(key) || readAuthKey(key) !== undefined || CONNECTION_KEYS.has(key);

  const userFile = env.npm_config_userconfig || env.NPM_CONFIG_USERCONFIG || join(home, ".npmrc");
  const user = new Map<string, string>();
  for (const [key, value] of readLines(userFile)) {
    if (counts(key))
      user.set(
        key,
        expandVariables(value, (name) => env[name]),
      );
  }

  const environment = new Map<string, string>();
  const { BUN_CONFIG_REGISTRY: bunRegistry, BUN_CONFIG_TOKEN: bunToken } = env;
  if (bunRegistry) environment.set("registry", bunRegistry);
  if (bunRegistry && bunToken) {
    environment.set(`${withSlash(bunRegistry.replace(/^https?:/, ""))}:_authToken`, bunToken);
  }
  for (const [name, value] of Object.entries(env)) {
    const [, key] = /^npm_config_(.+)$/i.exec(name) ?? [];
    if (key === undefined || !value) continue;
    // Only plain names are written with underscores instead of dashes there.
    const plain = /^[a-z_]+$/i.test(key) ? key.toLowerCase().replace(/(?!^)_/g, "-") : key;
    if (counts(plain)) environment.set(plain, value);
  }

  const project = projectSettings(world, user, environment);
  return { values: new Map([...user, ...project.values, ...environment]), notices: project.notices };
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

/** The authorization header, if the settings have one for exactly that place. */
export function authorizationFor(url: string, { values }: RegistrySettings): string | undefined {
  const place = url.replace(/^https?:/, "");
  const candidates = new Map<string, Map<string, string>>();
  for (const [key, value] of values) {
    const auth = readAuthKey(key);
    if (auth === undefined || !place.startsWith(auth.place)) continue;
    candidates.set(auth.place, (candidates.get(auth.place) ?? new Map()).set(auth.field, value));
  }
  const [nearest] = [...candidates.keys()].sort((a, b) => b.length - a.length);
  const fields = candidates.get(nearest ?? "");
  const [token, auth, user, password] = ["_authToken", "_auth", "username", "_password"].map((key) => fields?.get(key));
  if (token) return `Bearer ${token}`;
  if (auth) return `Basic ${auth}`;
  if (!user || !password) return undefined;
  return `Basic ${Buffer.from(`${user}:${Buffer.from(password, "base64").toString()}`).toString("base64")}`;
}

/** Companies set their registry in a project's .npmrc, so it counts; so could a stranger's repository, so it is reported. */
function projectSettings(
  world: World,
  user: ReadonlyMap<string, string>,
  environment: ReadonlyMap<string, string>,
): RegistrySettings {
  const values = new Map<string, string>();
  const notices: string[] = [];
  const cwd = resolve(world.cwd);
  const last = worktreeOf(cwd) ?? cwd;
  // The nearest, up to the root of the worktree; never the one in the home folder, which is the user's own.
  let folder = cwd;
  while (folder === resolve(world.home) || !existsSync(join(folder, ".npmrc"))) {
    if (folder === last || folder === dirname(folder)) return { values, notices };
    folder = dirname(folder);
  }
  const file = join(folder, ".npmrc");
  const name = relative(cwd, file) || ".npmrc";
  for (const [key, raw] of readLines(file)) {
    if (!isRegistryKey(key) && readAuthKey(key) === undefined) continue;
    // npm would send any variable, such as a cloud key, to the registry that a project names.
    const variables = [...raw.matchAll(VARIABLE)].map(([, variable = ""]) => variable);
    const refused = variables.find((variable) => !/(?:^|_)NPM(?:_|$)|^NODE_AUTH_TOKEN$/i.test(variable));
    if (refused !== undefined) {
      const why = `it would send ${refused} to a registry, but that is not an npm environment variable`;
      notices.push(`A line in ${name} was ignored: ${why}. To use it anyway, move it to ~/.npmrc.`);
      continue;
    }
    const value = expandVariables(raw, (variable) => world.env[variable]);
    values.set(key, value);
    const isOverruled = environment.has(key) || withSlash(user.get(key) ?? "") === withSlash(value);
    if (!isRegistryKey(key) || isOverruled) continue;
    const what = key === "registry" ? "packages" : `packages in ${key.slice(0, key.indexOf(":"))}`;
    notices.push(`Because of this project's ${name}, ${what} come from ${redact(value)}`);
  }
  return { values, notices };
}

function readLines(file: string): Map<string, string> {
  let why = "no file";
  let cause: unknown;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return new Map();
    // Reading from a FIFO would wait forever.
    if (stats.isFile()) return parseNpmrc(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return new Map();
    if (code !== "EACCES") throw error;
    [why, cause] = [code, error];
  }
  throw new HugoError("setting-invalid", {
    message: `${file} cannot be read (${why})`,
    at: file,
    hint: "It contains npm settings: make it a readable file, or remove it.",
    cause,
  });
}

/** The lines of an `.npmrc`, later ones over earlier ones. Keys keep their spelling. */
export function parseNpmrc(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const pairs = lines.flatMap((line): [string, string][] => {
    if (line === "" || /^[;#[]/.test(line)) return [];
    const at = line.indexOf("=");
    if (at === -1) return [[line, "true"]];
    const value = line.slice(at + 1).trim();
    const [, double, single] = /^(?:"(.*)"|'(.*)')$/.exec(value) ?? [];
    return [[line.slice(0, at).trim(), double ?? single ?? value.replace(/\s[;#].*$/, "").trim()]];
  });
  return new Map(pairs);
}

const VARIABLE = /\$\{([^${}?]+)(\?)?\}/g;

/** Fills in `${NAME}` and `${NAME?}`. What `lookUp` does not know stays as it is, or is empty with the question mark. */
export function expandVariables(value: string, lookUp: (name: string) => string | undefined): string {
  return value.replace(VARIABLE, (whole, name: string, optional: string | undefined) => {
    return lookUp(name) ?? (optional === undefined ? whole : "");
  });
}

const AUTH_KEY = /^(\/\/[^\s]+):(_authToken|_auth|username|_password)$/;

/** `//host/path/` and the field, if the line holds credentials for a registry. */
function readAuthKey(key: string): { readonly place: string; readonly field: string } | undefined {
  const [, place, field] = AUTH_KEY.exec(key) ?? [];
  return place === undefined || field === undefined ? undefined : { place: withSlash(place), field };
}

function isRegistryKey(key: string): boolean {
  return key === "registry" || /^@[^\s/:]+:registry$/.test(key);
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
