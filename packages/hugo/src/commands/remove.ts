import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { planCopy } from "../delivery/plan-copy.ts";
import {
  besideOf,
  type FileChange,
  type FileStep,
  type LockedCopyDelivery,
  PARKING,
  parkedPath,
  placesOf,
} from "../workspace/copied-files.ts";
import { type ChangeSummary, changeDraft, type NamedEntry, type WorkspaceDraft } from "../workspace/draft.ts";
import { pluginOrder } from "../workspace/plugin-arrays.ts";
import { stillLoaded } from "./enable.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import { foldFiles, labelOf } from "./shared/fold-files.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { summaryNotes, warning } from "./shared/notes.ts";
import type { ReportedWorkflow } from "./shared/workflow-status.ts";

export interface RemoveResult extends ChangeSummary {
  readonly workflows: readonly Removed[];
}

const names = { name: { count: "some", summary: "Workflow names or package names" } } as const;

export const remove: HugoCommand<typeof names, Record<never, never>, RemoveResult> = {
  name: "remove",
  aliases: ["rm"],
  summary: "Remove workflows but keep files you edited",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo remove review", shows: "removes its plugin entry or its files, and restores your config" },
    { command: "hugo rm review --dry-run", shows: "what would be removed and what would stay" },
  ],
  mutates: true,
  run: (context, input) =>
    changeDraft(context, input, "remove", (draft) => {
      const workflows = removeWorkflows(draft, findWorkflows(draft.snapshot.lock, input.name));
      return { title: `remove ${workflows.map(({ name }) => name).join(" ")}`, result: { workflows } };
    }),
  report: {
    text: (result, page) =>
      result.workflows
        .map(({ name, package: packageName, entries, deleted, left }) => {
          const { folder, dryRun } = result;
          const done = dryRun ? "Would remove" : "Removed";
          const minus = painter(page.colour)("red", "-");
          const lines = [
            ...entries.map(({ file }) => safe`${packageName} in ${file}`),
            ...foldFiles(deleted.map((path) => ({ path }))).map((file) => safe`${folder}/${labelOf(file)}`),
          ];
          const remainders = Object.entries(whyLeft).flatMap(([because, why]) => {
            const amount = left.filter((file) => file.because === because).length;
            return amount > 0 ? [`${count(amount, "file")} left in place (${why}).`] : [];
          });
          const title = [safe`${done} workflow "${name}".`, ...remainders].join(" ");
          return [
            paragraph(title, page, { indent: "  " }),
            ...lines.map((line) => paragraph(line, page, { lead: `  ${minus} `, indent: "    " })),
          ].join("");
        })
        .join(""),
    notes: (result, page) => {
      const { workflows, folder, dryRun } = result;
      // Only if OpenCode sees a change: it did not load anything from a disabled workflow.
      return [
        ...workflows.flatMap(({ name, left }) => left.map((file) => warning(leaving(name, file, folder), page))),
        ...workflows.flatMap(({ name, elsewhere }) =>
          elsewhere.map(({ file }) => warning(stillLoaded(name, file), page)),
        ),
        ...summaryNotes(result, page),
        workflows.some(({ entries, deleted, left }) => {
          const isInPlace = (path: string): boolean => !path.startsWith(`${PARKING}/`);
          const isBack = left.some(({ path, because }) => because === "adopted" && isInPlace(path));
          return entries.length > 0 || deleted.some(isInPlace) || isBack;
        }) && !dryRun
          ? paragraph("Restart OpenCode to see the change.", page, { indent: "" })
          : "",
      ].join("");
    },
    json: ({ workflows, dryRun, checkFile, notices }) => ({ dryRun, workflows, checkFile, notices }),
    exitCode: () => 0,
  },
};

const whyLeft = { modified: "locally modified", shared: "shared", adopted: "already there" } as const;

function leaving(name: string, { path, because, owners }: LeftFile, folder: string): string {
  const file = `${folder}/${path}`;
  if (because === "modified") return `Leaving ${file} — locally modified. Delete manually if desired.`;
  if (because === "adopted") return `Leaving ${file} — it existed before "${name}" was installed.`;
  return `Leaving ${file} — it also belongs to ${owners.map((owner) => `"${owner}"`).join(" and ")}.`;
}

interface Removed extends Omit<ReportedWorkflow, "source"> {
  /** Entries that were removed from plugin arrays. */
  readonly entries: readonly NamedEntry[];
  /** Entries in configs outside this place's control through which OpenCode still loads it. */
  readonly elsewhere: readonly NamedEntry[];
  /** Copied files that were deleted, below `.opencode`. */
  readonly deleted: readonly string[];
  readonly left: readonly LeftFile[];
}

interface LeftFile {
  /** Below `.opencode`. */
  readonly path: string;
  /** It has local edits, other workflows use it, too, or it existed before. */
  readonly because: "modified" | "shared" | "adopted";
  readonly owners: readonly string[];
}

