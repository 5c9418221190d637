// What is missing from a locked workflow, and where the lock, the config files and the copied files disagree.
// Touches no disk.

import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { partOf } from "../opencode/config-files.ts";
import { hashOf } from "../packages/hash.ts";
import { baseNow, besideOf, type FileChange, type LockedCopyDelivery, parkedPath } from "../workspace/copied-files.ts";
import type { DraftView } from "../workspace/draft.ts";
import { pinOf } from "../workspace/pin.ts";
import { folderLabel, portablePath, type WorkspacePlace } from "../workspace/place.ts";
import { commandFor, lockedRequest, targetOf } from "../workspace/request.ts";
import type { DeliveryDecision } from "./decision.ts";
import { entriesFor } from "./plugin-delivery.ts";
import type { PackageTranslation } from "./translate/package-translation.ts";

export interface Restoration extends Pick<DeliveryDecision, "bases"> {
  readonly files: readonly Extract<FileChange, { kind: "write" }>[];
  /** Files with local edits, which stay as they are. */
  readonly edited: readonly string[];
  /** Missing files whose content the locked version does not have. */
  readonly lost: readonly string[];
  /** Files whose merge base is that of an earlier version, and gone; and what helps. */
  readonly baseless: readonly { readonly path: string; readonly next: string }[];
}

/** What helps if the merge base of a file is gone: no version that Hugo could fetch again has it. */
export function withoutBase(
  place: WorkspacePlace,
  source: string,
  { pending }: Pick<Installed, "pending">,
  beside: string,
): string {
  if (pending === undefined) return commandFor(place, "install --force", source);
  return `resolve the conflict: merge ${folderLabel(place)}/${beside} into your file, then delete it`;
}

type Installed = Extract<LockedFile, { kind: "installed" }>;

/** @param translation Of the locked version of the package. */
export function planRestoration(
  view: DraftView,
  name: string,
  { parked, files, permission }: LockedCopyDelivery,
  translation: PackageTranslation,
): Restoration {
  const { files: given } = translation.deliver(permission);
  const contents = new Map([...given.values()].map(({ bytes }) => [hashOf(bytes), bytes]));
  const contentOf = (hash: Hash): Uint8Array | undefined => contents.get(hash) ?? view.baseOf(hash);
  const place = (path: string): string => (parked ? parkedPath(name, path) : path);
  const installed = [...files].filter((entry): entry is [string, Installed] => entry[1].kind === "installed");
  const disk = view.disk(installed.flatMap(([path]) => [place(path), place(besideOf(path))]));

  const missing = installed.filter(([path, { deleted }]) => deleted !== true && !disk.has(place(path)));
  const edited = installed.filter(([path, file]) => {
    const present = disk.get(place(path));
    return present !== undefined && hashOf(present.bytes) !== baseNow(file, disk.has(place(besideOf(path))));
  });
  return {
    files: missing.flatMap(([path, { base }]) => {
      const bytes = contentOf(base);
      const executable = given.get(path)?.executable ?? false;
      return bytes === undefined ? [] : [{ kind: "write", path: place(path), bytes, executable } as const];
    }),
    lost: missing.filter(([, { base }]) => contentOf(base) === undefined).map(([path]) => place(path)),
    edited: edited.map(([path]) => place(path)),
    baseless: installed.flatMap(([path, file]) => {
      const beside = place(besideOf(path));
      const isNeeded = file.older && baseNow(file, disk.has(beside)) === file.base;
      if (!isNeeded || contentOf(file.base) !== undefined) return [];
      const { source = name } = view.lock.workflows.get(name) ?? {};
      return [{ path: place(path), next: withoutBase(view.place, source, file, beside) }];
    }),
    bases: installed.flatMap(([, { base, pending }]) =>
      [base, ...(pending === undefined ? [] : [pending])].flatMap((hash) => {
        const bytes = contents.get(hash);
        return bytes === undefined || view.baseOf(hash) !== undefined ? [] : [{ hash, bytes }];
      }),
    ),
  };
}

/** Something that differs from the lock. */
export interface Drift {
  readonly workflow: string;
  readonly message: string;
  readonly hint: string;
}

export function findDrift(view: DraftView): Drift[] {
  const { place, lock } = view;
  return [...lock.workflows.keys()].sort().flatMap((name) => {
    const workflow = lock.workflows.get(name)!;
    const { delivery } = workflow;
    const found: Omit<Drift, "workflow">[] = [];
    if (delivery.kind === "copy") found.push(...copyDrift(view, name, delivery));
    else {
      const { disabled } = delivery;
      const entries = entriesFor(view, targetOf(lockedRequest(workflow, place), name, workflow.package, lock));
      if (entries.length === 0 && disabled === undefined) {
        const message = "the lock says it is enabled, but no config file lists it";
        found.push({ message, hint: `hugo enable ${name}, or hugo disable ${name}` });
      }
      const missing = (delivery.parts ?? []).filter((part) => !entries.some(({ file }) => partOf(file) === part));
      for (const part of entries.length === 0 ? [] : missing) {
        const message = `the lock says it is enabled, but no ${part === "tui" ? "tui.json" : "opencode.json"} lists it`;
        found.push({ message, hint: commandFor(place, "install --force", workflow.source) });
      }
      for (const { file, spec } of entries) {
        const at = portablePath(place, file);
        if (disabled !== undefined) {
          const message = `the lock says it is disabled, but ${at} lists ${spec}`;
          found.push({ message, hint: `hugo enable ${name}, or remove the entry` });
          continue;
        }
        const wanted = pinOf(place, name, workflow, file);
        if (spec === wanted) continue;
        const message = `${at} lists ${spec}, but the lock has ${wanted}`;
        found.push({ message, hint: commandFor(place, "install --force", workflow.source) });
      }
    }
    if (workflow.tree === undefined) {
      const message = "the lock was written by an earlier version of Hugo and does not record the workflow's content";
      found.push({ message, hint: `hugo update ${name}` });
    }
    return found.map((drift) => ({ workflow: name, ...drift }));
  });
}

/** Local edits are not drift, but files in the wrong place are. */
function copyDrift(view: DraftView, name: string, { parked, files }: LockedCopyDelivery): Omit<Drift, "workflow">[] {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([destination, file]) => {
    if (file.kind !== "installed") return [];
    const away = parkedPath(name, destination);
    const disk = view.disk([destination, away]);
    if (!parked) {
      if (!disk.has(away)) return [];
      const message = `the lock says it is enabled, but ${away} is parked`;
      return [{ message, hint: "check the file, then move or remove it" }];
    }
    const present = disk.get(destination);
    if (present === undefined || hashOf(present.bytes) !== file.base) return [];
    const message = `the lock says it is disabled, but ${destination} is in place`;
    return [{ message, hint: `remove ${destination}` }];
  });
}
