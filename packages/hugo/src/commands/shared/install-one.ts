// Installs one package, again or for the first time.

import type { Context } from "../../context.ts";
import { type DeliveryOptions, decide, refuseInstalled } from "../../delivery/decide.ts";
import { type Delivered, deliveredBy } from "../../delivery/delivered.ts";
import { agentLimit } from "../../delivery/user-permission.ts";
import type { Decision, View } from "../../delivery/view.ts";
import { HugoError } from "../../errors.ts";
import {
  type ContentNames,
  checkSelection,
  namesIn,
  selectContents,
  withoutStopped,
} from "../../packages/resolved-package.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";
import { installApproval } from "../../trust/approval-request.ts";
import { type Candidate, capabilitiesUnder } from "../../trust/candidate.ts";
import type { Capability } from "../../trust/capabilities/capability.ts";
import { collisionsOf } from "../../trust/claims-around.ts";
import type { Collision } from "../../trust/collisions.ts";
import { askConsent } from "../../trust/consent.ts";
import { fetchCandidate } from "../../trust/fetch-candidate.ts";
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

export interface InstallScope<Input> {
  readonly context: Context;
  readonly input: Input;
  readonly workspace: Workspace;
  /** The workspace, with what was decided before. */
  readonly view: View;
}

export async function installOne(scene: InstallScope<InstallInput>, request: Request): Promise<Outcome> {
  const { context, input, workspace, view } = scene;
  refuseBeforeFetching(view, request, input);
  return await fetchCandidate(request, { context, workspace, allowNew: input.allowNew }, async (fetched) => {
    refuseInstalled(view, fetched.candidate, input);
    const selection = selectionOf(input.select, fetched.candidate);
    const candidate = selectContents(fetched.candidate, selection);
    const options: DeliveryOptions = {
      source: request.recorded,
      target: targetOf(request, candidate.packageName),
      code: fetched.code,
      isEnabled: true,
      modified: "merge",
      restoreDeleted: true,
      ...(selection !== undefined && { selection }),
    };
    const decision = decide(view, candidate, options);
    const arriving = {
      ...withoutStopped(candidate, decision.stopped),
      capabilities: capabilitiesUnder(agentLimit(view, fetched.candidate), fetched.candidate),
    };
    const installed = { ...installedOf(scene, request, arriving), ...deliveredBy(view, decision, options.target) };
    await agreeTo(scene, request, arriving, { ...installed, notices: fetched.notices });
    await fetched.keep();
    return { decision, installed, notices: fetched.notices };
  });
}

function installedOf(
  { workspace, view }: InstallScope<unknown>,
  request: Request,
  candidate: Candidate,
): Omit<Installed, keyof Delivered> {
  return {
    name: candidate.workflow,
    package: candidate.packageName,
    source: request.recorded,
    version: candidate.version,
    delivery: candidate.manifest.delivery.kind,
    isAgain: view.lock.workflows.has(candidate.workflow),
    ...namesIn(candidate.manifest),
    capabilities: candidate.capabilities.list,
    collisions: collisionsOf(workspace, candidate),
  };
}

async function agreeTo(
  { context, input, view }: InstallScope<InstallInput>,
  request: Request,
  candidate: Candidate,
  facts: Pick<Installed, "collisions" | "stopped"> & { readonly notices: readonly string[] },
): Promise<void> {
  // Somebody agreed to this very content when it was installed first.
  const isKnown = view.lock.workflows.get(candidate.workflow)?.tree === candidate.hash;
  if (input.dryRun || isKnown) return;
  const look = `See what it can do with hugo info ${request.recorded}`;
  await askConsent(context, installApproval(candidate, { request, ...facts }), { yes: input.yes, look });
}

/** Of the registry the name is known before anything is fetched. */
function refuseBeforeFetching(view: View, { source }: Request, input: InstallInput): void {
  if (source.kind !== "registry") return;
  refuseInstalled(view, { workflow: workflowNameOf(source.name), packageName: source.name }, input);
}

function selectionOf(select: string | undefined, { manifest, packageName }: Candidate): readonly string[] | undefined {
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
