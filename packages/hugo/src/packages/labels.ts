import { count } from "@atomic/terminal/count";
import { type Registers, registerKinds } from "@atomic/workflows/internal/hugo-lock/registers";

interface Contents {
  readonly agents: readonly unknown[];
  readonly skills: readonly unknown[];
  readonly commands: readonly unknown[];
  readonly workflows?: readonly unknown[];
  readonly plugins?: readonly unknown[];
  readonly registers?: Registers;
}

/** Only a plugin can be installed without any content. */
export const CODE_ONLY = "code only";

/** `2 agents, 1 command`; empty lists are not mentioned. */
export function contentAmounts(contents: Contents): string {
  const { plugins = [], agents, skills, commands, workflows = [], registers = {} } = contents;
  const amounts = [
    { list: plugins, one: "plugin" },
    { list: [...agents, ...(registers.agents ?? [])], one: "agent" },
    { list: [...skills, ...(registers.skills ?? [])], one: "skill" },
    { list: [...commands, ...(registers.commands ?? [])], one: "command" },
    { list: workflows, one: "workflow" },
    { list: registers.tools ?? [], one: "tool" },
    { list: registers.mcp ?? [], one: "MCP server" },
  ];
  const there = amounts.filter(({ list }) => list.length > 0).map(({ list, one }) => count(list.length, one));
  return there.length === 0 ? CODE_ONLY : there.join(", ");
}

const registered = {
  agents: ["agent"],
  commands: ["command"],
  skills: ["skill"],
  tools: ["tool"],
  mcp: ["MCP server"],
  providers: ["model provider"],
  logins: ["login for", "logins for"],
  hooks: ["hook"],
  settings: ["changed setting"],
} as const;

/** `2 agents (scout, critic), 1 tool (look)`: what a plugin adds to OpenCode. */
export function registersLabel(registers: Registers): string {
  const parts = registerKinds.flatMap((kind) => {
    const names = registers[kind] ?? [];
    const [one, many] = registered[kind] as readonly [string, string?];
    return names.length === 0 ? [] : [`${count(names.length, one, many)} (${names.join(", ")})`];
  });
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

/** A version as people write it: `v1.2.0`, or a short commit hash. */
export function versionLabel(version: string): string {
  if (/^[0-9a-f]{40}$/.test(version)) return version.slice(0, 10);
  return /^\d/.test(version) ? `v${version}` : version;
}

/** `v1.0.0 → v1.1.0`; only one of them if an update changes the dependencies, the entry or a folder's content. */
export function versionStep(from: string, to: string): string {
  return from === to ? versionLabel(to) : `${versionLabel(from)} → ${versionLabel(to)}`;
}
