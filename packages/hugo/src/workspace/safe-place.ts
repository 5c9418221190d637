import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { whyUnwritable } from "@atomic/durable-files/safety/why-unwritable";
import { HugoError } from "../errors.ts";
import { configFiles } from "../opencode/config-files.ts";
import { isWithin } from "../opencode/is-within.ts";
import type { WorkspacePlace } from "./place.ts";
import { namesIn, readPlain, unlessMissing, unlessNowhere } from "./store/disk.ts";

/**
 * A repository may contain links. A link within the repository is fine; one that leads out of it would let a clone
 * decide where Hugo writes. The user's own folder may be wherever the user put it.
 */
export function refuseUnsafePlace(place: WorkspacePlace): void {
  const { scope, folder, stateFolder } = place;
  if (scope === "project") refuseOutside(place, folder);
  if (unlessNowhere(() => fs.statSync(folder))?.isDirectory() === false) {
    throw new HugoError("place-unsafe", {
      message: `${folder} is not a folder, and Hugo needs a folder of this name`,
      at: folder,
      hint: "Move it somewhere else, then run the command again. Nothing was changed.",
    });
  }
  joinInside(folder, ".hugo");
  if (scope === "global") return;
  joinInside(folder, "hugo.json");
  joinInside(folder, "state.json");
  // Hugo makes only files and folders there. Through a link it would write, and clean up, somewhere else.
  for (const own of [stateFolder, join(stateFolder, "lock")]) {
    const entries = unlessMissing(() => fs.readdirSync(own, { withFileTypes: true })) ?? [];
    const strange = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
    if (strange === undefined) continue;
    const path = join(own, strange.name);
    throw new HugoError("place-unsafe", {
      message: `${path} is a symbolic link or another kind of file that Hugo never creates there`,
      at: path,
      hint: "Remove it. If it came with someone else's repository, check the rest of it. Nothing was changed.",
    });
  }
  // The next command finishes an interrupted change, so the record must name only files that Hugo could have changed.
  // The lock is not held here: another Hugo may be finishing the change and removing the record right now.
  for (const name of namesIn(stateFolder).filter((each) => each.startsWith("transaction."))) {
    const path = join(stateFolder, name);
    const own = unlessMissing(() => fs.realpathSync.native(stateFolder));
    const record = readPlain(path)?.bytes.toString("utf8");
    if (own === undefined || record === undefined) continue;
    const named = pathsIn(record).map((each) => resolve(own, each));
    const foreign = named.find((each) => !isWithin(topOf(place), each));
    if (foreign === undefined) continue;
    throw new HugoError("place-unsafe", {
      message: `${path} records an interrupted change to ${foreign}, which is not in this project`,
      at: path,
      hint: "Hugo did not write this. Remove it, and check what else came with it. Nothing was changed.",
    });
  }
}

/** Before anything is fetched and you are asked. */
export function refuseUnwritable({ stateFolder }: WorkspacePlace): void {
  const why = whyUnwritable(stateFolder);
  if (why === undefined) return;
  throw new HugoError("disk-refused", {
    message: `${why.at} cannot be written (${why.code})`,
    at: why.at,
    hint: "Make the folder writable, then run the command again. Nothing was changed.",
  });
}

/** Every text in the record that may be a path; a record of another form is refused when the change is finished. */
function pathsIn(record: string): string[] {
  try {
    const { entries, folders, prune } = JSON.parse(record.split("\n")[1] ?? "");
    const targets = entries.map(({ target }: { target: unknown }) => target);
    return [...targets, ...folders, ...prune].filter((path) => typeof path === "string");
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}

/** A path below OpenCode's folder. A link on the way may lead to another place in it, but not out of it. */
export function insideFolder({ folder }: WorkspacePlace, path: string): string {
  try {
    return joinInside(folder, path);
  } catch (error) {
    const parts = path.split("/");
    const steps = parts.map((_, i) => join(folder, ...parts.slice(0, i + 1)));
    const link = steps.find((each) =>
      unlessMissing(() => fs.lstatSync(each, { throwIfNoEntry: false }))?.isSymbolicLink(),
    );
    if (!(error instanceof DurableError) || link === undefined) throw error;
    const real = realIfAny(link);
    throw new HugoError("place-unsafe", {
      message: `${link} is a symbolic link to ${real}, but Hugo changes nothing outside ${folder}`,
      at: link,
      hint: `Replace the link with a ${link === steps.at(-1) ? "file" : "folder"}, or remove it. Nothing was changed.`,
      cause: error,
    });
  }
}

/** The same for a project's config file that is about to change; reading it is harmless. */
export function refuseUnsafeConfig(place: WorkspacePlace, path: string): void {
  const isOfProject = configFiles(place.configs).some((file) => file.path === path && file.scope === "project");
  if (isOfProject) refuseOutside(place, path);
}

/** The problem with a file outside the project, without its content: the project's author chose the file. */
export function withoutForeignContent(
  place: WorkspacePlace,
  error: unknown,
  problem = "is not a valid OpenCode config",
): unknown {
  const [, path] = (error instanceof HugoError && /^(.*?)(?::\d+:\d+)?$/s.exec(error.at ?? "")) || [];
  if (path === undefined || !(error instanceof HugoError)) return error;
  try {
    if (place.scope === "project" && isWithin(topOf(place), path)) refuseOutside(place, path);
    return error;
  } catch (outside) {
    if (!(outside instanceof HugoError)) throw outside;
    const message = `${outside.message}, which ${problem}`;
    return new HugoError(error.code, { message, at: path, hint: "Repair or remove the link. Nothing was changed." });
  }
}

function refuseOutside(place: WorkspacePlace, path: string): void {
  const real = realIfAny(path);
  if (real === undefined || isWithin(topOf(place), real)) return;
  throw new HugoError("place-unsafe", {
    message: `${path} is a link that points outside the project, to ${real}`,
    at: path,
    hint: "Put it in the project itself, or use --global to change your own OpenCode config. Nothing was changed.",
  });
}

/** What every change must stay in, as a real path. The user's own folder may lead anywhere. */
export function boundaryOf(place: WorkspacePlace): string | undefined {
  return place.scope === "project" ? topOf(place) : undefined;
}

/** The outermost folder of the project, as a real path. */
function topOf({ root, configs }: WorkspacePlace): string {
  const [outermost = root] = configs.projectFolders;
  // Without git, OpenCode reads every folder up to the disk's root, but none above this one is part of the project.
  const top = outermost === dirname(outermost) ? root : outermost;
  return realIfAny(top) ?? top;
}

function realIfAny(path: string): string | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  const real = stat && unlessNowhere(() => fs.realpathSync.native(path));
  // A path that is not a link and has no real path is gone by now.
  if (real !== undefined || !stat?.isSymbolicLink()) return real;
  throw new HugoError("place-unsafe", {
    message: `${path} is a broken link`,
    at: path,
    hint: "Repair or remove the link. Nothing was changed.",
  });
}
