// What installing or updating a package changes. Touches no disk.

import type { LockedDelivery } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { partsIn } from "../packages/manifest.ts";
import { lockEntryOf, type ResolvedPackage, withoutStopped } from "../packages/resolved-package.ts";
import { parsePackageSpec } from "../sources/spec.ts";
import type { DraftView } from "../workspace/draft.ts";
import { inScope } from "../workspace/place.ts";
import { type CopyDelivery, type CopyOptions, deliverCopy, deliverParkedCopy, withdrawCopy } from "./copy-delivery.ts";
import type { DeliveryDecision } from "./decision.ts";
import { type ChangedArrays, deliverPlugin, type PluginOptions, withdrawPlugin } from "./plugin-delivery.ts";
import type { TranslatedPackage } from "./translate/package-translation.ts";

export interface DeliveryOptions extends PluginOptions, Omit<CopyOptions, "recorded" | "parked"> {
  /** What was requested, as the lock records it. */
  readonly source: string;
  /** The selected contents, see `selectContents`; the whole package if missing. */
  readonly selection?: readonly string[];
}

/** Refuses what must not be installed. */
export function refuseInstalled(
  { lock, place }: Pick<DraftView, "lock" | "place">,
  { workflow, packageName }: Pick<ResolvedPackage, "workflow" | "packageName">,
  { force }: { readonly force: boolean },
): void {
  const there = lock.workflows.get(workflow);
  if (there === undefined) return;
  if (there.package !== packageName) {
    throw new HugoError("name-taken", {
      message: `Workflow name "${workflow}" conflicts with already-installed workflow from package "${there.package}".`,
      hint: inScope(place, `Remove that one first: hugo remove ${workflow}. Nothing was changed.`),
    });
  }
  if (force) return;
  // An update never replaces a version that was requested exactly.
  const parsed = parsePackageSpec(there.source);
  const isExact = parsed.kind === "registry" && parsed.wanted.kind === "version";
  const newer = isExact ? `hugo install --force ${there.package}` : `hugo update ${workflow}`;
  const hint = `To get a newer version: ${newer}. To reinstall it: hugo install --force ${there.source}.`;
  throw new HugoError("already-installed", {
    message: `Workflow "${workflow}" is already installed: ${there.version} from ${there.source}`,
    hint: inScope(place, hint),
  });
}

/** A package may have become a plugin or may have been one: what its former delivery left is removed. */
export function decide(view: DraftView, resolved: TranslatedPackage, options: DeliveryOptions): DeliveryDecision {
  const before = view.lock.workflows.get(resolved.workflow)?.delivery;
  let delivery: LockedDelivery;
  let arrays: ChangedArrays | undefined;
  let copies: CopyDelivery | undefined;
  if (resolved.manifest.delivery.kind === "plugin") {
    const parts = options.parts ?? partsIn(resolved.manifest.delivery);
    ({ delivery, ...arrays } = deliverPlugin(view, resolved.workflow, { ...options, parts }));
    if (before?.kind === "copy") copies = withdrawCopy(view, resolved.workflow, before);
  } else {
    const recorded = before?.kind === "copy" ? before.files : new Map();
    const isParked = before?.kind === "copy" && before.parked;
    const parked = !options.isEnabled;
    const deliver = isParked && options.isEnabled ? deliverParkedCopy : deliverCopy;
    copies = deliver(view, resolved, { ...options, recorded, parked });
    if (before?.kind === "plugin") arrays = withdrawPlugin(view, options.target);
    const { permission, records: files } = copies;
    delivery = { kind: "copy", parked, ...(permission !== undefined && { permission }), files };
  }
  const locked = lockEntryOf(withoutStopped(resolved, copies?.stopped ?? []), { ...options, delivery });
  return {
    lock: {
      workflows: new Map([...view.lock.workflows, [resolved.workflow, locked]]),
      configs: arrays?.made ?? view.lock.configs,
    },
    configs: arrays?.configs ?? new Map(),
    files: copies?.files ?? [],
    bases: copies?.bases ?? [],
    steps: copies?.steps ?? [],
    notes: copies?.notes ?? [],
    stopped: copies?.stopped ?? [],
  };
}
