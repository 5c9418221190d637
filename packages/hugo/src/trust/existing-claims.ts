// All other agents, commands and skills that OpenCode finds.
import { readdirSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import type { WorkspaceDraft } from "../workspace/draft.ts";
import { folderLabel, portablePath, type WorkspacePlace } from "../workspace/place.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { readPlain } from "../workspace/store/disk.ts";
import type { Candidate } from "./candidate.ts";
import {
  builtinClaims,
  type Claim,
  configClaims,
  type FileClaim,
  fileClaims,
  lockedContent,
  usualDestination,
  type WorkflowClaimant,
  workflowClaimant,
  workflowClaims,
} from "./collisions/claim.ts";
import { type Collision, findCollisions } from "./collisions.ts";

const FOLDERS = ["agent", "agents", "mode", "modes", "command", "commands", "skill", "skills"];
/** Other tools' folders where OpenCode looks for skills. */
const SKILL_HOMES = [".claude", ".agents"];
/** Skills contain whole folders; no agent is nested deeper than this. */
const DEEPEST = 6;

/** The names that the package shares with others, and which one wins each. */
export function collisionsOf(snapshot: WorkspaceSnapshot, candidate: Candidate): Collision[] {
  const { workflow, manifest, yields, translation } = candidate;
  const newcomer: WorkflowClaimant = { kind: "workflow", workflow, delivery: manifest.delivery.kind, yields };
  const claims = existingClaims(snapshot);
  if (newcomer.delivery !== "copy") return findCollisions(newcomer, manifest, claims);
  const { place } = snapshot;
  const { files } = translation.look({}, manifest);
  const apart = claims.filter(({ by, type, name }) => {
    // A file in the place of a copied one is handled file by file.
    return by.kind !== "file" || by.path !== shownPath(place, join(place.folder, usualDestination(type, name)));
  });
  return findCollisions(
    newcomer,
    manifest,
    withoutTwins(apart, (destination) => files.get(destination)?.bytes),
  );
}

/** Where claimed files are; reports have the path as the user would write it. */
const places = new WeakMap<FileClaim["by"], string>();

/** Without files that have the same content as the one that is copied: whichever OpenCode uses, nothing is different. */
export function withoutTwins(
  claims: readonly Claim[],
  copied: (destination: string) => Uint8Array | undefined,
): readonly Claim[] {
  return claims.filter(({ by, type, name }) => {
    const at = by.kind === "file" ? places.get(by) : undefined;
    const bytes = at === undefined ? undefined : copied(usualDestination(type, name));
    return at === undefined || bytes === undefined || !readPlain(at)?.bytes.equals(bytes);
  });
}

/** A path as the user would write it. */
export function shownPath(place: WorkspacePlace, path: string): string {
  const portable = portablePath(place, path);
  // Relative to OpenCode's own folder, which is rarely the current one.
  const isWithin = place.scope === "global" && !isAbsolute(portable) && !portable.startsWith("~/");
  return isWithin ? `${folderLabel(place)}/${portable}` : portable;
}

/** All names that are taken: by other workflows, files, configs and OpenCode itself. */
export function existingClaims(snapshot: WorkspaceSnapshot): Claim[] {
  const { place, configs, lock } = snapshot;
  const inConfigs = configs
    .filter(({ exists }) => exists)
    .flatMap(({ file, text }) => configClaims(shownPath(place, file), text, file));
  const enabled = [...lock.workflows].filter(([name]) => snapshot.isEnabled(name));
  const ofWorkflows = enabled.flatMap(([name, workflow]) =>
    workflowClaims(workflowClaimant(snapshot, name, workflow), lockedContent(workflow)),
  );
  return [...builtinClaims, ...inConfigs, ...filesAround(place, lock), ...ofWorkflows];
}

/** OpenCode reads its own folder first, then the project's from the inside out, then those in the home folder. */
function filesAround(place: WorkspacePlace, lock: Lock): Claim[] {
  const { projectFolders, globalFolder, furtherFolders } = place.configs;
  const ofProject = [...projectFolders].reverse().map((folder) => join(folder, ".opencode"));
  const inOrder = [globalFolder, ...ofProject, ...furtherFolders];
  const own = inOrder.indexOf(place.folder);
  const claimsIn = (folder: string, read: FileClaim["by"]["read"], isOurs = (_: string) => false): Claim[] =>
    fileClaims(
      FOLDERS.flatMap((name) => filesBelow(join(folder, name), DEEPEST))
        .filter((path) => path.endsWith(".md"))
        .map((path) => relative(folder, path).split(sep).join("/"))
        .sort(),
      read,
    )
      .filter(({ by }) => !isOurs(by.path))
      .map((claim) => {
        const at = join(folder, claim.by.path);
        const by = { ...claim.by, path: shownPath(place, at) };
        places.set(by, at);
        return { ...claim, by };
      });
  const copied = new Set<string>();
  for (const { delivery } of lock.workflows.values()) {
    if (delivery.kind !== "copy" || delivery.parked) continue;
    for (const [path, { kind }] of delivery.files) if (kind === "installed") copied.add(path);
  }
  const skillHomes = [...projectFolders, place.home].flatMap((folder) => SKILL_HOMES.map((name) => join(folder, name)));
  return [
    ...inOrder.flatMap((folder, i) => {
      // In the folder that Hugo copies to, only the files that it did not copy.
      if (i === own) return claimsIn(folder, "in any order", (path) => copied.has(path));
      return claimsIn(folder, i < own ? "earlier" : "later");
    }),
    ...skillHomes.flatMap((folder) => claimsIn(folder, "later").filter(({ type }) => type === "skill")),
  ];
}

function filesBelow(folder: string, depth: number): string[] {
  let entries: import("node:fs").Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // OpenCode cannot read it either.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth > 0 && entry.name !== "node_modules" ? filesBelow(path, depth - 1) : [];
    return [path];
  });
}

/** The collisions of workflows that were just enabled on the draft. */
export function collisionsOfEnabled(draft: WorkspaceDraft, names: readonly string[]): Collision[] {
  if (names.length === 0) return [];
  const { snapshot, workflows } = draft;
  const claims = existingClaims(snapshot).filter(({ by }) => by.kind !== "workflow");
  for (const [name, workflow] of workflows) {
    const { delivery } = workflow;
    const isUntouched = workflow === snapshot.lock.workflows.get(name);
    const isEnabled =
      delivery.kind === "copy"
        ? !delivery.parked
        : isUntouched
          ? snapshot.isEnabled(name)
          : delivery.disabled === undefined;
    if (isEnabled) claims.push(...workflowClaims(workflowClaimant(snapshot, name, workflow), lockedContent(workflow)));
  }
  const all = names.flatMap((name) => {
    const workflow = workflows.get(name)!;
    return findCollisions(workflowClaimant(snapshot, name, workflow), lockedContent(workflow), claims);
  });
  // Two that are enabled together collide with each other: one warning is enough.
  const reported = new Set<string>();
  return all.filter(({ entity, name, with: other }) => {
    if (other.kind !== "workflow" || !names.includes(other.workflow)) return true;
    const key = `${entity} ${name}`;
    const isNew = !reported.has(key);
    reported.add(key);
    return isNew;
  });
}
