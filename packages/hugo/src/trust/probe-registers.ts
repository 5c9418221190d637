// What a plugin without a manifest adds to OpenCode: known only after its code has run, which needs the user's approval.
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { addedRegisters, type Registers } from "@atomic/workflows/internal/hugo-lock/registers";
import type { Approval, Context } from "../context.ts";
import { probePlugin } from "../opencode/probe-plugin.ts";
import { registersLabel, versionLabel } from "../packages/labels.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { registersApproval } from "./approval-request.ts";
import type { Candidate } from "./candidate.ts";
import { areSameDependencies } from "./changed-dependencies.ts";

export interface ProbedRegisters {
  /** Undefined if OpenCode could not be asked, or the package lists everything itself. */
  readonly registers?: Registers;
  readonly notices: readonly string[];
}

interface ProbeOptions {
  readonly context: Context;
  readonly workspace: Pick<Workspace, "once" | "place">;
  /** The package's folder, next to its dependencies. */
  readonly staged: string;
  /** What the lock has for the workflow so far. */
  readonly before: LockedWorkflow | undefined;
  /** Returns only if the user approves that it registers more than before. */
  readonly approve: (request: Approval) => Promise<void>;
}

/**
 * The file that OpenCode loads from a plugin that does not list what it adds, or did not before: a manifest in a newer
 * version does not end the comparison. Undefined for other packages.
 */
export function unlistedEntry(
  { manifest: { delivery, from } }: Pick<Candidate, "manifest">,
  before: Pick<LockedWorkflow, "registers"> | undefined,
): string | undefined {
  const isUnlisted = from === "opencode-plugin" || before?.registers !== undefined;
  return isUnlisted && delivery.kind === "plugin" ? delivery.entry : undefined;
}

/** Call it only when the package is approved. */
export async function probeRegisters(
  { context, workspace, staged, before, approve }: ProbeOptions,
  candidate: Candidate,
): Promise<ProbedRegisters> {
  const { workflow, packageName, version, hash, dependencies } = candidate;
  const entry = unlistedEntry(candidate, before);
  if (entry === undefined) return { notices: [] };
  const known = before?.registers;
  const isSameCode = before?.tree === hash && areSameDependencies(before.dependencies, dependencies);
  if (known !== undefined && isSameCode) return { registers: known, notices: [] };
  const releases = [...(dependencies ?? [])].map(([path, { version: release, integrity }]) => [
    path,
    release,
    integrity,
  ]);
  const probed = await workspace.once(`probe ${packageName} ${hash} ${JSON.stringify(releases)}`, async () =>
    probePlugin(context, { packageName, folder: staged, entry }),
  );
  if (probed.kind === "unknown") {
    return { notices: [`Hugo does not know what ${workflow} registers in OpenCode: ${probed.because}.`] };
  }
  const { registers } = probed;
  // Where OpenCode could not be asked before, nothing of it has been approved.
  const more = addedRegisters(known ?? {}, registers);
  if (before === undefined || Object.keys(more).length === 0) return { registers, notices: [] };
  await approve(
    registersApproval(candidate, {
      scope: workspace.place.scope,
      before: before.version,
      entry,
      more: registersLabel(more),
    }),
  );
  const notice = `${workflow} ${versionLabel(version)} registers more than before: ${registersLabel(more)}.`;
  return { registers, notices: [notice] };
}
