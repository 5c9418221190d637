// Who else gives OpenCode agents, commands and skills, wherever it looks.
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { builtinClaims, type Claim, configClaims, fileClaims, type WorkflowClaimant } from "../collisions/claim.ts";
import { type Collision, findCollisions } from "../collisions.ts";
import type { Lock } from "../lock-file/lock.ts";
import { type Place, portablePath } from "../place.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import type { Arrival } from "./arrival.ts";

const FOLDERS = ["agent", "agents", "mode", "modes", "command", "commands", "skill", "skills"];
/** Other tools' folders, in which OpenCode looks for skills. */
const SKILL_HOMES = [".claude", ".agents"];
/** Skills bring whole folders along; nobody puts an agent deeper than this. */
const DEEPEST = 6;

/** What the arrival meets, and who wins. */
export function collisionsOf(snapshot: Snapshot, { workflow, manifest, yields }: Arrival): Collision[] {
  const newcomer: WorkflowClaimant = { kind: "workflow", workflow, delivery: manifest.delivery.kind, yields };
  const isCopy = newcomer.delivery === "copy";
  // A file in the very place of a copied one is dealt with file by file.
  const claims = claimsAround(snapshot).filter(
    ({ by, type, name }) =>
      !(isCopy && by.kind === "file" && by.scope === "project" && by.path === ownPath(type, name)),
  );
  return findCollisions(newcomer, manifest, claims);
}

function ownPath(type: Claim["type"], name: string): string {
  return type === "skill" ? `skills/${name}/SKILL.md` : `${type}s/${name}.md`;
}

/** Everything that has a name already: other workflows, files, configs, OpenCode itself. */
export function claimsAround(snapshot: Snapshot): Claim[] {
  const { place, configs, lock } = snapshot;
  const inConfigs = configs
    .filter(({ exists }) => exists)
    .flatMap(({ file, text }) => configClaims(file, text).map((claim) => named(claim, portablePath(place, file))));
  const enabled = [...lock.workflows].filter(([name]) => snapshot.isEnabled(name));
  return [...builtinClaims(), ...inConfigs, ...filesAround(place, lock), ...enabled.flatMap(workflowClaims)];
}

function named(claim: Claim, file: string): Claim {
  return { ...claim, by: { kind: "config", file } };
}

function workflowClaims([workflow, { delivery, agents, commands, skills }]: [string, LockedNames]): Claim[] {
  const by: WorkflowClaimant = { kind: "workflow", workflow, delivery: delivery.kind };
  const claims = (type: Claim["type"], names: readonly string[]): Claim[] => names.map((name) => ({ type, name, by }));
  return [...claims("agent", agents), ...claims("command", commands), ...claims("skill", skills)];
}

type LockedNames = Lock["workflows"] extends ReadonlyMap<string, infer Workflow> ? Workflow : never;

function filesAround(place: Place, lock: Lock): Claim[] {
  const { projectFolders, globalFolder, furtherFolders } = place.configs;
  const own = copiedFiles(lock);
  const inOwn = fileClaims(markdownIn(place.folder), place.scope).filter(
    ({ by }) => by.kind === "file" && !own.has(by.path),
  );
  const others = [globalFolder, ...projectFolders.map((folder) => join(folder, ".opencode"))];
  const skillHomes = [...projectFolders, place.home].flatMap((folder) => SKILL_HOMES.map((name) => join(folder, name)));
  return [
    ...inOwn.map((claim) => (place.scope === "project" ? claim : located(claim, place, place.folder))),
    ...others.filter((folder) => folder !== place.folder).flatMap((folder) => claimsIn(place, folder, "global")),
    ...furtherFolders.flatMap((folder) => claimsIn(place, folder, "home")),
    ...skillHomes.flatMap((folder) => claimsIn(place, folder, "home").filter(({ type }) => type === "skill")),
  ];
}

function claimsIn(place: Place, folder: string, scope: "global" | "home"): Claim[] {
  return fileClaims(markdownIn(folder), scope).map((claim) => located(claim, place, folder));
}

/** With its whole path, as the user would write it. */
function located(claim: Claim, place: Place, folder: string): Claim {
  if (claim.by.kind !== "file") return claim;
  return { ...claim, by: { ...claim.by, path: portablePath(place, join(folder, claim.by.path)) } };
}

function copiedFiles({ workflows }: Lock): Set<string> {
  const files = [...workflows.values()].flatMap(({ delivery }) =>
    delivery.kind === "copy" && !delivery.parked ? [...delivery.files] : [],
  );
  return new Set(files.filter(([, { kind }]) => kind === "installed").map(([path]) => path));
}

/** Relative to the folder, with `/`. */
function markdownIn(folder: string): string[] {
  return FOLDERS.flatMap((name) => filesBelow(join(folder, name), DEEPEST))
    .filter((path) => path.endsWith(".md"))
    .map((path) => relative(folder, path).split(sep).join("/"))
    .sort();
}

function filesBelow(folder: string, depth: number): string[] {
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth > 0 && entry.name !== "node_modules" ? filesBelow(path, depth - 1) : [];
    return [path];
  });
}

function entriesIn(folder: string): import("node:fs").Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // What cannot be read, OpenCode does not read either.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
}
