// Lets another version of an installed workflow arrive.

import type { LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import type { Context } from "../../context.ts";
import { decide, type Wish } from "../../delivery/decide.ts";
import { type Delivered, deliveredBy } from "../../delivery/delivered.ts";
import { entriesFor } from "../../delivery/plugin-delivery.ts";
import { type Decision, type View, withBases } from "../../delivery/view.ts";
import { HugoError } from "../../errors.ts";
import { type Arrival, capabilitiesUnder, chosenFrom, limitOf } from "../../packages/arrival.ts";
import { listKey } from "../../packages/manifest/content.ts";
import { latestCommit } from "../../sources/latest-commit.ts";
import { compareVersions } from "../../sources/registry/version.ts";
import { updateApproval } from "../../trust/approval-request.ts";
import { readBefore } from "../../trust/before.ts";
import type { Capability } from "../../trust/capabilities/capability.ts";
import { changedCode, describeChangedCode } from "../../trust/capabilities/changed-code.ts";
import { widened } from "../../trust/capabilities.ts";
import { collisionsOf } from "../../trust/claims-around.ts";
import type { Collision } from "../../trust/collisions.ts";
import { askConsent } from "../../trust/consent.ts";
import { receive } from "../../workspace/receive.ts";
import { lockedRequest, type Request, targetOf } from "../../workspace/request.ts";
import type { Scene } from "./install-one.ts";
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

export async function updateOne(scene: Scene<UpdateInput>, name: string, before: LockedWorkflow): Promise<Outcome> {
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
  scene: Scene<UpdateInput>,
  request: Request,
  name: string,
  before: LockedWorkflow,
): Promise<Outcome> {
  const { context, input, workspace, view } = scene;
  return await receive(request, { context, workspace, allowNew: input.allowNew }, async (received) => {
    const arrival = chosenFrom(received.arrival, before.selection);
    refuseOther(name, before, arrival, request);
    if (isCurrent(request, before, arrival)) return { kind: "current", notices: received.notices };
    const known = await readBefore(context, workspace, name, before);
    const code = describeChangedCode(changedCode(known.tree, arrival.tree));
    const notices = [...received.notices, ...(code === undefined ? [] : [`${name}: ${code}`])];
    const target = targetOf(request, arrival.packageName);
    const isEnabled = isEnabledIn(view, before, target);
    const decision = decide(withBases(view, known.baseOf), arrival, {
      source: before.source,
      target,
      code: received.code,
      isEnabled,
      modified: input.skipModified ? "skip" : "merge",
      restoreDeleted: false,
      wasExecutable: known.wasExecutable,
      ...(before.selection !== undefined && { selection: before.selection }),
    });
    const held = capabilitiesUnder(limitOf(view, received.arrival), received.arrival);
    const more = widened(known.capabilities, arrival.capabilities, held);
    await agreeTo(scene, before, arrival, { more, notices });
    await received.keep();
    const updated: Updated = {
      name,
      package: arrival.packageName,
      source: before.source,
      from: before.version,
      to: arrival.version,
      delivery: arrival.manifest.delivery.kind,
      isEnabled,
      widened: more,
      collisions: isEnabled ? newCollisions(scene, before, arrival) : [],
      ...deliveredBy(view, decision, target),
    };
    return { kind: "updated", decision, updated, notices };
  });
}

/** Nobody is asked about what can do no more than what they agreed to. */
async function agreeTo(
  { context, input }: Scene<UpdateInput>,
  { version }: LockedWorkflow,
  arrival: Arrival,
  facts: { readonly more: readonly Capability[]; readonly notices: readonly string[] },
): Promise<void> {
  if (input.dryRun || facts.more.length === 0) return;
  const approval = updateApproval(arrival, { before: version, ...facts });
  await askConsent(context, approval, { yes: input.yes, look: "Review the changes above" });
}

/** A commit can be asked for without fetching it. */
async function isSameCommit(context: Context, { source }: Request, { version }: LockedWorkflow): Promise<boolean> {
  return source.kind === "git" && (await latestCommit(source, context)) === version;
}

function refuseOther(name: string, before: LockedWorkflow, arrival: Arrival, { source, recorded }: Request): void {
  if (arrival.packageName !== before.package) {
    throw new HugoError("name-taken", {
      message: `${recorded} now holds the package "${arrival.packageName}", and "${before.package}" was installed`,
      hint: `If that is what you want: hugo remove ${name}, then hugo install ${recorded}.`,
    });
  }
  const isFixed = source.kind !== "file" && before.tree !== undefined;
  if (isFixed && arrival.version === before.version && arrival.hash !== before.tree) {
    throw new HugoError("integrity-mismatch", {
      message: `${before.package} ${before.version} is no longer what was installed: its content has changed`,
      hint: `Look at it first (hugo info ${recorded}). To take it all the same: hugo install --force ${recorded}.`,
    });
  }
}

/** An update never leads back: the newest may be too young today and yet be what is installed. */
function isCurrent({ source }: Request, before: LockedWorkflow, { version, hash }: Arrival): boolean {
  if (version === before.version) return hash === before.tree;
  return source.kind === "registry" && compareVersions(version, before.version) < 0;
}

function isEnabledIn(view: View, { delivery }: LockedWorkflow, target: Wish["target"]): boolean {
  return delivery.kind === "copy" ? !delivery.parked : entriesFor(view, target).length > 0;
}

/** Those of before have been told at the installation. */
function newCollisions({ workspace }: Scene<unknown>, before: LockedWorkflow, arrival: Arrival): Collision[] {
  return collisionsOf(workspace, arrival).filter(({ entity, name }) => !before[listKey(entity)].includes(name));
}
