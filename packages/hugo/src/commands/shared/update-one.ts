// Brings one installed workflow to another version.

import type { LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import type { Context } from "../../context.ts";
import { type DeliveryOptions, decide } from "../../delivery/decide.ts";
import { type Delivered, deliveredBy } from "../../delivery/delivered.ts";
import { entriesFor } from "../../delivery/plugin-delivery.ts";
import { agentLimit } from "../../delivery/user-permission.ts";
import { type Decision, type View, withBases } from "../../delivery/view.ts";
import { HugoError } from "../../errors.ts";
import { listKey } from "../../packages/manifest/content.ts";
import { selectContents } from "../../packages/resolved-package.ts";
import { latestCommit } from "../../sources/latest-commit.ts";
import { compareVersions } from "../../sources/registry/version.ts";
import { updateApproval } from "../../trust/approval-request.ts";
import { readInstalledVersion } from "../../trust/before.ts";
import { type Candidate, capabilitiesUnder } from "../../trust/candidate.ts";
import type { Capability } from "../../trust/capabilities/capability.ts";
import { changedCode, describeChangedCode } from "../../trust/capabilities/changed-code.ts";
import { widened } from "../../trust/capabilities.ts";
import { collisionsOf } from "../../trust/claims-around.ts";
import type { Collision } from "../../trust/collisions.ts";
import { askConsent } from "../../trust/consent.ts";
import { fetchCandidate } from "../../trust/fetch-candidate.ts";
import { lockedRequest, type Request, targetOf } from "../../workspace/request.ts";
import type { InstallScope } from "./install-one.ts";
import type { CommonInput } from "./operation.ts";

export interface UpdateInput extends CommonInput {
  readonly skipModified: boolean;
  readonly allowNew: boolean;
}

export interface Updated extends Delivered {
  readonly name: string;
  readonly package: string;
  readonly source: string;
  readonly from: string;
  readonly to: string;
  readonly delivery: "plugin" | "copy";
  readonly isEnabled: boolean;
  /** What it can do now that it could not do before; somebody agreed to it. */
  readonly widened: readonly Capability[];
  readonly collisions: readonly Collision[];
}

type Outcome =
  | {
      readonly kind: "updated";
      readonly decision: Decision;
      readonly updated: Updated;
      readonly notices: readonly string[];
    }
  /** There is nothing newer, or nothing that may be taken yet. */
  | { readonly kind: "current"; readonly notices: readonly string[] };

export async function updateOne(
  scene: InstallScope<UpdateInput>,
  name: string,
  before: LockedWorkflow,
): Promise<Outcome> {
  const request = lockedRequest(before, scene.view.place);
  if (await isSameCommit(scene.context, request, before)) return { kind: "current", notices: [] };
  try {
    return await receiveUpdate(scene, request, name, before);
  } catch (error) {
    // What is installed may be as young: then there is nothing to do but to wait.
    if (!(error instanceof HugoError && error.code === "release-too-new")) throw error;
    return { kind: "current", notices: [`${error.message}. ${error.hint}`] };
  }
}

async function receiveUpdate(
  scene: InstallScope<UpdateInput>,
  request: Request,
  name: string,
  before: LockedWorkflow,
): Promise<Outcome> {
  const { context, input, workspace, view } = scene;
  return await fetchCandidate(request, { context, workspace, allowNew: input.allowNew }, async (fetched) => {
    const candidate = selectContents(fetched.candidate, before.selection);
    refuseOther(name, before, candidate, request);
    if (isCurrent(request, before, candidate)) return { kind: "current", notices: fetched.notices };
    const known = await readInstalledVersion(context, workspace, name, before);
    const code = describeChangedCode(changedCode(known.tree, candidate.tree));
    const notices = [...fetched.notices, ...(code === undefined ? [] : [`${name}: ${code}`])];
    const target = targetOf(request, candidate.packageName);
    const isEnabled = isEnabledIn(view, before, target);
    const decision = decide(withBases(view, known.baseOf), candidate, {
      source: before.source,
      target,
      code: fetched.code,
      isEnabled,
      modified: input.skipModified ? "skip" : "merge",
      restoreDeleted: false,
      wasExecutable: known.wasExecutable,
      ...(before.selection !== undefined && { selection: before.selection }),
    });
    const held = capabilitiesUnder(agentLimit(view, fetched.candidate), fetched.candidate);
    const more = widened(known.capabilities, candidate.capabilities, held);
    await agreeTo(scene, before, candidate, { more, notices });
    await fetched.keep();
    const updated: Updated = {
      name,
      package: candidate.packageName,
      source: before.source,
      from: before.version,
      to: candidate.version,
      delivery: candidate.manifest.delivery.kind,
      isEnabled,
      widened: more,
      collisions: isEnabled ? newCollisions(scene, before, candidate) : [],
      ...deliveredBy(view, decision, target),
    };
    return { kind: "updated", decision, updated, notices };
  });
}

/** Nobody is asked about what can do no more than what they agreed to. */
async function agreeTo(
  { context, input }: InstallScope<UpdateInput>,
  { version }: LockedWorkflow,
  candidate: Candidate,
  facts: { readonly more: readonly Capability[]; readonly notices: readonly string[] },
): Promise<void> {
  if (input.dryRun || facts.more.length === 0) return;
  const approval = updateApproval(candidate, { before: version, ...facts });
  await askConsent(context, approval, { yes: input.yes, look: "Review the changes above" });
}

/** A commit can be asked for without fetching it. */
async function isSameCommit(context: Context, { source }: Request, { version }: LockedWorkflow): Promise<boolean> {
  return source.kind === "git" && (await latestCommit(source, context)) === version;
}

function refuseOther(name: string, before: LockedWorkflow, candidate: Candidate, { source, recorded }: Request): void {
  if (candidate.packageName !== before.package) {
    throw new HugoError("name-taken", {
      message: `${recorded} now holds the package "${candidate.packageName}", and "${before.package}" was installed`,
      hint: `If that is what you want: hugo remove ${name}, then hugo install ${recorded}.`,
    });
  }
  const isFixed = source.kind !== "file" && before.tree !== undefined;
  if (isFixed && candidate.version === before.version && candidate.hash !== before.tree) {
    throw new HugoError("integrity-mismatch", {
      message: `${before.package} ${before.version} is no longer what was installed: its content has changed`,
      hint: `Look at it first (hugo info ${recorded}). To take it all the same: hugo install --force ${recorded}.`,
    });
  }
}

/** An update never leads back: the newest may be too young today and yet be what is installed. */
function isCurrent({ source }: Request, before: LockedWorkflow, { version, hash }: Candidate): boolean {
  if (version === before.version) return hash === before.tree;
  return source.kind === "registry" && compareVersions(version, before.version) < 0;
}

function isEnabledIn(view: View, { delivery }: LockedWorkflow, target: DeliveryOptions["target"]): boolean {
  return delivery.kind === "copy" ? !delivery.parked : entriesFor(view, target).length > 0;
}

/** Those of before have been told at the installation. */
function newCollisions(
  { workspace }: InstallScope<unknown>,
  before: LockedWorkflow,
  candidate: Candidate,
): Collision[] {
  return collisionsOf(workspace, candidate).filter(({ entity, name }) => !before[listKey(entity)].includes(name));
}
