import * as fs from "node:fs";
import { dirname, relative, sep } from "node:path";
import { joinInside } from "@atomic/durable-files/join-inside";
import { HugoError } from "../errors.ts";
import type { Place } from "../place.ts";

/**
 * A repository may bring links. Those that keep its `.opencode` inside of it are fine; one that leads out of it would
 * let a clone decide where Hugo writes. The user's own folder may lie wherever the user put it.
 */
export function refuseUnsafePlace({ scope, root, folder, configs }: Place): void {
  if (scope === "project") {
    const real = realIfAny(folder);
    // Without git, every folder up to the root of the disk is a project folder, but none above this one is part of it.
    const outermost =
      configs.projectFolders[0] === dirname(configs.projectFolders[0] ?? "") ? root : configs.projectFolders[0];
    const top = realIfAny(outermost ?? root);
    if (real !== undefined && top !== undefined && !isWithin(top, real)) throw leadsOut(folder, real);
  }
  joinInside(folder, ".hugo");
  if (scope === "project") joinInside(folder, "hugo.json");
}

function realIfAny(folder: string): string | undefined {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (fs.existsSync(folder)) return fs.realpathSync.native(folder);
  throw new HugoError("place-unsafe", {
    message: `${folder} is a link to nothing`,
    at: folder,
    hint: "Repair or remove the link.",
  });
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function leadsOut(folder: string, real: string): HugoError {
  return new HugoError("place-unsafe", {
    message: `${folder} is a link that leads out of the project, to ${real}`,
    at: folder,
    hint: "Make it a folder of the project, or work on your own OpenCode with --global.",
  });
}
