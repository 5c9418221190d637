// What a person is shown before anything is written.
import { count } from "@atomic/workflows/terminal/count";
import type { Approval } from "../approval.ts";
import type { Capability } from "../capabilities/capability.ts";
import type { Collision } from "../collisions.ts";
import type { StoppedFile } from "../deliver/delivery.ts";
import { versionLabel } from "../manage/version-label.ts";
import type { WorkflowContent } from "../manifest/content.ts";
import type { Arrival } from "./arrival.ts";
import type { Request } from "./request.ts";

interface Circumstance {
  readonly request: Request;
  /** What fetching it brought to light. */
  readonly notices: readonly string[];
  readonly collisions: readonly Collision[];
  readonly stopped: readonly StoppedFile[];
}

/** Everything that it can do. */
export function installApproval(arrival: Arrival, { request, notices, collisions, stopped }: Circumstance): Approval {
  const { workflow, version, manifest, capabilities } = arrival;
  return {
    title: `Install ${workflow} ${versionLabel(version)} from ${request.recorded}`,
    capabilities: capabilities.list,
    notes: [
      `${contentOf(manifest)}, ${deliveryOf(arrival)}.`,
      `Version ${version}, content ${arrival.hash}.`,
      ...(capabilities.list.length === 0 ? ["It brings nothing but text for a model."] : []),
      ...notices,
      ...new Set(stopped.map(({ entity, because }) => `${entity} is left out: ${because}`)),
      ...collisions.map(({ message }) => message),
    ],
  };
}

/** Only what it can do that the installed version could not. */
export function updateApproval(
  arrival: Arrival,
  {
    before,
    more,
    notices,
  }: { readonly before: string; readonly more: readonly Capability[] } & Pick<Circumstance, "notices">,
): Approval {
  const { workflow, version, hash } = arrival;
  return {
    title: `Update ${workflow} ${versionLabel(before)} → ${versionLabel(version)}, which can do more than before`,
    capabilities: more,
    isMore: true,
    notes: [`Version ${version}, content ${hash}.`, ...notices],
  };
}

function contentOf({ agents, commands, skills }: WorkflowContent): string {
  const amounts = [count(agents.length, "agent"), count(skills.length, "skill"), count(commands.length, "command")];
  return amounts.join(", ");
}

function deliveryOf({ manifest: { delivery } }: Arrival): string {
  return delivery.kind === "plugin" ? "loaded by OpenCode as a plugin" : "copied to where OpenCode looks";
}
