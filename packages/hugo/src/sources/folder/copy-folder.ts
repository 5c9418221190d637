import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { HugoError } from "../../errors.ts";
import { followLinks } from "../follow-links.ts";
import type { PackageWriter } from "../package-writer.ts";

// If a link or FIFO replaces a file after the first look, it is not followed and does not block.
const OPEN_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

const LONGEST_PATH = 1024;

/** Copies a local package as npm would pack it. `except` is where the copy goes, in case it is inside the package. */
export function copyFolder(folder: string, writer: PackageWriter, except: string): void {
  const isPacked = packedFiles(folder);
  const files = new Map<string, string>();
  const links = new Map<string, string>();
  const copy = (to: string, from: string): void => {
    const file = fs.openSync(join(folder, from), OPEN_FLAGS);
    try {
      const { size, mode } = fs.fstatSync(file);
      writer.announce(size);
      writer.write(to, fs.readFileSync(file), (mode & 0o111) !== 0);
    } finally {
      fs.closeSync(file);
    }
  };
  const walk = (path: string): void => {
    for (const name of fs.readdirSync(join(folder, path))) {
      // Files of version control and package managers are not part of the package; submodules have a .git as well.
      if (name === ".git" || (path === "" && name === "node_modules")) continue;
      const inside = path === "" ? name : `${path}/${name}`;
      if (inside === ".opencode/.hugo" || join(folder, inside) === resolve(except)) continue;
      // Before the disk is asked: folders can be nested deeper than any path can express.
      if (inside.length > LONGEST_PATH) throw writer.unsafe(inside, "is nested too deeply");
      const stats = fs.lstatSync(join(folder, inside));
      if (!stats.isDirectory() && !isPacked(inside)) continue;
      if (stats.isSymbolicLink()) links.set(inside, fs.readlinkSync(join(folder, inside)));
      else if (stats.isDirectory()) walk(inside);
      else if (!stats.isFile()) writer.leaveOut(inside, "device");
      else {
        copy(inside, inside);
        files.set(inside, inside);
      }
    }
  };
  walk("");
  const { copies, followed } = followLinks(files, links, () => writer.announce(0));
  for (const [to, from] of copies) copy(to, from);
  writer.follow(followed);
  for (const link of links.keys()) if (!followed.has(link)) writer.leaveOut(link, "link");
}

/** The real path that a spec names, if it is a file or a folder as the spec expects. */
export function placeOnDisk(path: string, cwd: string, form: "folder" | "tarball"): string {
  const place = resolve(cwd, path);
  const stats = fs.statSync(place, { throwIfNoEntry: false });
  const isThere = form === "folder" ? stats?.isDirectory() : stats?.isFile();
  if (isThere) return fs.realpathSync(place);
  const what = form === "folder" ? "folder" : "tarball";
  throw new HugoError("package-not-found", {
    message: stats === undefined ? `The ${what} ${shown(path)} does not exist` : `${shown(path)} is not a ${what}`,
    at: place,
    hint: `Paths are relative to ${shown(resolve(cwd))}. For a registry package, leave out "./".`,
  });
}

/** npm packs these whatever `files` says. */
const ALWAYS = /^(?:package\.json|(?:readme|licen[cs]e|copying)(?:\.[^/]*)?)$/i;
/** And these never. */
const NEVER =
  /(?:^|\/)(?:\.git|\.svn|\.hg|CVS|\.npmrc|\.gitignore|\.npmignore|\.DS_Store|\._[^/]*|\.[^/]*\.swp|[^/]*\.orig|npm-debug\.log)(?:\/|$)|^(?:package-lock\.json|node_modules(?:\/.*)?)$/;
/** Patterns that this reader does not understand. */
const STRANGE = /[[\]{}()?\\]|(?:^|\/)\.\.?(?:\/|$)|^$/;

/**
 * Whether npm would pack a file, by the `files` in package.json. The whole folder counts if there are none, or if
 * only npm understands them: the user would notice extra files when approving, but not missing ones.
 */
function packedFiles(folder: string): (path: string) => boolean {
  const file = join(folder, "package.json");
  let manifest: Readonly<Partial<Record<string, unknown>>>;
  try {
    manifest = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  } catch (error) {
    // The caller that needs the name reports an unreadable package.json.
    if (error instanceof SyntaxError) return () => true;
    throw error;
  }
  if (!(manifest instanceof Object) || "bundleDependencies" in manifest) return () => true;
  const { files: written } = manifest;
  if (!Array.isArray(written)) return () => true;
  const rules = written.map((each: unknown) => {
    if (typeof each !== "string") return undefined;
    const isPacked = !each.startsWith("!");
    const text = each.slice(isPacked ? 0 : 1);
    const path = text.replace(/^\.?\//, "").replace(/\/(?:\*{1,2})?$/, "");
    if (STRANGE.test(path) || path.startsWith("!")) return undefined;
    const parts = path.split("/").map((part) => {
      const literal = part.replace(/[.+^$|]/g, "\\$&").replace(/\*+/g, "[^/]*");
      return part === "**" ? "(?:[^/]+/)*" : `${literal}/`;
    });
    // A pattern without a slash excludes files in every folder.
    const start = !isPacked && !text.includes("/") ? "(?:.*/)?" : "";
    return { pattern: new RegExp(`^${start}${parts.join("")}`), isPacked };
  });
  if (rules.includes(undefined)) return () => true;
  const { main, bin } = manifest;
  const programs = [main, ...(bin instanceof Object ? Object.values(bin) : [bin])];
  const named = new Set(programs.flatMap((path) => (typeof path === "string" ? [path.replace(/^\.?\//, "")] : [])));
  return (path) => {
    if (NEVER.test(path)) return false;
    if (ALWAYS.test(path) || named.has(path)) return true;
    // As in a .gitignore, the last match decides.
    return rules.findLast((rule) => rule?.pattern.test(`${path}/`))?.isPacked ?? false;
  };
}
