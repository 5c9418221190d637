// A repository's objects on this machine. The clones of runs borrow them.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isExplained } from "@atomic/durable-files/explained-error";
import { git } from "./git.ts";
import { removeFolder } from "./remove-folder.ts";
import { type FleetFolder, mirrorsOf } from "./workspace-folders.ts";

const damaged = "damaged";

/** The repository's mirror, created if there is none. A damaged one stays, because clones may still borrow from it. */
export async function mirrorOf(folder: FleetFolder, url: string): Promise<string> {
  const name = createHash("sha256").update(url).digest("hex").slice(0, 16);
  for (let count = 1; ; count += 1) {
    const mirror = join(mirrorsOf(folder), count === 1 ? name : `${name}-${count}`);
    if (!existsSync(mirror)) await createMirror(folder, mirror);
    if (isMirror(mirror)) return mirror;
    markDamaged(mirror);
  }
}

/** False for a damaged one, or one that a killed process has left half made. */
export function isMirror(path: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(path, name))) && !existsSync(join(path, damaged));
}

async function createMirror(folder: FleetFolder, mirror: string): Promise<void> {
  // Renamed when it is complete, so no process finds half of it.
  const fresh = join(mirrorsOf(folder), `.${randomUUID()}`);
  mkdirSync(fresh, { recursive: true });
  await git(fresh, "init", "--quiet", "--bare", "--template=");
  try {
    renameSync(fresh, mirror);
  } catch (error) {
    // Another run was faster.
    if (!(error instanceof Error && "code" in error && ["ENOTEMPTY", "EEXIST"].includes(String(error.code))))
      throw error;
    removeFolder(fresh);
  }
}

/** The next run gets a new mirror. */
export function markDamaged(mirror: string): void {
  writeFileSync(join(mirror, damaged), "");
}

/** Whether git failed because it could not read what is stored here. */
export function isDamage(error: unknown): boolean {
  if (!(isExplained(error) && error.code === "git-failed")) return false;
  const local = error.message.split("\n").filter((line) => !line.startsWith("remote:"));
  return local.some((line) => damageMessage.test(line));
}

const damageMessage =
  /not a git repository|object file .* is empty|(?:loose|packed) object .* is corrupt|inflate: |bad object|unable to read (?:sha1 file|tree)|unable to parse (?:object|commit)|packfile .* (?:truncated|cannot be accessed|is far too short|does not match)|missing (?:blob|tree|commit)|reference broken/;

/** Removes damaged mirrors from which no clone borrows any more. */
export function removeDamagedMirrors(folder: FleetFolder): void {
  if (!existsSync(mirrorsOf(folder))) return;
  const borrowed = borrowedObjects(folder);
  for (const name of readdirSync(mirrorsOf(folder))) {
    const mirror = join(mirrorsOf(folder), name);
    if (existsSync(join(mirror, damaged)) && !borrowed.has(objectsOf(mirror))) removeFolder(mirror);
  }
}

export function objectsOf(mirror: string): string {
  return join(mirror, "objects");
}

/** In runs of every fleet that uses the folder. */
function borrowedObjects({ path }: FleetFolder): Set<string> {
  const runs = join(path, "runs");
  const clones = (existsSync(runs) ? readdirSync(runs) : []).flatMap((fleet) =>
    readdirSync(join(runs, fleet)).map((runId) => join(runs, fleet, runId)),
  );
  const files = clones.map((clone) => join(clone, ".git/objects/info/alternates")).filter((file) => existsSync(file));
  return new Set(files.map((file) => readFileSync(file, "utf8").trimEnd()));
}
