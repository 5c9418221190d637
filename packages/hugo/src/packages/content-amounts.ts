import { count } from "@atomic/terminal/count";

interface Contents {
  readonly agents: readonly unknown[];
  readonly skills: readonly unknown[];
  readonly commands: readonly unknown[];
  readonly workflows?: readonly unknown[];
}

/** `2 agents, 1 command`: what there is none of is not mentioned. */
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
