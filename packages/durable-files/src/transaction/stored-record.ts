// Reads a record as what it is: text that anybody may have put there, such as the author of a cloned repository.
// What passes here can still only act on a target beside which a file with an unguessable name lies (see `apply.ts`).
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, relative, resolve } from "node:path";
import { isControlFile } from "./control-files.ts";
import type { Entry, TransactionRecord } from "./record.ts";
import { isId, isStagedName, stagedBeside } from "./staged-names.ts";
import { isThere } from "./state-of.ts";

type StoredEntry = Pick<Entry, "kind" | "target" | "old" | "new">;
type Stored = { id: string; entries: StoredEntry[]; folders: string[]; prune: string[] };

/** Paths are stored relative to the state folder: a project that is moved or copied half-way recovers where it is now. */
export function encodeRecord(stateDir: string, record: TransactionRecord): string {
  const way = (path: string): string => relative(stateDir, path);
  const stored: Stored = {
    id: record.id,
    entries: record.entries.map(({ kind, target, old, new: next }) => ({ kind, target: way(target), old, new: next })),
    folders: record.folders.map(way),
    prune: record.prune.map(way),
  };
  return JSON.stringify(stored);
}

/** The record in a text, or what is wrong with it. */
export function decodeRecord(stateDir: string, text: string): TransactionRecord | { problem: string } {
  const stored: unknown = parsed(text);
  if (!isStored(stored)) return { problem: "does not have the shape of one" };
  const place = (path: string): string => resolve(stateDir, path);
  const entries = stored.entries.map((entry, position) => {
    const target = place(entry.target);
    return { ...entry, target, ...stagedBeside(target, stored.id, position) };
  });
  const record = { id: stored.id, entries, folders: stored.folders.map(place), prune: stored.prune.map(place) };
  const problem = problemWithPlaces(stateDir, record);
  return problem === undefined ? record : { problem };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function problemWithPlaces(stateDir: string, { entries, folders, prune }: TransactionRecord): string | undefined {
  const targets = entries.map(({ target }) => target);
  if (new Set(targets).size < targets.length) return "names a file twice";
  for (const target of targets) {
    if (isControlFile(stateDir, target)) return `names ${target}, a file of the state folder itself`;
    if (isStagedName(basename(target))) return `names ${target}, a file that only a transaction makes`;
    // Targets were free of links when they were written down.
    if (!isReal(dirname(target))) return `names ${target}, which lies behind a symbolic link`;
  }
  const of = (kind: Entry["kind"]): string[] =>
    entries.filter((entry) => entry.kind === kind).map((entry) => entry.target);
  const stray =
    folders.find((folder) => !isAboveAny(folder, of("create"))) ??
    prune.find((folder) => !isAboveAny(folder, of("delete")));
  return stray === undefined ? undefined : `names the folder ${stray}, which is above none of its files`;
}

function isAboveAny(folder: string, targets: readonly string[]): boolean {
  return targets.some((target) => target.startsWith(`${folder}/`));
}

function isReal(folder: string): boolean {
  let deepest = folder;
  while (!isThere(deepest)) deepest = dirname(deepest);
  return !fs.lstatSync(deepest).isSymbolicLink() && fs.realpathSync.native(deepest) === deepest;
}

function isStored(value: unknown): value is Stored {
  return (
    hasExactly(value, "id", "entries", "folders", "prune") &&
    isId(value.id) &&
    isListOf(value.entries, isStoredEntry) &&
    isListOf(value.folders, isPath) &&
    isListOf(value.prune, isPath)
  );
}

function isStoredEntry(value: unknown): value is StoredEntry {
  if (!hasExactly(value, "kind", "target", "old", "new") || !isPath(value.target)) return false;
  const states = `${value.kind}: ${value.old} -> ${value.new}`;
  return typeof value.old === "string" && typeof value.new === "string" && possible.some((form) => form.test(states));
}

const possible = [
  /^create: absent -> sha256:[0-9a-f]{64}$/,
  /^replace: sha256:[0-9a-f]{64} -> sha256:[0-9a-f]{64}$/,
  /^delete: (?:sha256:[0-9a-f]{64}|link:.+) -> absent$/s,
];

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0") && !isAbsolute(value);
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

function hasExactly<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).sort().join() === keys.sort().join();
}
