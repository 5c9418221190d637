// What the user sees before anything is written.

import type { Approval } from "../context.ts";
import type { StoppedFile } from "../delivery/translate/package-translation.ts";
import type { Capability } from "../packages/capability.ts";
import { contentAmounts, versionLabel } from "../packages/labels.ts";
import type { Request } from "../workspace/request.ts";
import type { Candidate } from "./candidate.ts";
import type { Collision } from "./collisions.ts";

interface InstallFacts {
  readonly request: Request;
  /** What fetching it revealed. */
  readonly notices: readonly string[];
  readonly collisions: readonly Collision[];
  readonly stopped: readonly StoppedFile[];
}

/** Lists everything the package can do. */
export function installApproval(
  candidate: Candidate,
  { request, notices, collisions, stopped }: InstallFacts,
): Approval {
  const { workflow, version, manifest, capabilities } = candidate;
  const isPlugin = manifest.delivery.kind === "plugin";
  const way = isPlugin ? "loaded by OpenCode as a plugin" : "copied to OpenCode's folders";
  const contents = manifest.from === "opencode-plugin" ? "An OpenCode plugin" : contentAmounts(manifest);
  return {
    title: `Install ${workflow} ${versionLabel(version)} from ${request.recorded}`,
    capabilities: capabilities.list,
    notes: [
      `${contents}, ${way}.`,
      ...identityOf(candidate),
      ...(capabilities.list.length === 0 ? ["It contains only text for a model."] : []),
      ...notices,
      ...new Set(stopped.map(({ entity, because }) => `${entity} will be left out: ${because}`)),
      ...collisions.map(({ message }) => message),
    ],
  };
}

/** Lists only what the new version can do and the installed one could not. */
export function updateApproval(
  candidate: Candidate,
  facts: { readonly before: string; readonly more: readonly Capability[]; readonly notices: readonly string[] },
): Approval {
  const { workflow, version } = candidate;
  const { before, more, notices } = facts;
  return {
    title: `Update ${workflow} ${versionLabel(before)} → ${versionLabel(version)}, which can do more than before`,
    capabilities: more,
    isMore: true,
    notes: [...identityOf(candidate), ...notices],
  };
}

/** Exactly what is approved; without a period that might be copied, too. */
function identityOf({ version, hash }: Candidate): string[] {
  const isShort = versionLabel(version) === `v${version}`;
  return [...(isShort ? [] : [`Commit ${version}`]), `Content ${hash}`];
}
