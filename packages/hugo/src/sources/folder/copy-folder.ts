import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { HugoError } from "../../errors.ts";
import type { PackageWriter } from "../package-writer.ts";
import { packedFiles } from "./packed-files.ts";

// A link or a FIFO that is put in place of a file after the first look is not followed and does not block.
const OPEN_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

const LONGEST_PATH = 1024;

/** Copies a package that lies on this machine, as npm would pack it. `except` is where the copy goes, in case that is inside of it. */
export function copyFolder(folder: string, writer: PackageWriter, except: string): void {
  const isPacked = packedFiles(folder);
  const walk = (path: string): void => {
    for (const name of fs.readdirSync(join(folder, path))) {
      // What version control and package managers put there is no part of the package; submodules have a .git as well.
      if (name === ".git" || (path === "" && name === "node_modules")) continue;
      const inside = path === "" ? name : `${path}/${name}`;
      if (inside === ".opencode/.hugo" || join(folder, inside) === resolve(except)) continue;
      // Before the disk is asked: it can hold folders that lie deeper than any path can tell.
      if (inside.length > LONGEST_PATH) throw writer.unsafe(inside, "lies too deep");
      const stats = fs.lstatSync(join(folder, inside));
      if (!stats.isDirectory() && !isPacked(inside)) continue;
      if (stats.isSymbolicLink()) writer.leaveOut(inside, "link");
      else if (stats.isDirectory()) walk(inside);
      else if (stats.isFile()) copyFile(folder, inside, writer);
      else writer.leaveOut(inside, "device");
    }
  };
  walk("");
}

function copyFile(folder: string, path: string, writer: PackageWriter): void {
  const file = fs.openSync(join(folder, path), OPEN_FLAGS);
  try {
    const { size, mode } = fs.fstatSync(file);
    writer.announce(size);
    writer.write(path, fs.readFileSync(file), (mode & 0o111) !== 0);
  } finally {
    fs.closeSync(file);
  }
}

/** The place on the disk that a spec names, free of links, if there is a file or a folder as the spec expects. */
export function placeOnDisk(path: string, cwd: string, form: "folder" | "tarball"): string {
  const place = resolve(cwd, path);
  const stats = fs.statSync(place, { throwIfNoEntry: false });
  const isThere = form === "folder" ? stats?.isDirectory() : stats?.isFile();
  if (isThere) return fs.realpathSync(place);
  const what = form === "folder" ? "folder" : "tarball";
  throw new HugoError("package-not-found", {
    message: stats === undefined ? `There is no ${what} ${shown(path)}` : `${shown(path)} is not a ${what}`,
    at: place,
    hint: `Paths start at ${shown(resolve(cwd))}. A package of the registry is written without "./".`,
  });
}
