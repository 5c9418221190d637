import { type Dirent, lstatSync, opendirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { codePointOrder } from "./code-point-order.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { systemCode } from "./system-error.ts";

export interface ListOptions {
  /** See `parsePattern`. */
  readonly pattern: string;
  /** How many folders deep to look. */
  readonly maxDepth?: number;
  /** How many files and folders to look at, matching or not. */
  readonly maxEntries?: number;
}

interface FoundFile {
  /** Absolute, with links as they are written. */
  readonly path: string;
  /** From the root, with `/` on every system. */
  readonly relative: string;
}

export interface FileList {
  /** Sorted by the code points of `relative`, whatever their order on disk. */
  readonly files: readonly FoundFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** What should be a file and is not, such as a link to nothing or a FIFO. Each has one of the diagnostics. */
  readonly broken: readonly BrokenFile[];
}

interface BrokenFile extends FoundFile {
  readonly diagnostic: Diagnostic;
}

interface Folder {
  readonly path: string;
  readonly prefix: string;
  /** The real paths of this folder and of all above it, to detect a link that leads back up. */
  readonly chain: readonly string[];
}

interface Walk {
  readonly pattern: FilePattern;
  readonly maxDepth: number;
  readonly maxEntries: number;
  readonly files: FoundFile[];
  readonly diagnostics: Diagnostic[];
  readonly broken: BrokenFile[];
  entries: number;
}

type EntryKind = "file" | "folder" | "special" | "dead-link" | "absent";

/** In a folder whose own size is above this, the limit applies while the entries are read, not after. */
const LARGE_FOLDER_BYTES = 1024 * 1024;

/**
 * Lists the files under `root` that match the pattern. It follows links to files and folders, as the agents' own tools
 * do. The list is empty if the root does not exist. Nothing on disk makes it throw.
 *
 * @example
 * const { files } = listFiles("/project/.claude/commands", { pattern: "**\/*.md" });
 * // [{ path: "/project/.claude/commands/git/commit.md", relative: "git/commit.md" }]
 */
export function listFiles(root: string, options: ListOptions): FileList {
  const { maxDepth = 20, maxEntries = 100_000 } = options;
  const pattern = parsePattern(options.pattern);
  const walk: Walk = { pattern, maxDepth, maxEntries, files: [], diagnostics: [], broken: [], entries: 0 };
  const path = resolve(root);
  const real = realPath(path, walk);
  if (real !== undefined) walkFolder({ path, prefix: "", chain: [real] }, walk);
  const compare = codePointOrder(walk.files.map(({ relative }) => relative));
  walk.files.sort((a, b) => compare(a.relative, b.relative));
  return { files: walk.files, diagnostics: walk.diagnostics, broken: walk.broken };
}

function walkFolder(folder: Folder, walk: Walk): void {
  const { pattern } = walk;
  const depth = folder.chain.length - 1;
  const inReach = pattern.depth === "any" || pattern.depth === depth;
  const goesDeeper = pattern.depth === "any" || depth < pattern.depth;
  for (const entry of readEntries(folder.path, walk)) {
    const wanted = inReach && pattern.matches(entry.name);
    if (!wanted && !goesDeeper) continue;
    const path = folder.path + sep + entry.name;
    const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : kindOfPath(path);
    if (wanted) keep(kind, path, folder.prefix + entry.name, walk);
    if (!goesDeeper || kind !== "folder") continue;
    const prefix = `${folder.prefix}${entry.name}/`;
    if (pattern.depth === 1 && pattern.literal !== undefined) {
      // The file's name is known, so there is no need to list the folder: many skills have other files, too.
      const file = path + sep + pattern.literal;
      keep(kindOfPath(file), file, prefix + pattern.literal, walk);
    } else if (folder.chain.length > walk.maxDepth) {
      const message = `Folders nested more than ${walk.maxDepth} levels deep are not searched.`;
      const hint = "Move the files to a folder that is less deeply nested.";
      walk.diagnostics.push({ severity: "warning", code: "folder-too-deep", message, path, hint });
    } else {
      const real = entry.isSymbolicLink() ? realPath(path, walk) : (folder.chain[depth] ?? "") + sep + entry.name;
      if (real !== undefined && folder.chain.includes(real)) {
        const message = "This link points to a folder that contains it.";
        walk.diagnostics.push({ severity: "warning", code: "folder-loop", message, path, hint: "Remove the link." });
      } else if (real !== undefined) walkFolder({ path, prefix, chain: [...folder.chain, real] }, walk);
    }
  }
}

/** A folder may have such a name on purpose; the others should be files. */
const notAFile: Readonly<Record<"folder" | "special" | "dead-link", Diagnostic>> = {
  folder: {
    severity: "warning",
    code: "file-not-regular",
    message: "This is a folder, not a file.",
    hint: "Rename the folder.",
  },
  special: {
    severity: "error",
    code: "file-not-regular",
    message: "This is a FIFO, socket or device, not a file.",
    hint: "Move it elsewhere.",
  },
  "dead-link": {
    severity: "error",
    code: "file-missing",
    message: "This link's target cannot be read.",
    hint: "Remove the link or restore its target.",
  },
};

function keep(kind: EntryKind, path: string, relative: string, walk: Walk): void {
  if (kind === "absent") return;
  if (kind === "file") {
    walk.files.push({ path, relative });
    return;
  }
  const { hint = "", ...what } = notAFile[kind];
  const diagnostic: Diagnostic = { ...what, path, hint };
  walk.diagnostics.push(diagnostic);
  if (kind !== "folder") walk.broken.push({ path, relative, diagnostic });
}

/** The entries in code point order, so a limit stops every search at the same entry; none if there are too many. */
function readEntries(path: string, walk: Walk): readonly Dirent[] {
  const left = walk.maxEntries - walk.entries;
  if (left < 0) return [];
  let entries: Dirent[] = [];
  try {
    if (statSync(path).size <= LARGE_FOLDER_BYTES) entries = readdirSync(path, { withFileTypes: true });
    else {
      const folder = opendirSync(path);
      try {
        for (let entry = folder.readSync(); entry !== null && entries.length <= left; entry = folder.readSync())
          entries.push(entry);
      } finally {
        folder.closeSync();
      }
    }
  } catch (error) {
    walk.diagnostics.push(unreadableFolder(path, systemCode(error)));
    return [];
  }
  walk.entries += entries.length;
  if (walk.entries > walk.maxEntries) {
    const message = `The search found more than ${walk.maxEntries} files and folders and stopped here.`;
    const hint = "Move unrelated files out of this folder.";
    walk.diagnostics.push({ severity: "error", code: "folder-too-large", message, path, hint });
    return [];
  }
  if (entries.length < 2) return entries;
  const compare = codePointOrder(entries.map(({ name }) => name));
  return entries.toSorted((a, b) => compare(a.name, b.name));
}

function kindOfPath(path: string): EntryKind {
  try {
    const own = lstatSync(path, { throwIfNoEntry: false });
    if (own === undefined) return "absent";
    const target = own.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : own;
    if (target === undefined) return "dead-link";
    return target.isFile() ? "file" : target.isDirectory() ? "folder" : "special";
  } catch (error) {
    // A circular link, or one into a folder that this user may not enter.
    systemCode(error);
    return "dead-link";
  }
}

function realPath(path: string, walk: Walk): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT") walk.diagnostics.push(unreadableFolder(path, code));
    return undefined;
  }
}