/** Removes what Hugo added; the user's edits stay. */
function removeWorkflows(draft: WorkspaceDraft, names: readonly string[]): Removed[] {
  const files = new Set([...names].flatMap((name) => draft.ownEntries(name).map(({ file }) => file)));
  for (const { delivery } of names.map((name) => draft.workflows.get(name)!)) {
    for (const remembered of (delivery.kind === "plugin" && delivery.disabled) || []) {
      const file = draft.ownConfigs.named(remembered.file);
      if (file !== undefined) files.add(file);
    }
  }
  for (const file of files) movePositionsUp(draft, file, names);
  const removed = names.map((name) => {
    const workflow = draft.workflows.get(name)!;
    const { delivery } = workflow;
    const isCopy = delivery.kind === "copy";
    const steps = isCopy ? removeFiles(draft, name, delivery) : [];
    draft.workflows.delete(name);
    return {
      ...{ name, package: workflow.package, version: workflow.version, delivery: workflow.delivery.kind },
      entries: isCopy ? [] : draft.named(draft.ownEntries(name)),
      elsewhere: isCopy ? [] : draft.named(draft.foreignEntries(name)),
      deleted: steps.flatMap((step) => (isBroughtBack(step) ? [] : step.changes.map(({ path }) => path))),
      left: steps.flatMap((step) => leftBy(draft, name, delivery as LockedCopyDelivery, step)),
    };
  });
  // All at once, because each removal shifts the entries after it.
  draft.arrays.take(
    names.flatMap((name) =>
      draft.snapshot.lock.workflows.get(name)?.delivery.kind === "plugin" ? draft.ownEntries(name) : [],
    ),
  );
  return removed;
}

/** For a disabled workflow, removes the parked files; they are its own, even if others have the same. */
function removeFiles(draft: WorkspaceDraft, name: string, delivery: LockedCopyDelivery): FileStep[] {
  const { parked, files } = delivery;
  const disk = draft.files.disk(placesOf(name, delivery));
  // The parked files as if they were in their usual place.
  const prefix = parked ? parkedPath(name, "") : "";
  const inPlace = [...disk].flatMap(([path, { bytes }]): [string, Uint8Array][] =>
    path.startsWith(prefix) ? [[path.slice(prefix.length), bytes]] : [],
  );
  const steps = planCopy({
    recorded: files,
    next: new Map(),
    disk: new Map(inPlace),
    baseOf: () => undefined,
    othersOf: (destination) => (parked ? [] : draft.othersUsing(destination, name)),
    modified: "merge",
  });
  const done = !parked
    ? steps
    : steps.map((step): FileStep => {
        const from = parkedPath(name, step.destination);
        const changes = step.changes.map((change) => ({ ...change, path: parkedPath(name, change.path) }));
        const file = disk.get(from);
        // A file that existed before goes back to its place, unless something else is there.
        if (step.because !== "adopted" || file === undefined || disk.has(step.destination)) return { ...step, changes };
        const back: FileChange = { kind: "write", path: step.destination, ...file };
        return { ...step, changes: [back, { kind: "delete", path: from }, ...changes] };
      });
  draft.files.change(done.flatMap(({ changes }) => changes));
  return done;
}

function leftBy(
  draft: WorkspaceDraft,
  name: string,
  { parked, files }: LockedCopyDelivery,
  step: FileStep,
): LeftFile[] {
  const { destination, verdict, because } = step;
  const left: LeftFile[] = [];
  if (verdict === "left" && because !== undefined && because !== "unmanaged") {
    const path = parked && !isBroughtBack(step) ? parkedPath(name, destination) : destination;
    left.push({ path, because, owners: because === "shared" ? draft.othersUsing(destination, name) : [] });
  }
  // A version that could not be merged, if it was edited, and anything else parked with the file.
  const file = files.get(destination);
  const beside = parked ? parkedPath(name, besideOf(destination)) : besideOf(destination);
  const hasBeside = parked || (file?.kind === "installed" && file.pending !== undefined);
  if (hasBeside && draft.files.disk([beside]).has(beside)) left.push({ path: beside, because: "modified", owners: [] });
  return left;
}

function isBroughtBack({ changes }: FileStep): boolean {
  return changes.some(({ kind }) => kind === "write");
}

/** Disabled plugins after a removed one move up. */
function movePositionsUp(draft: WorkspaceDraft, file: string, names: readonly string[]): void {
  const gone = new Set(names.flatMap((name) => draft.ownEntries(name)).filter((entry) => entry.file === file));
  const freed = new Set([...gone].map(({ index }) => index));
  const order = pluginOrder(draft.arrays.entriesIn(file), draft.absentFrom(file)).filter((each) =>
    "entry" in each ? !freed.has(each.entry.index) : !names.includes(each.absent),
  );
  const indexes = new Map<string, number[]>();
  for (const [index, each] of order.entries()) {
    if ("absent" in each) indexes.set(each.absent, [...(indexes.get(each.absent) ?? []), index]);
  }
  for (const [name, own] of indexes) {
    const workflow = draft.workflows.get(name)!;
    if (workflow.delivery.kind !== "plugin" || workflow.delivery.disabled === undefined) continue;
    const inFile = workflow.delivery.disabled.filter((remembered) => draft.ownConfigs.named(remembered.file) === file);
    const inOrder = inFile.toSorted((a, b) => a.index - b.index);
    if (inOrder.every(({ index }, at) => index === own[at])) continue;
    const disabled = workflow.delivery.disabled.map((remembered) => {
      const at = inOrder.indexOf(remembered);
      return at < 0 ? remembered : { ...remembered, index: own[at] ?? remembered.index };
    });
    draft.workflows.set(name, { ...workflow, delivery: { ...workflow.delivery, disabled } });
  }
}
