// Decides what a transaction will do, reading only. Everything that is refused is refused here, before the first write.
import * as fs from "node:fs";
import { basename, dirname, relative } from "node:path";
import { DurableError } from "../errors.ts";
import { hashFile, hashOf } from "../files/plain-file.ts";
import type { NewFile } from "../files/write.ts";
import { foldName } from "../safety/names.ts";
import type { Change } from "./change.ts";
import { isControlFile } from "./control-files.ts";
import type { Entry, TransactionRecord } from "./record.ts";
import { resolveTarget, type Target } from "./resolve-target.ts";
import type { ChangedFile } from "./result.ts";
import { isStagedName, newId, stagedBeside } from "./staged-names.ts";
import { stateOf } from "./state-of.ts";

export type Plan = {
  record: TransactionRecord;
  /** The content of each entry's temporary file, in the order of the entries. */
  contents: (NewFile | undefined)[];
  files: ChangedFile[];
};

/** `stateDir` is a real path. */
export function planEntries(stateDir: string, changes: readonly Change[], pruneEmptyUpTo: string | undefined): Plan {
  const plan: Plan = { record: { id: newId(), entries: [], folders: [], prune: [] }, contents: [], files: [] };
  const { record } = plan;
  const targets = changes.map((change) => resolveTarget(change.path, change.delete === true));
  refuseOverlaps(changes, targets);
  for (const [index, change] of changes.entries()) {
    const target = targets[index]!;
    refuseOurOwn(stateDir, change, target);
    refuseUnlessExpected(change, target);
    const step = planStep(change, target);
    plan.files.push({ path: change.path, did: step.did });
    if (step.entry === undefined) continue;
    record.entries.push({ ...step.entry, ...stagedBeside(target.path, record.id, record.entries.length) });
    plan.contents.push(step.content);
    for (const folder of target.missing) if (!record.folders.includes(folder)) record.folders.push(folder);
  }
  if (pruneEmptyUpTo !== undefined && fs.existsSync(pruneEmptyUpTo)) {
    const folders = foldersToPrune(record.entries, fs.realpathSync.native(pruneEmptyUpTo));
    // The state folder holds the record itself, so neither it nor a folder around it is ever empty.
    record.prune = folders.filter((folder) => folder !== stateDir && !isBelow(folder, stateDir));
  }
  return plan;
}

type Step = {
  did: ChangedFile["did"];
  entry?: Omit<Entry, "temp" | "backup">;
  content?: NewFile | undefined;
};

function planStep(change: Change, { path, stat }: Target): Step {
  const old = stat === undefined ? "absent" : stateOf(path);
  if (stat !== undefined && !old.startsWith(stat.isSymbolicLink() ? "link:" : "sha256:")) {
    throw changedSince(change.path, old === "absent", false); // swapped between two looks
  }
  if (change.delete === true) {
    if (stat === undefined) return { did: "nothing" };
    return { did: "deleted", entry: { kind: "delete", target: path, old, new: "absent" } };
  }
  const bytes = typeof change.content === "string" ? encoded(change.path, change.content) : change.content;
  const next = hashOf(bytes);
  if (stat === undefined) {
    const entry = { kind: "create", target: path, old, new: next } as const;
    return { did: "created", entry, content: { bytes, mode: change.mode } };
  }
  const mode = change.mode ?? stat.mode & 0o7777;
  if (old === next && mode === (stat.mode & 0o7777)) return { did: "nothing" };
  const entry = { kind: "replace", target: path, old, new: next } as const;
  return { did: "replaced", entry, content: { bytes, mode, gid: stat.gid } };
}

function encoded(path: string, text: string): Uint8Array {
  const half = text.search(/\p{Cs}/u);
  if (half < 0) return Buffer.from(text);
  throw new DurableError("syntax", {
    message: `The new text of ${path} holds half of a surrogate pair (at offset ${half}), which UTF-8 cannot hold`,
    at: path,
    hint: "Decode the text correctly, or pass bytes.",
  });
}

function refuseOurOwn(stateDir: string, change: Change, { path }: Target): void {
  if (!isControlFile(stateDir, path) && !isStagedName(basename(path))) return;
  throw new DurableError("unsafe-path", {
    message: `${change.path} belongs to the transactions themselves`,
    at: path,
    hint: "Name another file.",
  });
}

function refuseUnlessExpected(change: Change, target: Target): void {
  if (change.expect === undefined) return;
  const now = target.stat === undefined ? "absent" : (hashFile(target.path) ?? "absent");
  if (now !== change.expect) throw changedSince(change.path, now === "absent", change.expect === "absent");
}

function changedSince(path: string, gone: boolean, wasAbsent: boolean): DurableError {
  const what = gone ? "has been removed" : wasAbsent ? "has been created" : "has been changed";
  return new DurableError("changed", {
    message: `${path} ${what} since it was read; nothing was written`,
    at: path,
    hint: "Run the command again: it will start from the file as it is now.",
  });
}

function refuseOverlaps(changes: readonly Change[], targets: readonly Target[]): void {
  const seen = new Map<string, string>();
  for (const [index, { path, stat }] of targets.entries()) {
    // On a disk that ignores case, README.md and readme.md are one file; with that case fold alone, two files may look like one.
    const keys = stat === undefined ? [path] : [path, `${stat.dev}:${stat.ino}:${foldName(path)}`];
    for (const key of keys) {
      const other = seen.get(key);
      if (other !== undefined) throw overlap(changes[index]!.path, `is the same file as ${other}`);
      seen.set(key, changes[index]!.path);
    }
  }
  for (const [index, { missing }] of targets.entries()) {
    const file = missing.map((folder) => seen.get(folder)).find((other) => other !== undefined);
    if (file !== undefined)
      throw overlap(changes[index]!.path, `needs ${file} to be a folder, which is itself a file here`);
  }
}

function overlap(path: string, what: string): DurableError {
  const hint = "Name each file once.";
  return new DurableError("unsafe-path", { message: `${path} ${what}`, at: path, hint });
}

function foldersToPrune(entries: readonly Entry[], upTo: string): string[] {
  const folders = new Set<string>();
  for (const { kind, target } of entries) {
    if (kind !== "delete") continue;
    for (let at = dirname(target); isBelow(upTo, at); at = dirname(at)) folders.add(at);
  }
  return [...folders].sort((a, b) => b.length - a.length);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../");
}
