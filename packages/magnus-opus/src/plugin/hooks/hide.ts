import type { Permission } from "@atomic/workflows/permission/rules";
import type { OpencodeConfig } from "@atomic/workflows/plugin/opencode-config";

/**
 * Nobody has the tools and skills of the workflow, and pays for them, but the agents whose own permission says so.
 * What the user has said about one of them stays.
 */
export function hide(config: OpencodeConfig, tools: readonly string[], skills: readonly string[]): void {
  const { permission = {} } = config;
  const user: Permission = typeof permission === "string" ? { "*": permission } : permission;
  const skill = typeof user.skill === "string" ? { "*": user.skill } : user.skill;
  config.permission = { ...user, ...denied(tools, user), skill: { ...skill, ...denied(skills, skill ?? {}) } };
}

function denied(names: readonly string[], said: Permission): Readonly<Record<string, "deny">> {
  return Object.fromEntries(names.filter((name) => !Object.hasOwn(said, name)).map((name) => [name, "deny"]));
}
