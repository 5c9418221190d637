import type { Restrictions, ToolRule } from "@atomic/workflows/entity";

/**
 * @example
 * describeRestrictions({ allow: [{ tool: "bash", pattern: "git:*" }] }); // "only bash(git:*)"
 */
export function describeRestrictions({ allow, deny = [], ask = [] }: Restrictions): string {
  const parts = [
    ...(allow === undefined ? [] : [allow.length === 0 ? "none" : `only ${listOf(allow)}`]),
    ...(ask.length === 0 ? [] : [`after asking ${listOf(ask)}`]),
    ...(deny.length === 0 ? [] : [`never ${listOf(deny)}`]),
  ];
  return parts.length === 0 ? "all" : parts.join("; ");
}

function listOf(rules: readonly ToolRule[]): string {
  return rules.map(({ tool, pattern }) => (pattern === undefined ? tool : `${tool}(${pattern})`)).join(", ");
}
