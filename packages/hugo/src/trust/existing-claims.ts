// Who else gives OpenCode agents, commands and skills, wherever it looks.
import { readdirSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Lock, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { folderLabel } from "../workspace/change-draft.ts";
import type { Draft } from "../workspace/draft.ts";
import { type Place, portablePath } from "../workspace/place.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import type { Candidate } from "./candidate.ts";
import {
  builtinClaims,
  type Claim,
  configClaims,
  type FileClaim,
  fileClaims,
  lockedContent,
  type WorkflowClaimant,
  workflowClaimant,
  workflowClaims,
} from "./collisions/claim.ts";
import { type Collision, findCollisions } from "./collisions.ts";

const FOLDERS = ["agent", "agents", "mode", "modes", "command", "commands", "skill", "skills"];
/** Other tools' folders, in which OpenCode looks for skills. */
const SKILL_HOMES = [".claude", ".agents"];
/** Skills bring whole folders along; nobody puts an agent deeper than this. */
const DEEPEST = 6;

/** The names that the package shares with others, and who wins each. */
export function collisionsOf(snapshot: Snapshot, { workflow, manifest, yields }: Candidate): Collision[] {
  const newcomer: WorkflowClaimant = { kind: "workflow", workflow, delivery: manifest.delivery.kind, yields };
  const isCopy = newcomer.delivery === "copy";
  // A file in the very place of a copied one is dealt with file by file.
  const claims = existingClaims(snapshot).filter(
    ({ by, type, name }) => !(isCopy && by.kind === "file" && by.path === ownPath(snapshot.place, type, name)),
  );
  return findCollisions(newcomer, manifest, claims);
}

function ownPath(place: Place, type: Claim["type"], name: string): string {
  return shownPath(place, join(place.folder, type === "skill" ? `skills/${name}/SKILL.md` : `${type}s/${name}.md`));
}

/** A path as the user would write it. */
export function shownPath(place: Place, path: string): string {
  const portable = portablePath(place, path);
  // Relative to OpenCode's own folder, in which nobody is when they work on it.
  const isWithin = place.scope === "global" && !isAbsolute(portable) && !portable.startsWith("~/");
  return isWithin ? `${folderLabel(place)}/${portable}` : portable;
}

/** Everything that has a name already: other workflows, files, configs, OpenCode itself. */
export function existingClaims(snapshot: Snapshot): Claim[] {
  const { place, configs, lock } = snapshot;
  const inConfigs = configs
    .filter(({ exists }) => exists)
    .flatMap(({ file, text }) => configClaims(file, text).map((claim) => named(claim, shownPath(place, file))));
  const enabled = [...lock.workflows].filter(([name]) => snapshot.isEnabled(name));
  const ofWorkflows = enabled.flatMap(([name, workflow]) =>
    workflowClaims(workflowClaimant(snapshot, name, workflow), lockedContent(workflow)),
  );
  return [...builtinClaims(), ...inConfigs, ...filesAround(place, lock), ...ofWorkflows];
}

function named(claim: Claim, file: string): Claim {
  return { ...claim, by: { kind: "config", file } };
}

/** OpenCode reads its own folder first, then those of the project from the inside out, then those of the home. */
function filesAround(place: Place, lock: Lock): Claim[] {
  const { projectFolders, globalFolder, furtherFolders } = place.configs;
  const ofProject = [...projectFolders].reverse().map((folder) => join(folder, ".opencode"));
  const inOrder = [globalFolder, ...ofProject, ...furtherFolders];
  const own = inOrder.indexOf(place.folder);
  const skillHomes = [...projectFolders, place.home].flatMap((folder) => SKILL_HOMES.map((name) => join(folder, name)));
  return [
    ...inOrder.flatMap((folder, i) => (i === own ? strangersIn(place, lock) : claimsIn(place, folder, i < own))),
    ...skillHomes.flatMap((folder) => claimsIn(place, folder, false).filter(({ type }) => type === "skill")),
  ];
}

/** Of the files in the very folder that Hugo copies to, those that it did not copy. */
function strangersIn(place: Place, lock: Lock): Claim[] {
  const own = copiedFiles(lock);
  const strangers = fileClaims(markdownIn(place.folder), "in any order").filter(({ by }) => !own.has(by.path));
  return strangers.map((claim) => located(claim, place, place.folder));
}

function claimsIn(place: Place, folder: string, isEarlier: boolean): Claim[] {
  const claims = fileClaims(markdownIn(folder), isEarlier ? "earlier" : "later");
  return claims.map((claim) => located(claim, place, folder));
}

function located(claim: FileClaim, place: Place, folder: string): Claim {
  return { ...claim, by: { ...claim.by, path: shownPath(place, join(folder, claim.by.path)) } };
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

/** What workflows meet that have just been enabled on the draft, and who wins. */
export function collisionsOfEnabled(draft: Draft, names: readonly string[]): Collision[] {
  if (names.length === 0) return [];
  const others = existingClaims(draft.snapshot).filter(({ by }) => by.kind !== "workflow");
  const claims = [...others, ...[...draft.workflows].flatMap((entry) => claimsOf(draft, entry))];
  const all = names.flatMap((name) => {
    const workflow = draft.workflows.get(name)!;
    return findCollisions(workflowClaimant(draft.snapshot, name, workflow), lockedContent(workflow), claims);
  });
  return withoutTwins(all, names);
}

function claimsOf(draft: Draft, [name, workflow]: [string, LockedWorkflow]): Claim[] {
  if (!isEnabledNow(draft, name, workflow)) return [];
  return workflowClaims(workflowClaimant(draft.snapshot, name, workflow), lockedContent(workflow));
}

function isEnabledNow({ snapshot, workflows }: Draft, name: string, { delivery }: LockedWorkflow): boolean {
  if (delivery.kind === "copy") return !delivery.parked;
  const isUntouched = workflows.get(name) === snapshot.lock.workflows.get(name);
  return isUntouched ? snapshot.isEnabled(name) : delivery.disabled === undefined;
}

/** Two that are enabled together meet each other: once is enough to say so. */
function withoutTwins(collisions: readonly Collision[], names: readonly string[]): Collision[] {
  const told = new Set<string>();
  return collisions.filter(({ entity, name, with: other }) => {
    if (other.kind !== "workflow" || !names.includes(other.workflow)) return true;
    const key = `${entity} ${name}`;
    const isNew = !told.has(key);
    told.add(key);
    return isNew;
  });
}
