// Lets one package arrive that is not installed yet, or is to be installed again.

import type { Context } from "../../context.ts";
import { decide, refuseInstalled, type Wish } from "../../delivery/decide.ts";
import { type Delivered, deliveredBy } from "../../delivery/delivered.ts";
import type { Decision, View } from "../../delivery/view.ts";
import { HugoError } from "../../errors.ts";
import {
  type Arrival,
  type ContentNames,
  capabilitiesUnder,
  checkSelection,
  chosenFrom,
  limitOf,
  namesIn,
  withoutStopped,
} from "../../packages/arrival.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";
import { installApproval } from "../../trust/approval-request.ts";
import type { Capability } from "../../trust/capabilities/capability.ts";
import { collisionsOf } from "../../trust/claims-around.ts";
import type { Collision } from "../../trust/collisions.ts";
import { askConsent } from "../../trust/consent.ts";
import { receive } from "../../workspace/receive.ts";
import { type Request, targetOf } from "../../workspace/request.ts";
import type { Workspace } from "../../workspace/snapshot.ts";
import type { CommonInput } from "./operation.ts";

export interface InstallInput extends CommonInput {
  readonly force: boolean;
  readonly allowNew: boolean;
  /** Names with commas between them. */
  readonly select: string | undefined;
}

export interface Installed extends ContentNames, Delivered {
  readonly name: string;
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  readonly isAgain: boolean;
  /** What it can do; somebody agreed to it. */
  readonly capabilities: readonly Capability[];
  readonly collisions: readonly Collision[];
}

interface Outcome {
  readonly decision: Decision;
  readonly installed: Installed;
  readonly notices: readonly string[];
}

export interface Scene<Input> {
  readonly context: Context;
  readonly input: Input;
  readonly workspace: Workspace;
  /** The workspace, with what was decided before. */
  readonly view: View;
}

export async function installOne(scene: Scene<InstallInput>, request: Request): Promise<Outcome> {
  const { context, input, workspace, view } = scene;
  refuseBeforeFetching(view, request, input);
  return await receive(request, { context, workspace, allowNew: input.allowNew }, async (received) => {
    refuseInstalled(view, received.arrival, input);
    const selection = selectionOf(input.select, received.arrival);
    const arrival = chosenFrom(received.arrival, selection);
    const wish: Wish = {
      source: request.recorded,
      target: targetOf(request, arrival.packageName),
      code: received.code,
      isEnabled: true,
      modified: "merge",
      restoreDeleted: true,
      ...(selection !== undefined && { selection }),
    };
    const decision = decide(view, arrival, wish);
    const arriving = {
      ...withoutStopped(arrival, decision.stopped),
      capabilities: capabilitiesUnder(limitOf(view, received.arrival), received.arrival),
    };
    const installed = { ...installedOf(scene, request, arriving), ...deliveredBy(view, decision, wish.target) };
    await agreeTo(scene, request, arriving, { ...installed, notices: received.notices });
    await received.keep();
    return { decision, installed, notices: received.notices };
  });
}

function installedOf(
  { workspace, view }: Scene<unknown>,
  request: Request,
  arrival: Arrival,
): Omit<Installed, keyof Delivered> {
  return {
    name: arrival.workflow,
    package: arrival.packageName,
    source: request.recorded,
    version: arrival.version,
    delivery: arrival.manifest.delivery.kind,
    isAgain: view.lock.workflows.has(arrival.workflow),
    ...namesIn(arrival.manifest),
    capabilities: arrival.capabilities.list,
    collisions: collisionsOf(workspace, arrival),
  };
}

async function agreeTo(
  { context, input, view }: Scene<InstallInput>,
  request: Request,
  arrival: Arrival,
  facts: Pick<Installed, "collisions" | "stopped"> & { readonly notices: readonly string[] },
): Promise<void> {
  // Somebody agreed to this very content when it was installed first.
  const isKnown = view.lock.workflows.get(arrival.workflow)?.tree === arrival.hash;
  if (input.dryRun || isKnown) return;
  const look = `See what it can do with hugo info ${request.recorded}`;
  await askConsent(context, installApproval(arrival, { request, ...facts }), { yes: input.yes, look });
}

/** Of the registry the name is known before anything is fetched. */
function refuseBeforeFetching(view: View, { source }: Request, input: InstallInput): void {
  if (source.kind !== "registry") return;
  refuseInstalled(view, { workflow: workflowNameOf(source.name), packageName: source.name }, input);
}

function selectionOf(select: string | undefined, { manifest, packageName }: Arrival): readonly string[] | undefined {
  if (select === undefined) return undefined;
  if (manifest.delivery.kind === "plugin") {
    const hint = "Install it without --select, and disable single agents in opencode.json.";
    throw new HugoError("no-workflow", {
      message: `${packageName} is a plugin, which cannot be installed in part`,
      hint,
    });
  }
  const names = select.split(",").map((name) => name.trim());
  return checkSelection(
    names.filter((name) => name !== ""),
    manifest,
  );
}
