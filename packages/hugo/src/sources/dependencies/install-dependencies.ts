import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { FetchOptions } from "../fetched.ts";
import { fetchTimeout, limitsOfDependencies, minimumReleaseAge, type SizeLimits, SLOW_NETWORK } from "../limits.ts";
import { runProgram } from "../program/run-program.ts";
import { refuseUnknownAge } from "../registry/choose-version.ts";
import { readPackument } from "../registry/packument.ts";
import { type RegistrySettings, readRegistrySettings, registryOf } from "../registry/settings.ts";
import { watchingSize } from "../watch-size.ts";
import { type Dependencies, dependenciesIn } from "./dependencies-of.ts";
import { managerFailure } from "./manager-failure.ts";
import { handOver } from "./manager-settings.ts";
import { type FoundManager, findPackageManager } from "./package-manager.ts";

interface Options extends Pick<FetchOptions, "into" | "context" | "allowNew"> {
  /** Of the package whose dependencies are needed. */
  readonly folder: string;
  readonly limits: SizeLimits;
}

export async function installDependencies(what: string, root: string, options: Options): Promise<void> {
  const { folder, into, context, allowNew, limits } = options;
  const wanted = dependenciesIn(readFileSync(join(folder, "package.json"), "utf8"), what);
  const names = [...wanted.needed.keys(), ...wanted.optional.keys()];
  if (names.length === 0) return;

  const found = await findPackageManager(context);
  const settings = readRegistrySettings(context);
  const minimumAge = allowNew ? 0 : minimumReleaseAge(context.env);
  if (minimumAge > 0) await refuseSilentRegistries(names, settings, context);

  context.person.progress(`Installing what ${what} depends on, with ${found.manager.name}`);
  writeFileSync(join(root, "package.json"), manifestOf(wanted));
  const env = handOver(settings, root, join(into, "manager"), context);
  const before = minimumAge > 0 ? new Date(Date.now() - minimumAge) : undefined;
  const args = found.manager.arguments({ before, registry: registryOf("", settings) });
  const timeout = fetchTimeout(context.env);
  const end = await watchingSize(into, `What ${what} depends on`, limitsOfDependencies(limits), (guard) =>
    runProgram({
      file: found.file,
      args,
      cwd: root,
      env,
      timeout,
      whenSlow: SLOW_NETWORK,
      signal: context.signal,
      guard,
    }),
  );
  if (end.code !== 0) throw managerFailure(found.manager.name, what, `${end.stderr}\n${end.stdout}`);
  verify(found, what, root, wanted);
  for (const name of found.manager.leavings) rmSync(join(root, name), { recursive: true, force: true });
}

function manifestOf({ needed, optional }: Dependencies): string {
  const manifest = {
    private: true,
    dependencies: Object.fromEntries(needed),
    optionalDependencies: Object.fromEntries(optional),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** bun and npm take the newest release of a registry that does not tell ages: measured, and not acceptable. */
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
      refuseUnknownAge(await readPackument(name, settings, context));
      asked.add(registry);
    } catch (error) {
      // The package manager knows whether it can do without.
      if (!(error instanceof HugoError) || error.code !== "package-not-found") throw error;
    }
  }
}

/** What a program says at its end is one thing, what lies on the disk another. */
function verify({ manager }: FoundManager, what: string, root: string, { needed }: Dependencies): void {
  const stranger = manager.readLock(root).find(({ version }) => version === undefined);
  if (stranger !== undefined) {
    throw new HugoError("package-unsafe", {
      message: `${what} depends on ${shown(stranger.name)}, which does not come from a registry`,
      hint: "Nothing was installed. Its author must publish what it depends on.",
    });
  }
  const missing = [...needed.keys()].find((name) => !existsSync(join(root, "node_modules", name, "package.json")));
  if (missing === undefined) return;
  throw new HugoError("program-failed", {
    message: `${manager.name} says that it is done, but ${missing}, which ${what} depends on, is not there`,
    hint: "Nothing was installed. Try again, or with the other one: HUGO_PACKAGE_MANAGER=bun or npm.",
  });
}
