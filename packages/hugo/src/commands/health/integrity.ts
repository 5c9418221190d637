import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Permission } from "@atomic/workflows/internal/permission/rules";
import type { Context } from "../../context.ts";
import { accessBeyond, readAgentAccess } from "../../delivery/translate/agent-access.ts";
import type { FilesToDeliver } from "../../delivery/translate/package-translation.ts";
import { userPermission } from "../../delivery/user-permission.ts";
import { HugoError } from "../../errors.ts";
import { type LoadedFrom, versionIn } from "../../opencode/loaded-from.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree, type PackageTree } from "../../packages/tree.ts";
import { lockedTranslation } from "../../trust/installed-version.ts";
import {
  type FileStatus,
  fileStates,
  type LockedCopyDelivery,
  parkedPath,
  placesOf,
} from "../../workspace/copied-files.ts";
import { placeFor } from "../../workspace/place.ts";
import { commandFor, typedSource } from "../../workspace/request.ts";
import { readSnapshot, type WorkspaceSnapshot } from "../../workspace/snapshot.ts";
import { type HealthFinding, note, problem, warning } from "./finding.ts";

/** Whether what was installed is still there, byte for byte where that matters. */
export function integrityFindings(
  snapshot: WorkspaceSnapshot,
  name: string,
  { locked, from }: { readonly locked: LockedWorkflow; readonly from: LoadedFrom | undefined },
): HealthFinding[] {
  const { delivery } = locked;
  const stored = readStored(snapshot, name);
  if (delivery.kind === "copy") return copiedFindings(snapshot, name, { ...delivery, source: locked.source }, stored);
  return [
    ...storeFindings(stored, locked, from),
    ...dependencyFindings(snapshot, name),
    ...surroundingsFindings(snapshot, name),
    ...cacheFindings(stored, locked, from),
  ];
}

type Stored = ReturnType<typeof readStored>;

function storeFindings(stored: Stored, { tree }: LockedWorkflow, from: LoadedFrom | undefined): HealthFinding[] {
  // After a migration, its expected content is unknown.
  if (tree === undefined) return [];
  const hint = "`hugo ci` restores the package recorded in hugo.json.";
  if (stored === "missing") {
    const message = "Its package is not in Hugo's store";
    return [from?.isPath === true ? problem("missing-files", message, hint) : warning("missing-files", message, hint)];
  }
  if (stored !== "unreadable" && hashTree(stored) === tree) return [];
  return [problem("tampered", "Its package in Hugo's store does not match what was installed", hint)];
}

function dependencyFindings(snapshot: WorkspaceSnapshot, name: string): HealthFinding[] {
  const problems = snapshot.dependencyProblems(name);
  const [first, ...more] = problems;
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const what = first.how === "added" ? `an unknown package, ${first.path}` : `${first.path} (${first.how})`;
  const message = `Its dependencies do not match what was installed: ${what}${others}`;
  return [problem("tampered", message, "`hugo ci` restores what hugo.json records.")];
}

/** A store from an earlier version of Hugo only lacks a file; any other difference is tampering. */
function surroundingsFindings(snapshot: WorkspaceSnapshot, name: string): HealthFinding[] {
  return snapshot.surroundingsProblems(name).map(({ path, how }) => {
    const effect = "can change what its code imports";
    if (how !== "missing") return problem("tampered", `${path} ${effect}`, "`hugo ci` removes it.");
    return problem("missing-files", `Without ${path}, the project's tsconfig.json ${effect}`, "`hugo ci` adds it.");
  });
}

