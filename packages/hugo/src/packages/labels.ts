import { count } from "@atomic/terminal/count";
import { type Registers, registerKinds } from "@atomic/workflows/internal/hugo-lock/registers";
import type { ContentNames } from "./resolved-package.ts";

interface Contents {
  readonly agents: readonly unknown[];
  readonly skills: readonly unknown[];
  readonly commands: readonly unknown[];
  readonly workflows?: readonly unknown[];
  readonly plugins?: readonly { readonly elsewhere?: string; readonly problem?: string }[];
  readonly registers?: Registers;
}

/** Only a plugin can be installed without any content. */
export const CODE_ONLY = "code only";

/** `2 agents, 1 command`; empty lists are not mentioned. */
export function contentAmounts(contents: Contents): string {
  const { plugins = [], agents, skills, commands, workflows = [], registers = {} } = contents;
  const amounts = [
    { list: plugins.filter(({ elsewhere, problem }) => (elsewhere ?? problem) === undefined), one: "plugin" },
    { list: [...agents, ...(registers.agents ?? [])], one: "agent" },
    { list: [...skills, ...(registers.skills ?? [])], one: "skill" },
    { list: [...commands, ...(registers.commands ?? [])], one: "command" },
    { list: workflows, one: "workflow" },
    { list: registers.tools ?? [], one: "tool" },
    { list: registers.mcp ?? [], one: "MCP server" },
    {
      list: plugins.filter(({ elsewhere }) => elsewhere !== undefined),
      one: "plugin in another repository",
      many: "plugins in other repositories",
    },
    {
      list: plugins.filter(({ problem }) => problem !== undefined),
      one: "plugin that cannot be installed",
      many: "plugins that cannot be installed",
    },
  ];
  const there = amounts
    .filter(({ list }) => list.length > 0)
    .map(({ list, one, many }) => count(list.length, one, many));
  return there.length === 0 ? CODE_ONLY : there.join(", ");
}

const registered = {
  agents: "agent",
  commands: "command",
  skills: "skill",
  tools: "tool",
  mcp: "MCP server",
  providers: "model provider",
  logins: "login",
  hooks: "hook",
  settings: "changed setting",
} as const;

/** `2 agents (scout, critic), 1 tool (look)`: what a plugin adds to OpenCode. */
export function registersLabel(registers: Registers): string {
  const parts = registerKinds.flatMap((kind) => {
    const names = registers[kind] ?? [];
    return names.length === 0 ? [] : [`${count(names.length, registered[kind])} (${names.join(", ")})`];
  });
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

const MOST_NAMES = 5;

/** `agents/scout, commands/review and 3 more`: what a package brings, for a line and in full. */
export function namesLabel(
  names: ContentNames,
  before?: ContentNames,
): { readonly short: string; readonly all: string } {
  const listed = (["agents", "skills", "commands", "workflows"] as const).flatMap((kind) =>
    (names[kind] ?? []).filter((name) => !before?.[kind]?.includes(name)).map((name) => `${kind}/${name}`),
  );
  const more = listed.length - MOST_NAMES;
  const all = listed.join(", ");
  return { short: more > 1 ? `${listed.slice(0, MOST_NAMES).join(", ")} and ${more} more` : all, all };
}

/** `1.6 MB`. */
export function sizeLabel(bytes: number): string {
  if (bytes < 1000) return count(bytes, "byte");
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${amount.toFixed(1)} ${unit}`;
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
