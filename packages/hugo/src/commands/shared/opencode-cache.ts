import { join, resolve } from "node:path";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import type { Context } from "../../context.ts";

/** Where OpenCode keeps its copy of a plugin that the array names so. It fetches once for each spelling, and never again. */
export function cachedPlugin({ home, env }: Pick<Context, "home" | "env">, pin: string, packageName: string): string {
  const cache = env.XDG_CACHE_HOME ? resolve(env.XDG_CACHE_HOME) : join(home, ".cache");
  return joinInside(join(cache, "opencode", "packages"), `${pin}/node_modules/${packageName}`);
}
