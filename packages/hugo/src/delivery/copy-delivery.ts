// What installing or updating a package does to copied files, in place or parked while it is disabled.

import type { Hash } from "@atomic/durable-files/files/hash";
import { type LockedDelivery, type LockedFile, ownersOf, wasThere } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Permission } from "@atomic/workflows/internal/permission/rules";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { besideOf, parkedPath, planReturn, recordsOf } from "../workspace/copied-files.ts";
import type { DraftView } from "../workspace/draft.ts";
import { inScope } from "../workspace/place.ts";
import { commandFor } from "../workspace/request.ts";
import { type DeliveryDecision, withFiles } from "./decision.ts";
import { planCopy } from "./plan-copy.ts";
import type { CopiedFile, TranslatedPackage } from "./translate/package-translation.ts";
import { HELD } from "./translate/permission.ts";
import { agentLimit } from "./user-permission.ts";

export interface CopyOptions {
  /** What the lock records about its files now. */
  readonly recorded: ReadonlyMap<string, LockedFile>;
  readonly parked: boolean;
  readonly modified: "merge" | "skip";
  /** Files that the user deleted come back. */
  readonly restoreDeleted: boolean;
  /** Whether the package's previous version delivered the file as executable, if known. */
  readonly wasExecutable?: (destination: string) => boolean | undefined;
}

export interface CopyDelivery extends Pick<DeliveryDecision, "files" | "bases" | "steps" | "notes" | "stopped"> {
  readonly records: ReadonlyMap<string, LockedFile>;
  /** The user's permissions that limit the agents, if they are stricter than the agents' own. */
  readonly permission?: Permission;
  /** The user's models that replaced Claude's. */
  readonly models?: ReadonlyMap<string, string>;
}

export function deliverCopy(view: DraftView, resolved: TranslatedPackage, options: CopyOptions): CopyDelivery {
  const limit = agentLimit(view, resolved);
  const { files: next, notes, stopped, models } = resolved.translation.deliver(limit, resolved.manifest);
  const isHeld = notes.some(({ message }) => message === HELD);
  const delivery = planFiles(view, resolved.workflow, next, options);
  // Left out on purpose and recorded, so you can see that the workflow is incomplete.
  const left = stopped.map(({ destination, source }) => [destination, { kind: "skipped", source }] as const);
  const given = new Set([...next.values()].map(({ bytes }) => hashOf(bytes)));
  const records = new Map<string, LockedFile>([
    ...[...delivery.records].map(([path, record]): [string, LockedFile] => [path, withAge(record, given)]),
    ...left,
  ]);
  const used = { ...(isHeld && { permission: limit }), ...(models.size > 0 && { models }) };
  return { ...delivery, records, notes, stopped, ...used };
}

/** Marks a base that this version does not have: a conflict or a skipped file keeps an earlier one. */
function withAge(record: LockedFile, given: ReadonlySet<Hash>): LockedFile {
  if (record.kind !== "installed") return record;
  const { older: _, ...rest } = record;
  return given.has(record.base) ? rest : { ...rest, older: true };
}

/** Brings parked files back and then delivers the package, as one change. */
export function deliverParkedCopy(view: DraftView, resolved: TranslatedPackage, options: CopyOptions): CopyDelivery {
  const { workflow } = resolved;
  const paths = [...options.recorded.keys()].flatMap((path) => [path, besideOf(path)]);
  const returned = planReturn({
    workflow,
    recorded: options.recorded,
    disk: view.disk([...paths, ...paths.map((path) => parkedPath(workflow, path))]),
    othersOf: (destination) => ownersOf(view.lock, destination).filter((owner) => owner !== workflow),
  }).flatMap(({ changes }) => changes);
  const delivery = deliverCopy(withFiles(view, returned), resolved, { ...options, parked: false });
  return { ...delivery, files: [...returned, ...delivery.files] };
}

/** Removes the workflow's files; edited ones stay. */
export function withdrawCopy(
  view: DraftView,
  workflow: string,
  { files, parked }: Extract<LockedDelivery, { kind: "copy" }>,
): CopyDelivery {
  return planFiles(view, workflow, new Map(), { recorded: files, parked, modified: "merge", restoreDeleted: false });
}

function planFiles(
  view: DraftView,
  workflow: string,
  next: ReadonlyMap<string, CopiedFile>,
  { recorded, parked, modified, restoreDeleted, wasExecutable = () => undefined }: CopyOptions,
): CopyDelivery {
  refuseSwapped(view, workflow, recorded, next);
  const place = (path: string): string => (parked ? parkedPath(workflow, path) : path);
  const paths = [...new Set([...recorded.keys(), ...next.keys()])].flatMap((path) => [path, besideOf(path)]);
  const found = view.disk(paths.map(place));
  const disk = new Map(
    paths.flatMap((path) => {
      const file = found.get(place(path));
      return file === undefined ? [] : [[path, file.bytes] as const];
    }),
  );
  const steps = planCopy({
    recorded: restoreDeleted ? new Map([...recorded].filter(([path]) => disk.has(path))) : recorded,
    next,
    disk,
    baseOf: (hash) => view.baseOf(hash),
    othersOf: (destination) => (parked ? [] : ownersOf(view.lock, destination).filter((owner) => owner !== workflow)),
    wasThere: (destination) => wasThere(view.lock, destination),
    executable: { onDisk: (destination) => found.get(place(destination))?.executable, given: wasExecutable },
    modified,
  }).map((step) => ({ ...step, changes: step.changes.map((change) => ({ ...change, path: place(change.path) })) }));
  return {
    steps,
    records: recordsOf(steps),
    files: steps.flatMap(({ changes }) => changes),
    bases: steps.flatMap(({ keep }) => keep ?? []),
    notes: [],
    stopped: [],
  };
}

/**
 * A file that becomes a folder, or a folder that becomes a file. One change cannot do both: new files are written before
 * old ones are deleted, so a crash never leaves neither.
 */
function refuseSwapped(
  { lock, place }: DraftView,
  workflow: string,
  recorded: ReadonlyMap<string, LockedFile>,
  next: ReadonlyMap<string, unknown>,
): void {
  /** The first parent folder of one of the paths that is itself among the files. */
  const folderOver = (paths: readonly string[], files: ReadonlySet<string>): string | undefined => {
    const folders = paths.flatMap((path) => {
      const parts = path.split("/");
      return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
    });
    return folders.sort().find((folder) => files.has(folder));
  };
  const installed = [...recorded].filter(([, { kind }]) => kind === "installed").map(([path]) => path);
  const toFolder = folderOver([...next.keys()], new Set(installed));
  const path = toFolder ?? folderOver(installed, new Set(next.keys()));
  if (path === undefined) return;
  const [was, is] = toFolder === undefined ? ["a folder", "a file"] : ["a file", "a folder"];
  const source = lock.workflows.get(workflow)?.source ?? workflow;
  throw new HugoError("file-taken", {
    message: `.opencode/${path} is ${was} and would become ${is}, which cannot be done in one change`,
    at: `.opencode/${path}`,
    hint: inScope(
      place,
      `Do it in two steps: \`hugo remove ${workflow}\`, then ${commandFor(place, "install", source)}. Nothing was changed.`,
    ),
  });
}