export function unreadableFolder(path: string, code: string): Diagnostic {
  const message = `The folder cannot be read (${code}).`;
  const hint = "Check that it is a folder, and check its permissions.";
  return { severity: "error", code: "folder-unreadable", message, path, hint };
}

/** Which files in a folder match: how far down, and which names. */
export interface FilePattern {
  /** Folders between the root and the file; "any" includes none. */
  readonly depth: 0 | 1 | "any";
  /** The file name, if the pattern names exactly one. */
  readonly literal?: string;
  matches(name: string): boolean;
}

const PATTERN = /^(\*\*\/|\*\/)?(\*?)([^*/]+)$/;

/**
 * Reads the few patterns that the tools use: `*.md` for the folder itself, with a star and a slash in front for one
 * folder down, or two stars and a slash for any depth. The name is complete (`SKILL.md`) or an ending (`*.agent.md`).
 */
export function parsePattern(pattern: string): FilePattern {
  const [, folders, star, name = ""] = PATTERN.exec(pattern) ?? [];
  if (name === "") throw new TypeError(`"${pattern}" is not a pattern like "*.md", "*/SKILL.md" or "**/*.md".`);
  const depth = folders === undefined ? 0 : folders === "*/" ? 1 : "any";
  // A file called just `.md` has no name.
  if (star === "*") return { depth, matches: (file) => file.endsWith(name) && file.length > name.length };
  return { depth, literal: name, matches: (file) => file === name };
}
