import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { readJsonObject } from "../../packages/json-part.ts";
import type { ObtainOptions } from "../fetched.ts";
import { fetchTimeout, limitsOfDependencies, minimumReleaseAge, SLOW_NETWORK } from "../limits.ts";
import { managerEnvironment } from "../program/environment.ts";
import { runProgram } from "../program/run-program.ts";
import { registrySettings } from "../registry/approved-settings.ts";
import { ageUnknown } from "../registry/choose-version.ts";
import { readPackument } from "../registry/packument.ts";
import { type RegistrySettings, registryOf } from "../registry/settings.ts";
import { watchingSize } from "../watch-size.ts";
import { findPackageManager, managerFailure } from "./package-manager.ts";

type InstallOptions = Pick<ObtainOptions, "folder" | "into" | "context" | "allowNew" | "limits">;

/** Installs a package's dependencies below `root`; the package itself is in `folder`. */
export async function installDependencies(what: string, root: string, options: InstallOptions): Promise<void> {
  const { folder, into, context, allowNew, limits } = options;
  const wanted = dependenciesIn(readFileSync(join(folder, "package.json"), "utf8"), what);
  const names = [...wanted.needed.keys(), ...wanted.optional.keys()];
  if (names.length === 0) return;

  const { manager, file } = await findPackageManager(context);
  const settings = await registrySettings(context);
  const minimumAge = allowNew ? 0 : minimumReleaseAge(context.env);
  if (minimumAge > 0) await refuseSilentRegistries(names, settings, context);

  context.user.progress(`Installing dependencies for ${what} with ${manager.name}`);
  const manifest = {
    private: true,
    dependencies: Object.fromEntries(wanted.needed),
    optionalDependencies: Object.fromEntries(wanted.optional),
  };
  writeFileSync(join(root, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const env = handOver(settings, root, join(into, "manager"), context);
  const before = minimumAge > 0 ? new Date(Date.now() - minimumAge) : undefined;
  const args = manager.arguments({ before, registry: registryOf("", settings) });
  const timeout = fetchTimeout(context.env);
  const { signal } = context;
  const end = await watchingSize(into, `The dependency tree of ${what}`, limitsOfDependencies(limits), (guard) =>
    runProgram({ file, args, cwd: root, env, timeout, whenSlow: SLOW_NETWORK, signal, guard }),
  );
  if (end.code !== 0) throw managerFailure(manager.name, what, `${end.stderr}\n${end.stdout}`);
  // Check what is on the disk, whatever the program reported.
  const stranger = manager.readLock(root).find(({ version }) => version === undefined);
  if (stranger !== undefined) {
    throw new HugoError("package-unsafe", {
      message: `${what} depends on ${shown(stranger.name)}, which does not come from a registry`,
      hint: "Nothing was installed. Its author must publish that dependency.",
    });
  }
  const modules = join(root, "node_modules");
  const missing = [...wanted.needed.keys()].find((name) => !existsSync(join(modules, name, "package.json")));
  if (missing !== undefined) {
    throw new HugoError("program-failed", {
      message: `${manager.name} reported success, but ${missing}, a dependency of ${what}, is missing`,
      hint: "Nothing was installed. Try again, or set HUGO_PACKAGE_MANAGER to bun or npm.",
    });
  }
  for (const name of manager.leavings) rmSync(join(root, name), { recursive: true, force: true });
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** A version, a range or a tag: nothing that could be a path, an address or an option. */
const PLAIN = /^(?!-)[\w.+~^<>=|*\s-]*$/;

interface Dependencies {
  /** By name. Peers count, because nothing else would install them. */
  readonly needed: ReadonlyMap<string, string>;
  /** Those that may be missing, such as programs for another system. */
  readonly optional: ReadonlyMap<string, string>;
}

/** What must be installed next to a package for its code to run. */
function dependenciesIn(packageJson: string, what: string): Dependencies {
  const hint = "Only the package's author can fix it.";
  const root = readJsonObject(packageJson, { file: "package.json", code: "manifest-invalid", hint });
  const optionalPeers = new Set<string>();
  for (const [peer, meta] of root.get("peerDependenciesMeta").entries()) {
    if (meta.get("optional").value() === true) optionalPeers.add(peer);
  }
  const peers = root.get("peerDependencies").entries();
  /** A dependency by path would copy files from this machine, and one by address escapes the registry's rules. */
  const checked = ([name, part]: [string, JsonPart]): [string, string] => {
    const spec = part.string();
    const [, alias, range = ""] = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(spec) ?? [];
    const isSafe = alias === undefined ? PLAIN.test(spec) : NAME.test(alias) && PLAIN.test(range);
    if (NAME.test(name) && isSafe) return [name, spec];
    throw new HugoError("package-unsafe", {
      message: `${what} depends on ${shown(name)} (${shown(spec)}), which is not a version from a registry`,
      hint: "Nothing was installed. Its author must publish that dependency.",
    });
  };
  const optional = new Map(root.get("optionalDependencies").entries().map(checked));
  const needed = [...peers.filter(([name]) => !optionalPeers.has(name)), ...root.get("dependencies").entries()].map(
    checked,
  );
  // npm lets the optional one win where a package is named as both.
  return { needed: new Map(needed.filter(([name]) => !optional.has(name))), optional };
}

/**
 * Hands Hugo's reading of the user's npm settings to a package manager that sees neither the user's home nor the
 * project. The values are passed in the environment, so no token is written to disk.
 */
function handOver({ values }: RegistrySettings, root: string, home: string, context: Context): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const lines: string[] = [];
  const env: Record<string, string> = {};
  // bun knows proxies from the environment only.
  const proxies = [
    ["HTTP_PROXY", values.get("proxy")],
    ["HTTPS_PROXY", values.get("https-proxy") ?? values.get("proxy")],
    ["NO_PROXY", values.get("noproxy")],
  ] as const;
  for (const [name, value] of proxies) if (value !== undefined) env[name] = value;
  Object.assign(env, managerEnvironment(context, home));
  for (const [i, [key, value]] of [...values].entries()) {
    const variable = `HUGO_NPM_SETTING_${i}`;
    env[variable] = value;
    lines.push(`${key}=\${${variable}}`);
  }
  writeFileSync(join(root, ".npmrc"), `${lines.join("\n")}\n`, { mode: 0o600 });
  return env;
}

/** If a registry does not report release dates, bun and npm install the newest release, which is not acceptable. */
async function refuseSilentRegistries(
  names: readonly string[],
  settings: RegistrySettings,
  context: Context,
): Promise<void> {
  const asked = new Set<string>();
  for (const name of names) {
    const registry = registryOf(name, settings);
    if (asked.has(registry)) continue;
    try {
      const known = await readPackument(name, settings, context);
      if (known.times.size === 0) throw ageUnknown(known, known.tags.get("latest") ?? "");
      asked.add(registry);
    } catch (error) {
      // The package manager knows whether it can do without.
      if (!(error instanceof HugoError) || error.code !== "package-not-found") throw error;
    }
  }
}
