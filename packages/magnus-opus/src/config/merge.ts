import type { Config } from "./schema.ts";

/** Lists in which the user and the project each name some: both count. */
const unions: ReadonlySet<string> = new Set([
  "disabled_agents",
  "disabled_mcps",
  "disabled_skills",
  "disabled_hooks",
  "enabled_mcps",
]);

/** The later one wins, setting by setting. */
export function mergeConfigs(...configs: readonly Config[]): Config {
  return configs.reduce((merged, config) => mergeObjects(merged, config) as Config, {});
}

function mergeObjects(under: object, over: object): object {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    if (isObject(before) && isObject(value)) merged[key] = mergeObjects(before, value);
    else if (unions.has(key) && Array.isArray(before)) merged[key] = [...new Set([...before, ...(value as unknown[])])];
    else merged[key] = value;
  }
  return merged;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
