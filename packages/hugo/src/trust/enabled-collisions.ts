import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Draft } from "../workspace/draft.ts";
import type { Claim } from "./collisions/claim.ts";
import { lockedContent, workflowClaimant, workflowClaims } from "./collisions/workflow-claims.ts";
import { type Collision, findCollisions } from "./collisions.ts";
import { existingClaims } from "./existing-claims.ts";

/** What workflows meet that have just been enabled on the draft, and who wins. */
export function collisionsOfEnabled(draft: Draft, names: readonly string[]): Collision[] {
  if (names.length === 0) return [];
  const others = existingClaims(draft.snapshot).filter(({ by }) => by.kind !== "workflow");
  const claims = [...others, ...[...draft.workflows].flatMap((entry) => claimsOf(draft, entry))];
  const all = names.flatMap((name) => {
    const workflow = draft.workflows.get(name)!;
    return findCollisions(workflowClaimant(draft.snapshot, name, workflow), lockedContent(workflow), claims);
  });
  return withoutTwins(all, names);
}

function claimsOf(draft: Draft, [name, workflow]: [string, LockedWorkflow]): Claim[] {
  if (!isEnabledNow(draft, name, workflow)) return [];
  return workflowClaims(workflowClaimant(draft.snapshot, name, workflow), lockedContent(workflow));
}

function isEnabledNow({ snapshot, workflows }: Draft, name: string, { delivery }: LockedWorkflow): boolean {
  if (delivery.kind === "copy") return !delivery.parked;
  const isUntouched = workflows.get(name) === snapshot.lock.workflows.get(name);
  return isUntouched ? snapshot.isEnabled(name) : delivery.disabled === undefined;
}

/** Two that are enabled together meet each other: once is enough to say so. */
function withoutTwins(collisions: readonly Collision[], names: readonly string[]): Collision[] {
  const told = new Set<string>();
  return collisions.filter(({ entity, name, with: other }) => {
    if (other.kind !== "workflow" || !names.includes(other.workflow)) return true;
    const key = `${entity} ${name}`;
    const isNew = !told.has(key);
    told.add(key);
    return isNew;
  });
}
