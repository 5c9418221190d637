// Decides what a transaction will do; it only reads. Every refusal happens here, before the first write.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt } from "../files/errno.ts";
import { followLink, realFolder, unsafe } from "../files/folder.ts";
import type { Hash } from "../files/hash.ts";
import { hashFile, hashOf, type NewContent, refuseUnlessPlain } from "../files/plain-file.ts";
import { foldName } from "../safety/names.ts";
import type { ChangedFile } from "../transaction-result.ts";
import { ownFileKind, type RecordEntry, stagedBeside, type TransactionRecord } from "./record.ts";
import { stateOf } from "./state-of.ts";

/** One file of a transaction: its complete new content, or its removal. */
export type Change = {
  path: string;
  /** What the caller read (see `readForEdit`). Anything else on disk: nothing at all is written and the error is `changed`. */
  expect?: Hash | "absent";
} & (
  | {
      content: string | Uint8Array;
      /** Permission bits. Default: those of the replaced file, or what the umask leaves for a new one. */
      mode?: number;
      delete?: never;
    }
  | { delete: true; content?: never; mode?: never }
);

export type Plan = {
  record: TransactionRecord;
  /** The content of each entry's temporary file, in the order of the entries. */
  contents: (NewContent | undefined)[];
  files: ChangedFile[];
};

