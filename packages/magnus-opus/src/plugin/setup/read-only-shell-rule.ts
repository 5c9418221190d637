// Agents that only read get OpenCode's whole shell, because the plugin parses each line before it runs (hooks/tool-calls.ts). The
// patterns in `agents/*.md` cannot tell `cat a | head` from `cat a | tee b`; they apply where the files are used without the plugin.
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Role } from "../../run/phase-name.ts";

const readers: ReadonlySet<string> = new Set<Role>(["orchestrator", "architect", "designer", "reviewer", "explorer"]);

/** Whether the plugin lets this role use the shell only to read, in every session. */
export function readsOnly(role: string): boolean {
  return readers.has(role);
}

export function withReadOnlyShell(
  agents: Readonly<Record<string, AgentConfig>>,
): Readonly<Record<string, AgentConfig>> {
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => {
      const { permission } = agent;
      if (!readsOnly(name) || typeof permission?.bash !== "object") return [name, agent];
      return [name, { ...agent, permission: { ...permission, bash: "allow" as const } }];
    }),
  );
}
