import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Context } from "../../context.ts";
import type { PluginEntry } from "../../opencode/read-config.ts";

/** Where OpenCode takes a plugin from. */
export interface LoadedFrom {
  readonly entry: PluginEntry;
  /** The folder of the package; it need not be there yet. */
  readonly folder: string;
  /** It stands in the config as a path, and OpenCode fetches nothing. */
  readonly isPath: boolean;
  /** As OpenCode names it in its log. */
  readonly shownAs: string;
  /** What is written behind the name: a version, a range, a tag, or nothing. */
  readonly wanted: string;
  /** What to remove so that OpenCode fetches it again. */
  readonly cacheFolder?: string;
}

const NAMED = /^((?:@[^/@\s]+\/)?[^/@\s:#]+)(?:@(.+))?$/;

/** Undefined for forms that Hugo never writes, such as git addresses. */
export function loadedFrom(entry: PluginEntry, { env, home }: Pick<Context, "env" | "home">): LoadedFrom | undefined {
  const { spec, file } = entry;
  if (/^(?:\.|\/|file:\/\/)/.test(spec) || isAbsolute(spec)) {
    const folder = spec.startsWith("file://") ? fileURLToPath(spec) : resolve(dirname(file), spec);
    return { entry, folder, isPath: true, shownAs: pathToFileURL(folder).href, wanted: "" };
  }
  const [, name, wanted = ""] = NAMED.exec(spec) ?? [];
  if (name === undefined || wanted.includes(":")) return undefined;
  // OpenCode keeps a package by the words of the config, and never looks for a newer one under the same words.
  const cacheFolder = join(
    env.XDG_CACHE_HOME || join(home, ".cache"),
    "opencode",
    "packages",
    wanted === "" ? `${name}@latest` : spec,
  );
  return { entry, folder: join(cacheFolder, "node_modules", name), isPath: false, shownAs: spec, wanted, cacheFolder };
}

/** The version of the package that lies there; undefined if none does. */
export function versionIn(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
