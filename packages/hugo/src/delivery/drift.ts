// Where the lock, the config files and the copied files contradict each other. Touches no disk.

import type { LockedDelivery, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../packages/hash.ts";
import type { DraftView } from "../workspace/draft.ts";
import { pinOf } from "../workspace/pin.ts";
import { portablePath } from "../workspace/place.ts";
import { parkedPath } from "../workspace/plan-parking.ts";
import { lockedRequest, targetOf } from "../workspace/request.ts";
import { entriesFor } from "./plugin-delivery.ts";

/** Something that is not as the lock says. */
export interface Difference {
  readonly workflow: string;
  readonly message: string;
  readonly hint: string;
}

export function findDrift(view: DraftView): Difference[] {
  const { workflows } = view.lock;
  return [...workflows.keys()].sort().flatMap((name) => driftOf(view, name, workflows.get(name)!));
}

function driftOf(view: DraftView, name: string, workflow: LockedWorkflow): Difference[] {
  const { delivery } = workflow;
  const found =
    delivery.kind === "plugin" ? pluginDrift(view, name, workflow, delivery) : copyDrift(view, name, delivery);
  if (workflow.tree !== undefined) return found;
  const message = "the lock does not know its content, since it comes from an earlier Hugo";
  return [...found, { workflow: name, message, hint: `hugo update ${name}` }];
}

function pluginDrift(
  view: DraftView,
  name: string,
  workflow: LockedWorkflow,
  { disabled }: Extract<LockedDelivery, { kind: "plugin" }>,
): Difference[] {
  const { place } = view;
  const entries = entriesFor(view, targetOf(lockedRequest(workflow, place), workflow.package));
  const difference = (message: string, hint: string): Difference => ({ workflow: name, message, hint });
  if (entries.length === 0 && disabled === undefined) {
    return [
      difference(
        "the lock has it enabled, but no config file names it",
        `hugo enable ${name}, or hugo disable ${name}`,
      ),
    ];
  }
  return entries.flatMap(({ file, spec }) => {
    const at = portablePath(place, file);
    if (disabled !== undefined) {
      return [
        difference(`the lock has it disabled, but ${at} names ${spec}`, `hugo enable ${name}, or take the entry out`),
      ];
    }
    const wanted = pinOf(place, name, workflow, file);
    return spec === wanted
      ? []
      : [difference(`${at} names ${spec}, and the lock ${wanted}`, `hugo install --force ${workflow.source}`)];
  });
}

/** Edits are no drift: they are the user's. Files in the wrong place are. */
function copyDrift(
  view: DraftView,
  name: string,
  { parked, files }: Extract<LockedDelivery, { kind: "copy" }>,
): Difference[] {
  const installed = [...files].filter(([, { kind }]) => kind === "installed").sort(([a], [b]) => (a < b ? -1 : 1));
  return installed.flatMap(([destination, file]) => {
    const away = parkedPath(name, destination);
    const disk = view.disk([destination, away]);
    if (!parked) {
      if (!disk.has(away)) return [];
      return [
        {
          workflow: name,
          message: `the lock has it enabled, but ${away} is parked`,
          hint: "look into the file, then move or remove it",
        },
      ];
    }
    const present = disk.get(destination);
    const isOurs = present !== undefined && file.kind === "installed" && hashOf(present.bytes) === file.base;
    if (!isOurs) return [];
    return [
      {
        workflow: name,
        message: `the lock has it disabled, but ${destination} is in place`,
        hint: `remove ${destination}`,
      },
    ];
  });
}
