// What installed workflows give OpenCode, as the lock knows them.

import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";
import type { ContentEntity, WorkflowContent } from "../../packages/manifest/content.ts";
import { usesDefineWorkflow } from "../../packages/manifest/entry-code.ts";
import { readEntry } from "../../packages/manifest/package-json.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import type { Claim, WorkflowClaimant } from "./claim.ts";

export function workflowClaimant(
  snapshot: Pick<Snapshot, "storedTree">,
  workflow: string,
  { delivery }: LockedWorkflow,
): WorkflowClaimant {
  let known: boolean | undefined;
  return {
    kind: "workflow",
    workflow,
    delivery: delivery.kind,
    // Looked up when it meets somebody, since most never do.
    get yields() {
      known ??= delivery.kind === "plugin" && yields(snapshot, workflow);
      return known;
    },
  };
}

function yields(snapshot: Pick<Snapshot, "storedTree">, workflow: string): boolean {
  try {
    const tree = snapshot.storedTree(workflow);
    const entry = tree && readEntry(tree);
    return tree !== undefined && entry !== undefined && usesDefineWorkflow(tree, entry);
  } catch (error) {
    // Somebody changed it, and nobody knows what it does now.
    if (error instanceof HugoError) return false;
    throw error;
  }
}

export function workflowClaims(by: WorkflowClaimant, { agents, commands, skills }: WorkflowContent): Claim[] {
  const claims = (type: Claim["type"], list: readonly ContentEntity[]): Claim[] =>
    list.map(({ name }) => ({ type, name, by }));
  return [...claims("agent", agents), ...claims("command", commands), ...claims("skill", skills)];
}

/** As if it came from a manifest. */
export function lockedContent({
  agents,
  commands,
  skills,
}: Pick<LockedWorkflow, "agents" | "commands" | "skills">): WorkflowContent {
  const entities = (names: readonly string[]): ContentEntity[] => names.map((name) => ({ name, path: "" }));
  return { agents: entities(agents), commands: entities(commands), skills: entities(skills) };
}
