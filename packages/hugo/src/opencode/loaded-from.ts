import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { Context } from "../context.ts";
import type { PluginEntry } from "./read-config.ts";

/** Where OpenCode loads a plugin from. */
export interface LoadedFrom {
  readonly entry: PluginEntry;
  /** The package's folder; it may not exist yet. */
  readonly folder: string;
  /** The config names it as a path, so OpenCode fetches nothing. */
  readonly isPath: boolean;
  /** As OpenCode names it in its log. */
  readonly shownAs: string;
  /** What follows the name: a version, a range, a tag, or nothing. */
  readonly wanted: string;
  /** What to remove so OpenCode fetches it again. */
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
  // OpenCode caches a package under the text of the config entry, and never looks for a newer one under the same text.
  const cacheFolder = packageCache({ env, home }, wanted === "" ? `${name}@latest` : spec);
  return { entry, folder: join(cacheFolder, "node_modules", name), isPath: false, shownAs: spec, wanted, cacheFolder };
}

/** The version of the package there; undefined if there is none. */
export function versionIn(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const { version } = objectIn(readFileSync(file, "utf8")) ?? {};
  return typeof version === "string" ? version : undefined;
}

/** Where OpenCode keeps what it fetched for the text of an entry. */
export function packageCache({ env, home }: Pick<Context, "env" | "home">, spec: string): string {
  return join(env.XDG_CACHE_HOME || join(home, ".cache"), "opencode", "packages", spec);
}

/** OpenCode has its own, and drops every entry that contains one of these names without a word. */
const IGNORED = ["opencode-openai-codex-auth", "opencode-copilot-auth"];

/** The part of an entry because of which OpenCode ignores it. */
export function ignoredName(spec: string): string | undefined {
  return IGNORED.find((name) => spec.includes(name));
}