/** OpenCode runs its own copy, which only Hugo verifies. */
function cacheFindings(stored: Stored, { version }: LockedWorkflow, from: LoadedFrom | undefined): HealthFinding[] {
  const isComparable = from?.cacheFolder !== undefined && typeof stored !== "string" && existsSync(from.folder);
  // A different version is a separate finding.
  if (!isComparable || versionIn(from.folder) !== version) return [];
  let cached: PackageTree = new Map();
  try {
    cached = readPackageTree(from.folder);
  } catch (error) {
    if (!(error instanceof HugoError) || error.code !== "package-unsafe") throw error;
  }
  // By content: npm makes some files executable, other package managers do not.
  const changed = [...new Set([...stored.keys(), ...cached.keys()])].sort().filter((path) => {
    const [a, b] = [stored.get(path)?.bytes, cached.get(path)?.bytes];
    return a === undefined || b === undefined || Buffer.compare(a, b) !== 0;
  });
  if (changed.length === 0) return [];
  const [first, second, ...more] = changed;
  const shown = [first, second].filter((path) => path !== undefined).join(", ");
  const message = `OpenCode's copy differs from what was installed: ${shown}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return [problem("tampered", message, `Remove ${from.cacheFolder}; OpenCode will fetch it again.`)];
}

/** Whether the copied files are still there, and why some were left out. */
function copiedFindings(
  snapshot: WorkspaceSnapshot,
  name: string,
  delivery: LockedCopyDelivery & { readonly source: string },
  stored: PackageTree | "missing" | "unreadable",
): HealthFinding[] {
  const limit = knownPermission(snapshot);
  const disk = snapshot.disk(placesOf(name, delivery));
  const states = fileStates(name, delivery, disk);
  // The lock does not keep the reason, but the package still shows it.
  const stopped = states.some(({ state }) => state === "skipped")
    ? typeof stored === "string"
      ? []
      : (deliverable(stored, delivery)?.stopped ?? [])
    : [];
  // A skill is left out with all its files, for one reason.
  return [
    ...[...new Map(stopped.map((file) => [file.at, file])).values()].map(({ entity, at, because, hint }) =>
      note("left-out", `${entity} was left out (${at}): ${because}`, hint),
    ),
    // Translated agents that would be narrower if they were translated today.
    ...(typeof stored === "string" || limit === undefined
      ? []
      : widerAgents(snapshot, name, delivery, stored, limit).map(({ destination, wider }) => {
          const message = `${destination} can do more than your permissions now allow: ${wider.join("; ")}`;
          return warning(
            "wider-than-yours",
            message,
            `${commandFor(snapshot.place, "install --force", delivery.source)} limits it to your permissions.`,
          );
        })),
    ...states
      .filter(({ destination }) => !stopped.some((file) => file.destination === destination))
      .flatMap((file) => {
        const [isTaken, isKnown] = [disk.has(file.path), typeof stored !== "string"];
        const locked = delivery.files.get(file.destination);
        const isDeletedByUser = locked?.kind === "installed" && locked.deleted === true;
        const again = commandFor(snapshot.place, "install --force", delivery.source);
        return fileFindings(name, again, file, { isTaken, isDeletedByUser, isKnown });
      }),
  ];
}

/** An edit to a file's permissions is deliberate. */
function widerAgents(
  snapshot: WorkspaceSnapshot,
  name: string,
  delivery: LockedCopyDelivery,
  stored: PackageTree,
  limit: Permission,
): { readonly destination: string; readonly wider: readonly string[] }[] {
  const today = deliverable(stored, delivery, limit);
  const disk = snapshot.disk(placesOf(name, delivery));
  return [...delivery.files].flatMap(([destination, file]) => {
    const present = disk.get(delivery.parked ? parkedPath(name, destination) : destination);
    const [base, fresh] = [file.kind === "installed" && snapshot.baseOf(file.base), today?.files.get(destination)];
    if (!destination.startsWith("agents/") || !present || !base || fresh === undefined) return [];
    const [is, was, wouldBe] = [present.bytes, base, fresh.bytes].map((bytes) =>
      readAgentAccess(`${Buffer.from(bytes)}`, destination.slice("agents/".length, -".md".length)),
    );
    if (is === undefined || was === undefined || wouldBe === undefined || !isDeepStrictEqual(is, was)) return [];
    const wider = accessBeyond(wouldBe, is);
    return wider.length === 0 ? [] : [{ destination, wider }];
  });
}

/**
 * Agents that are installed for all projects and may do what this one forbids. OpenCode applies their own rules last,
 * so only a copy in the project is limited to the project's rules.
 */
export async function widerThanProject(context: Context, project: WorkspaceSnapshot): Promise<string[]> {
  const place = placeFor(context, { global: true });
  const limit = knownPermission(project);
  if (project.place.scope === "global" || limit === undefined || !existsSync(place.lockFile)) return [];
  // `hugo health -g` shows what is wrong there.
  const everywhere = await readSnapshot(place).catch((error) => {
    if (!(error instanceof HugoError)) throw error;
  });
  if (everywhere === undefined) return [];
  return [...everywhere.lock.workflows].flatMap(([name, { delivery, source }]) => {
    const stored = delivery.kind === "copy" && !delivery.parked && readStored(everywhere, name);
    if (delivery.kind !== "copy" || typeof stored !== "object") return [];
    return widerAgents(everywhere, name, delivery, stored, limit)
      .filter(({ destination }) => project.disk([destination]).size === 0)
      .map(({ destination, wider }) => {
        const what = `${destination} from ${name}, installed with -g, can do more than this project allows: ${wider.join("; ")}.`;
        const limiting = `To limit it to the project's rules, run \`hugo install ${typedSource(place, source)}\` in the project.`;
        return `${what} In OpenCode, the agent's own rules win. ${limiting}`;
      });
  });
}

