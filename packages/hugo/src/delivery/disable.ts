import type { RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { remember } from "../opencode/plugin-edits.ts";
import type { Draft } from "../workspace/draft.ts";
import { portablePath } from "../workspace/place.ts";
import { planParking } from "../workspace/plan-parking.ts";
import { pluginOrder } from "../workspace/plugin-order.ts";
import type { Toggled } from "../workspace/toggled.ts";
import { moveFiles } from "./move-files.ts";

/** Takes workflows out of OpenCode's sight, so that they can come back exactly as they are now. */
export function disable(draft: Draft, names: readonly string[]): Toggled[] {
  // Before anything is changed: who is still there counts once.
  const entries = new Map(names.map((name) => [name, rememberedEntries(draft, name)]));
  const results = names.map((name) => disableOne(draft, name, entries.get(name) ?? []));
  // All at once, as the first removal moves the entries behind it.
  draft.arrays.take(names.flatMap((name) => (isPlugin(draft, name) ? draft.ownEntries(name) : [])));
  return results;
}

function isPlugin(draft: Draft, name: string): boolean {
  return draft.workflows.get(name)?.delivery.kind === "plugin";
}

function disableOne(draft: Draft, name: string, remembered: readonly RememberedPlugin[]): Toggled {
  const workflow = draft.workflows.get(name)!;
  const { delivery, version } = workflow;
  const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], files: [] };
  if (delivery.kind === "copy") {
    if (delivery.parked) return { ...about, change: "already-disabled" };
    return { ...about, change: "disabled", files: moveFiles(draft, name, planParking, { parked: true }) };
  }
  const [own, elsewhere] = [draft.ownEntries(name), draft.named(draft.foreignEntries(name))];
  if (own.length > 0) {
    draft.workflows.set(name, { ...workflow, delivery: { kind: "plugin", disabled: remembered } });
    return { ...about, change: "disabled", entries: draft.named(own), elsewhere };
  }
  return { ...about, change: elsewhere.length === 0 ? "already-disabled" : "enabled-elsewhere", elsewhere };
}

/** All of them, since options may stand in one that another one outdoes. */
function rememberedEntries(draft: Draft, name: string): RememberedPlugin[] {
  return draft.ownEntries(name).map((entry) => {
    const { file } = entry;
    const order = pluginOrder(draft.arrays.entriesIn(file), draft.absentFrom(file));
    const index = order.findIndex((each) => "entry" in each && each.entry.index === entry.index);
    return { ...remember(entry), file: portablePath(draft.snapshot.place, file), index };
  });
}
