import { count } from "@atomic/terminal/count";

interface Contents {
  readonly agents: readonly unknown[];
  readonly skills: readonly unknown[];
  readonly commands: readonly unknown[];
  readonly workflows?: readonly unknown[];
}

/** `2 agents, 1 command`; empty lists are not mentioned. */
export function contentAmounts({ agents, skills, commands, workflows = [] }: Contents): string {
  const amounts = [
    { list: agents, one: "agent" },
    { list: skills, one: "skill" },
    { list: commands, one: "command" },
    { list: workflows, one: "workflow" },
  ];
  const there = amounts.filter(({ list }) => list.length > 0).map(({ list, one }) => count(list.length, one));
  return there.length === 0 ? "nothing listed" : there.join(", ");
}

/** A version as people write it: `v1.2.0`, or a short commit hash. */
export function versionLabel(version: string): string {
  if (/^[0-9a-f]{40}$/.test(version)) return version.slice(0, 10);
  return /^\d/.test(version) ? `v${version}` : version;
}
