// Lets one package arrive that is not installed yet, or is to be installed again.
import type { Capability } from "../capabilities/capability.ts";
import type { Collision } from "../collisions.ts";
import type { Context } from "../context.ts";
import type { StoppedFile, TranslationNote } from "../deliver/delivery.ts";
import { HugoError } from "../errors.ts";
import type { NamedEntry } from "../manage/toggled.ts";
import type { CommonInput } from "../operation.ts";
import { workflowNameOf } from "../workflow-name.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { installApproval } from "./approval-request.ts";
import { type Arrival, type ContentNames, checkSelection, chosenFrom, namesIn } from "./arrival.ts";
import { collisionsOf } from "./claims-around.ts";
import { askConsent } from "./consent.ts";
import { decide, refuseInstalled, type Wish } from "./decide.ts";
import { type FileOutcome, outcomesOf } from "./file-outcome.ts";
import { entriesAfter } from "./plugin-delivery.ts";
import { receive } from "./receive.ts";
import { type Request, targetOf } from "./request.ts";
import type { Decision, View } from "./view.ts";

export interface InstallInput extends CommonInput {
  readonly force: boolean;
  readonly allowNew: boolean;
  /** Names with commas between them. */
  readonly select: string | undefined;
}

export interface Installed extends ContentNames {
  readonly name: string;
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  readonly isAgain: boolean;
  /** What it can do; somebody agreed to it. */
  readonly capabilities: readonly Capability[];
  readonly collisions: readonly Collision[];
  /** Where it stands in plugin arrays. */
  readonly entries: readonly NamedEntry[];
  readonly files: readonly FileOutcome[];
  readonly translated: readonly TranslationNote[];
  readonly stopped: readonly StoppedFile[];
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
  const { store } = workspace;
  return await receive(
    request,
    { context, store, allowNew: input.allowNew },
    async ({ arrival: whole, notices, keep }) => {
      refuseInstalled(view, whole, input);
      const selection = selectionOf(input.select, whole);
      const arrival = chosenFrom(whole, selection);
      const collisions = collisionsOf(workspace, arrival);
      if (!input.dryRun) await askConsent(context, installApproval(arrival, { request, notices, collisions }), input);
      const wish: Wish = {
        source: request.recorded,
        target: targetOf(request, arrival.packageName),
        code: await keep(),
        isEnabled: true,
        modified: "merge",
        restoreDeleted: true,
        ...(selection !== undefined && { selection }),
      };
      const decision = decide(view, arrival, wish);
      const installed: Installed = {
        name: arrival.workflow,
        package: arrival.packageName,
        source: request.recorded,
        version: arrival.version,
        delivery: arrival.manifest.delivery.kind,
        isAgain: view.lock.workflows.has(arrival.workflow),
        ...namesIn(arrival.manifest),
        capabilities: arrival.capabilities.list,
        collisions,
        entries: entriesAfter(view, decision, wish.target),
        files: outcomesOf(decision.steps),
        translated: decision.notes,
        stopped: decision.stopped,
      };
      return { decision, installed, notices };
    },
  );
}

/** Of the registry the name is known before anything is fetched. */
function refuseBeforeFetching(view: View, { source }: Request, input: InstallInput): void {
  if (source.kind !== "registry") return;
  refuseInstalled(view, { workflow: workflowNameOf(source.name), packageName: source.name }, input);
}

function selectionOf(select: string | undefined, { manifest }: Arrival): readonly string[] | undefined {
  if (select === undefined) return undefined;
  if (manifest.delivery.kind === "plugin") {
    const hint = "Install it without --select, and disable single agents in opencode.json.";
    throw new HugoError("no-workflow", { message: "The package is a plugin, which arrives as a whole", hint });
  }
  const names = select.split(",").map((name) => name.trim());
  return checkSelection(
    names.filter((name) => name !== ""),
    manifest,
  );
}
