// The permission under which OpenCode asks for an approval. Only an "ask" rule makes it ask.

import { layerPermission } from "@atomic/workflows/internal/permission/layers";
import { matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Config } from "../../config/schema.ts";
import type { ResolvedRule } from "../live/opencode.ts";

export const approvalPermission = "magnus_approve";

/** OpenCode shows only the name of a permission it does not know, so the name carries the question. */
export function permissionFor(what: string): string {
  return `${approvalPermission}: ${what}`;
}

type Agents = Readonly<Record<string, AgentConfig>>;

/** Placed under the user's settings, which may override it. */
export function withApprovalRule(agents: Agents, config: Config): Agents {
  const { orchestrator } = agents;
  if (config.gates?.approvalPrompt !== true || orchestrator === undefined) return agents;
  const permission = layerPermission(orchestrator.permission ?? {}, { [`${approvalPermission}*`]: "ask" });
  return { ...agents, orchestrator: { ...orchestrator, permission } };
}

/** The rule that applies to an approval. A rule for its bare name or for some patterns counts, too: its author meant approvals. */
export function approvalRule(rules: readonly ResolvedRule[], permission: string): ResolvedRule | undefined {
  // Case is ignored, as OpenCode does on Windows.
  const names = [approvalPermission, permission].map((name) => name.toLowerCase());
  return rules.findLast((rule) => names.some((name) => matchesWildcard(rule.permission.toLowerCase(), name)));
}

export function isPrompt(rule: ResolvedRule | undefined): boolean {
  return rule?.action === "ask" && rule.pattern === "*";
}
