import type { OpencodeConfig, Permission } from "@atomic/workflows/plugin/opencode-config";
import type { Tool } from "../tools/tool.ts";

/** Nobody has the tools of the workflow, and pays for them, but the agents whose own permission says so. */
export function hideTools(config: OpencodeConfig, tools: readonly Tool[]): void {
  const { permission = {} } = config;
  const user: Permission = typeof permission === "string" ? { "*": permission } : permission;
  const hidden = tools.filter(({ name }) => !Object.hasOwn(user, name)).map(({ name }) => [name, "deny"] as const);
  config.permission = { ...user, ...Object.fromEntries(hidden) };
}
