// Hides workflows from OpenCode, and brings them back exactly as they were.
import type { Hash } from "@atomic/durable-files/files/hash";
import type { RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { partOf, placeForPlugin } from "../opencode/config-files.ts";
import { remember } from "../opencode/plugin-edits.ts";
import { hashTree } from "../packages/tree.ts";
import { type LockedCopyDelivery, placesOf, planParking, planReturn } from "../workspace/copied-files.ts";
import type { NamedEntry, StateChange, WorkspaceDraft } from "../workspace/draft.ts";
import { isEntryFor, isRedirected, pinOf } from "../workspace/pin.ts";
import { inScope, portablePath } from "../workspace/place.ts";
import { pluginOrder, returnPlugin } from "../workspace/plugin-arrays.ts";

/** Brings workflows back to where they were when they were disabled, byte for byte. Refuses what OpenCode could not load. */
export function enable(draft: WorkspaceDraft, names: readonly string[]): StateChange[] {
  const { place, snapshot, arrays, workflows } = draft;
  const missing: string[] = [];
  const changed: string[] = [];
  /** Refuses what OpenCode could not load, or what is not what was installed. */
  const check = (name: string, expected: Hash | undefined): void => {
    const stored = snapshot.storedTree(name);
    if (stored === undefined) missing.push(name);
    else if (hashTree(stored) !== expected || snapshot.dependencyProblems(name).length > 0) changed.push(name);
  };
  const results = names.map((name): StateChange => {
    const workflow = workflows.get(name)!;
    const { delivery, version, tree } = workflow;
    const isPin = ({ file, spec }: { readonly file: string; readonly spec: string }): boolean =>
      tree !== undefined && spec === pinOf(place, name, workflow, file);
    const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], redirected: [], files: [] };
    if (delivery.kind === "copy") {
      if (!delivery.parked) return { ...about, change: "already-enabled" };
      return { ...about, change: "enabled", files: moveFiles(draft, name, planReturn, { parked: false }) };
    }
    const elsewhere = draft.named(draft.foreignEntries(name));
    if (snapshot.isEnabled(name)) {
      if (draft.ownEntries(name).some(isPin)) check(name, tree);
      const redirected = draft.ownEntries(name).filter((entry) => isRedirected(place, name, workflow, entry));
      return { ...about, change: "already-enabled", elsewhere, redirected: draft.named(redirected) };
    }
    // Where it was; if none of those files is this project's, in the usual one.
    const { disabled = [], ...enabled } = delivery;
    const redirected: NamedEntry[] = [];
    const entries = (enabled.parts ?? ["server"]).flatMap((part) =>
      returnPlugin(
        name,
        disabled.filter(({ file }) => partOf(file) === part),
        {
          arrays,
          workflows,
          configs: draft.ownConfigs,
          usualFile: placeForPlugin(snapshot.configs, place.configs, place.scope, part),
          specIn: (file, remembered) => {
            const pin = pinOf(place, name, workflow, file);
            if (remembered === undefined || !isEntryFor(file, remembered.spec, workflow)) return pin;
            const { spec } = remembered;
            if (!isRedirected(place, name, workflow, { file, spec })) return spec;
            redirected.push({ file: portablePath(place, file), spec });
            return pin;
          },
          isBack: (other, locked) => draft.isBack(other, locked),
        },
      ),
    );
    if (entries.some(isPin)) check(name, tree);
    workflows.set(name, { ...workflow, delivery: enabled });
    const named = entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec }));
    return { ...about, change: "enabled", entries: named, redirected };
  });
  if (changed.length > 0) {
    const [packages, were, it] = changed.length === 1 ? ["package", "was", "it"] : ["packages", "were", "them"];
    throw new HugoError("integrity-mismatch", {
      message: `OpenCode would not load what was installed: in Hugo's store, the ${packages} of ${changed.join(", ")} ${were} changed`,
      at: place.lockFile,
      hint: inScope(place, `Run \`hugo ci\` to fetch ${it} again, then run this command again. Nothing was changed.`),
    });
  }
  if (missing.length === 0) return results;
  const [which, it] = missing.length === 1 ? ["package", "it"] : ["packages", "them"];
  throw new HugoError("not-installed", {
    message: `OpenCode could not load ${missing.join(", ")}: the ${which} cannot be found in Hugo's store`,
    at: place.lockFile,
    hint: inScope(place, `Run \`hugo ci\` to fetch ${it}, then run this command again. Nothing was changed.`),
  });
}

/** Hides workflows from OpenCode so they can be restored exactly as they are now. */
export function disable(draft: WorkspaceDraft, names: readonly string[]): StateChange[] {
  // Positions are taken before anything changes, so each remaining entry counts once. All entries are remembered,
  // because an entry that another one overrides may have options.
  const remembered = new Map(
    names.map((name): [string, RememberedPlugin[]] => {
      const entries = draft.ownEntries(name).map((entry) => {
        const order = pluginOrder(draft.arrays.entriesIn(entry.file), draft.absentFrom(entry.file));
        const index = order.findIndex((each) => "entry" in each && each.entry.index === entry.index);
        return { ...remember(entry), file: portablePath(draft.snapshot.place, entry.file), index };
      });
      return [name, entries];
    }),
  );
  const results = names.map((name): StateChange => {
    const workflow = draft.workflows.get(name)!;
    const { delivery, version } = workflow;
    const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], redirected: [], files: [] };
    if (delivery.kind === "copy") {
      if (delivery.parked) return { ...about, change: "already-disabled" };
      return { ...about, change: "disabled", files: moveFiles(draft, name, planParking, { parked: true }) };
    }
    const [own, elsewhere] = [draft.ownEntries(name), draft.named(draft.foreignEntries(name))];
    if (own.length > 0) {
      draft.workflows.set(name, { ...workflow, delivery: { ...delivery, disabled: remembered.get(name) ?? [] } });
      return { ...about, change: "disabled", entries: draft.named(own), elsewhere };
    }
    return { ...about, change: elsewhere.length === 0 ? "already-disabled" : "enabled-elsewhere", elsewhere };
  });
  // All at once, because each removal shifts the entries after it.
  const plugins = names.filter((name) => draft.workflows.get(name)?.delivery.kind === "plugin");
  draft.arrays.take(plugins.flatMap((name) => draft.ownEntries(name)));
  return results;
}

/** Parks a workflow's files or brings them back, as planned. Returns the destinations of the files that move. */
function moveFiles(
  draft: WorkspaceDraft,
  name: string,
  plan: typeof planParking,
  { parked }: { parked: boolean },
): string[] {
  const workflow = draft.workflows.get(name)!;
  const delivery = workflow.delivery as LockedCopyDelivery;
  const steps = plan({
    workflow: name,
    recorded: delivery.files,
    disk: draft.files.disk(placesOf(name, delivery)),
    othersOf: (destination) => draft.othersUsing(destination, name),
  });
  draft.files.change(steps.flatMap(({ changes }) => changes));
  draft.workflows.set(name, { ...workflow, delivery: { ...delivery, parked } });
  return steps.filter(({ changes }) => changes.length > 0).map(({ destination }) => destination);
}