/** `stateDir` is a real path. */
export function planEntries(stateDir: string, changes: readonly Change[], pruneEmptyUpTo: string | undefined): Plan {
  const record: TransactionRecord = { id: randomBytes(6).toString("hex"), entries: [], folders: [], prune: [] };
  const plan: Plan = { record, contents: [], files: [] };
  const targets = changes.map((change) => resolveTarget(change.path, change.delete === true));
  const seen = new Map<string, string>();
  const overlapHint = "List each file only once.";
  for (const [index, { path, stat }] of targets.entries()) {
    // On a disk that ignores case, README.md and readme.md are one file; with that case fold alone, two files may look like one.
    const keys = stat === undefined ? [path] : [path, `${stat.dev}:${stat.ino}:${foldName(path)}`];
    for (const key of keys) {
      const [other, at] = [seen.get(key), changes[index]!.path];
      if (other !== undefined) {
        throw new DurableError("unsafe-path", { message: `${at} is the same file as ${other}`, at, hint: overlapHint });
      }
      seen.set(key, at);
    }
  }
  for (const [index, { missing }] of targets.entries()) {
    const file = missing.map((folder) => seen.get(folder)).find((other) => other !== undefined);
    if (file === undefined) continue;
    const at = changes[index]!.path;
    const message = `${at} requires ${file} to be a folder, but this change writes it as a file`;
    throw new DurableError("unsafe-path", { message, at, hint: overlapHint });
  }
  for (const [index, change] of changes.entries()) {
    const target = targets[index]!;
    if (ownFileKind(stateDir, target.path) !== undefined) {
      const message = `${change.path} is reserved for transactions`;
      throw new DurableError("unsafe-path", { message, at: target.path, hint: "Use a different file." });
    }
    if (change.expect !== undefined) {
      const now = target.stat === undefined ? "absent" : (hashFile(target.path) ?? "absent");
      if (now !== change.expect) throw changedSince(change.path, now === "absent", change.expect === "absent");
    }
    const step = planStep(change, target);
    plan.files.push({ path: change.path, did: step.did });
    if (step.entry === undefined) continue;
    record.entries.push({ ...step.entry, ...stagedBeside(target.path, record.id, record.entries.length) });
    plan.contents.push(step.content);
    for (const folder of target.missing) if (!record.folders.includes(folder)) record.folders.push(folder);
  }
  if (pruneEmptyUpTo !== undefined && fs.existsSync(pruneEmptyUpTo)) {
    const upTo = fs.realpathSync.native(pruneEmptyUpTo);
    const folders = new Set<string>();
    for (const [index, { did, path }] of plan.files.entries()) {
      if (did !== "deleted") continue;
      // Up to the first link: without the folder that it leads to, it would be broken.
      for (let at = dirname(resolve(path)); !fs.lstatSync(at).isSymbolicLink(); at = dirname(at)) {
        const real = fs.realpathSync.native(at);
        if (!isBelow(upTo, real) || !isBelow(real, targets[index]!.path)) break;
        folders.add(real);
      }
    }
    const links = fs.readdirSync(upTo, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    const linked = links.map(({ name }) => {
      return attempt(() => fs.realpathSync.native(join(upTo, name)), "ENOENT", "ENOTDIR", "ELOOP", "EACCES");
    });
    // The state folder holds the record itself, so neither it nor a folder around it is ever empty.
    record.prune = [...folders]
      .filter((folder) => folder !== stateDir && !isBelow(folder, stateDir))
      .filter((folder) => !linked.some((target) => target?.value === folder))
      .sort((a, b) => b.length - a.length);
  }
  return plan;
}

/** Where a change really lands. */
type Target = {
  /** Free of symbolic links, except that the last part may be a link that is to be removed. */
  path: string;
  /** Of the file that is there now. */
  stat: fs.Stats | undefined;
  /** Parents that do not exist yet, outermost first. */
  missing: string[];
};

/** Follows links to the file a change is about and refuses what may not be touched. */
function resolveTarget(named: string, removal: boolean): Target {
  const path = resolve(named);
  if (path === dirname(path)) throw unsafe(path, "is the root folder", "Pass the path to a file.");
  // A slash at the end, or a dot as the last part, asks for a folder; `resolve` would hide that.
  if (named === "" || named.includes("\0") || /(?:^|\/)\.{0,2}$/.test(named)) {
    const message = `${JSON.stringify(named)} is not a file path`;
    throw new DurableError("unsafe-path", { message, at: path, hint: "Pass the path to a file." });
  }
  const parent = realFolder(dirname(path));
  const place = join(parent.path, basename(path));
  if (parent.missing.length > 0) return { path: place, stat: undefined, missing: parent.missing };
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return { path: place, stat: undefined, missing: [] };
  // Removing a link leaves the file behind it alone, as `rm` does; writing goes through the link and keeps it.
  const real = found.isSymbolicLink() && !removal ? followLink(place) : { path: place, stat: found };
  const { stat } = real;
  if (!stat.isSymbolicLink()) refuseUnlessPlain(real.path, stat);
  const me = process.geteuid?.() ?? stat.uid;
  if (stat.uid !== me) {
    const hint = "Run the command as the file's owner, or change the owner.";
    throw unsafe(real.path, `belongs to user ${stat.uid}, not to user ${me}`, hint);
  }
  if (stat.isFile() && (stat.mode & 0o200) === 0) {
    throw unsafe(real.path, "is read-only", "If it is meant to be edited, make it writable (chmod u+w).");
  }
  return { ...real, missing: [] };
}

type Step = {
  did: ChangedFile["did"];
  entry?: Omit<RecordEntry, "temp" | "backup">;
  content?: NewContent;
};

function planStep(change: Change, { path, stat }: Target): Step {
  const old = stat === undefined ? "absent" : stateOf(path);
  if (stat !== undefined && !old.startsWith(stat.isSymbolicLink() ? "link:" : "sha256:")) {
    throw changedSince(change.path, old === "absent", false); // replaced between two reads
  }
  if (change.delete === true) {
    if (stat === undefined) return { did: "nothing" };
    return { did: "deleted", entry: { kind: "delete", target: path, old, new: "absent" } };
  }
  const { content } = change;
  const half = typeof content === "string" ? content.search(/\p{Cs}/u) : -1;
  if (half >= 0) {
    throw new DurableError("syntax", {
      message: `The new text for ${change.path} contains an unpaired surrogate (at offset ${half}), which UTF-8 cannot encode`,
      at: change.path,
      hint: "Decode the text correctly, or pass the bytes instead.",
    });
  }
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
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

function changedSince(path: string, gone: boolean, wasAbsent: boolean): DurableError {
  const what = gone ? "has been removed" : wasAbsent ? "has been created" : "has been changed";
  return new DurableError("changed", {
    message: `${path} ${what} since it was read; nothing was written`,
    at: path,
    hint: "Run the command again; it will use the file's current content.",
  });
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../");
}