/** The package as Hugo keeps it. */
function readStored(snapshot: WorkspaceSnapshot, name: string): PackageTree | "missing" | "unreadable" {
  try {
    return snapshot.storedTree(name) ?? "missing";
  } catch (error) {
    // It contains something that no package may have.
    if (error instanceof HugoError && error.code === "package-unsafe") return "unreadable";
    throw error;
  }
}

/** Undefined if a config cannot be read: then OpenCode does not start, and says why. */
function knownPermission(snapshot: WorkspaceSnapshot): Permission | undefined {
  try {
    return userPermission(snapshot);
  } catch (error) {
    if (error instanceof HugoError && error.code === "config-invalid") return undefined;
    throw error;
  }
}

/** Destinations that already have a finding, which explains why OpenCode did not load their content. */
export function absentFiles(snapshot: WorkspaceSnapshot, name: string, delivery: LockedCopyDelivery): Set<string> {
  const states = fileStates(name, delivery, snapshot.disk(placesOf(name, delivery)));
  const absent = states.filter(({ state }) => state === "deleted" || state === "skipped");
  return new Set(absent.map(({ destination }) => destination));
}

function deliverable(
  stored: PackageTree,
  delivery: LockedCopyDelivery,
  limit?: Permission,
): FilesToDeliver | undefined {
  try {
    return lockedTranslation(stored, { delivery }).look(limit);
  } catch (error) {
    // It was changed and is not a valid package anymore.
    if (error instanceof HugoError) return undefined;
    throw error;
  }
}

function fileFindings(
  name: string,
  again: string,
  { path, state }: FileStatus,
  {
    isDeletedByUser,
    isTaken,
    isKnown,
  }: { readonly isTaken: boolean; readonly isDeletedByUser: boolean; readonly isKnown: boolean },
): HealthFinding[] {
  switch (state) {
    case "deleted": {
      const hint = `${again} restores it.`;
      if (isDeletedByUser)
        return [note("missing-files", `${path} was deleted locally, and Hugo will not restore it`, hint)];
      return [warning("missing-files", `${path} is gone`, hint)];
    }
    case "skipped": {
      const message = isTaken
        ? `${path} is not the workflow's file: another file was already there`
        : isKnown
          ? `${path} was not installed because another file was already there; that file no longer exists`
          : `${path} was not installed; the reason is unknown because its package is missing`;
      const hint = isTaken
        ? `Move your file out of the way and run ${again}.`
        : isKnown
          ? `${again} installs it.`
          : "`hugo ci` fetches the package again.";
      return [problem("missing-files", message, hint)];
    }
    case "conflict": {
      const message = `An update to ${path} could not be merged and was saved next to it`;
      return [problem("conflict", message, `\`hugo diff ${name}\` shows both versions.`)];
    }
    default:
      return [];
  }
}
