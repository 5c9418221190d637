import * as fs from "node:fs";
import { dirname, relative, sep } from "node:path";
import { joinInside } from "@atomic/durable-files/join-inside";
import { HugoError } from "../errors.ts";
import { configFiles } from "../opencode-config/config-files.ts";
import type { Place } from "../place.ts";

/**
 * A repository may bring links. Those that keep its `.opencode` inside of it are fine; one that leads out of it would
 * let a clone decide where Hugo writes. The user's own folder may lie wherever the user put it.
 */
export function refuseUnsafePlace(place: Place): void {
  const { scope, folder } = place;
  if (scope === "project") refuseOutside(place, folder);
  joinInside(folder, ".hugo");
  if (scope === "project") joinInside(folder, "hugo.json");
}

/** The same for a config file of the project that is about to be changed; to read it is harmless. */
export function refuseUnsafeConfig(place: Place, path: string): void {
  const isOfProject = configFiles(place.configs).some((file) => file.path === path && file.scope === "project");
  if (isOfProject) refuseOutside(place, path);
}

function refuseOutside({ root, configs }: Place, path: string): void {
  const [outermost = root] = configs.projectFolders;
  // Without git every folder up to the root of the disk is read, but none above this one is part of the project.
  const top = realIfAny(outermost === dirname(outermost) ? root : outermost);
  const real = realIfAny(path);
  if (real !== undefined && top !== undefined && !isWithin(top, real)) throw leadsOut(path, real);
}

function realIfAny(path: string): string | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (fs.existsSync(path)) return fs.realpathSync.native(path);
  throw new HugoError("place-unsafe", {
    message: `${path} is a link to nothing`,
    at: path,
    hint: "Repair or remove the link.",
  });
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function leadsOut(path: string, real: string): HugoError {
  return new HugoError("place-unsafe", {
    message: `${path} is a link that leads out of the project, to ${real}`,
    at: path,
    hint: "Put it into the project itself, or work on your own OpenCode with --global. Nothing was changed.",
  });
}
