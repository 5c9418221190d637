import * as fs from "node:fs";
import { basename, join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { findNameCollisions, shown } from "@atomic/durable-files/safety/names";
import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";
import { HugoError } from "../errors.ts";
import type { PackageFile, PackageTree } from "./tree.ts";

export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
  readonly depth: number;
}

/** As much as is fetched at all: collections of agents and skills may come with a website. */
const LIMITS: TreeLimits = { files: 20_000, bytes: 256 * 1024 * 1024, depth: 16 };

const TAKE_OUT = "Nothing was installed. The package's author must remove or rename it.";
// If a link or FIFO replaces a file after the first look, it is not followed and does not block.
const OPEN_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Files of version control and package managers are not part of the package. */
const NOT_CONTENT: ReadonlySet<string> = new Set([".git", "node_modules"]);
/** Also as disks that ignore case, or shorten long names, would find it. */
const GIT = /^(?:\.git|git~\d+)$/i;

/**
 * Reads an untrusted package into memory. Refuses anything that could lead out of it or would not survive a copy to
 * another disk: links, devices, unsafe names, names that differ only in case, and packages that are too large.
 */
export function readPackageTree(root: string, limits: TreeLimits = LIMITS): PackageTree {
  const files: string[] = [];
  let bytes = 0;
  const walk = (folder: string, depth: number): void => {
    if (depth > limits.depth) throw unsafe(root, folder, `is nested deeper than ${limits.depth} folders`);
    const entries = fs.opendirSync(join(root, folder));
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (depth === 0 && NOT_CONTENT.has(entry.name)) continue;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        // Before the disk is asked: it cannot find a name that is not UTF-8.
        if (path.includes("\ufffd")) throw unsafe(root, path, "has a name that is not UTF-8");
        const stats = fs.lstatSync(join(root, path));
        if (stats.isSymbolicLink()) throw unsafe(root, path, "is a link");
        // Running git in a folder that has one runs what its configuration names.
        if (GIT.test(basename(path))) throw unsafe(root, path, "is part of a git repository");
        if (findHiddenCharacters(path).length > 0) throw unsafe(root, path, "has an invisible character in its name");
        try {
          joinInside(root, path);
        } catch (error) {
          if (!(error instanceof DurableError)) throw error;
          const message = `The package has a file with an unsafe name. ${error.message}`;
          throw new HugoError("package-unsafe", { message, at: root, hint: TAKE_OUT, cause: error });
        }
        if (stats.isDirectory()) {
          walk(path, depth + 1);
          continue;
        }
        if (!stats.isFile()) throw unsafe(root, path, "is a FIFO, a socket or a device");
        files.push(path);
        bytes += stats.size;
        const most = files.length > limits.files ? `${limits.files} files` : `${limits.bytes} bytes`;
        if (files.length <= limits.files && bytes <= limits.bytes) continue;
        throw new HugoError("package-unsafe", {
          message: `The package has more than ${most}`,
          at: root,
          hint: "Nothing was installed. A workflow is a small folder of text: something else may have been packed by mistake.",
        });
      }
    } finally {
      entries.closeSync();
    }
  };
  walk("", 0);
  const [collision] = findNameCollisions(files);
  if (collision !== undefined) {
    const names = collision.map(shown).sort().join(" and ");
    const message = `The package has ${names}, which are the same file on many file systems`;
    throw new HugoError("package-unsafe", { message, at: root, hint: "Its author must rename one of them." });
  }
  files.sort((a, b) => (a < b ? -1 : 1));
  const tree = new Map<string, PackageFile>();
  for (const path of files) {
    const file = fs.openSync(join(root, path), OPEN_FLAGS);
    try {
      const stats = fs.fstatSync(file);
      if (!stats.isFile()) throw unsafe(root, path, "is no longer a file");
      tree.set(path, { bytes: fs.readFileSync(file), executable: (stats.mode & 0o111) !== 0 });
    } finally {
      fs.closeSync(file);
    }
  }
  return tree;
}

function unsafe(root: string, path: string, problem: string): HugoError {
  const message = `The package has ${shown(path)}, which ${problem}`;
  return new HugoError("package-unsafe", { message, at: root, hint: TAKE_OUT });
}
