import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Permission } from "@atomic/workflows/internal/permission/rules";
import type { Context } from "../../context.ts";
import { accessBeyond, readAgentAccess } from "../../delivery/translate/agent-access.ts";
import {
  type FilesToDeliver,
  PackageTranslation,
  type StoppedFile,
} from "../../delivery/translate/package-translation.ts";
import { userPermission } from "../../delivery/user-permission.ts";
import { HugoError } from "../../errors.ts";
import { readManifest } from "../../packages/manifest.ts";
import type { PackageTree } from "../../packages/tree.ts";
import { type FileStatus, fileStates, type LockedCopy, placesOf } from "../../workspace/file-states.ts";
import { placeFor } from "../../workspace/place.ts";
import { parkedPath } from "../../workspace/plan-parking.ts";
import { readSnapshot } from "../../workspace/read-snapshot.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { type HealthFinding, note, problem, warning } from "./finding.ts";

/** Whether the copied files are still there, and why some never came. */
export function copiedFindings(
  snapshot: Snapshot,
  name: string,
  delivery: LockedCopy & { readonly source: string },
  stored: PackageTree | "missing" | "unreadable",
): HealthFinding[] {
  const disk = snapshot.disk(placesOf(name, delivery));
  const states = fileStates(name, delivery, disk);
  const stopped = states.some(({ state }) => state === "skipped") ? stoppedIn(stored) : [];
  return [
    ...entitiesOf(stopped).map(leftOut),
    ...widerThanYours(snapshot, name, delivery, stored),
    ...states
      .filter(({ destination }) => !stopped.some((file) => file.destination === destination))
      .flatMap((file) => {
        const isTaken = disk.has(file.path);
        const locked = delivery.files.get(file.destination);
        const isWish = locked?.kind === "installed" && locked.deleted === true;
        return fileFindings(name, delivery.source, file, { isTaken, isWish, isKnown: typeof stored !== "string" });
      }),
  ];
}

/** Translated agents that would be narrower if they were translated today. */
function widerThanYours(
  snapshot: Snapshot,
  name: string,
  delivery: LockedCopy & { readonly source: string },
  stored: PackageTree | "missing" | "unreadable",
): HealthFinding[] {
  const limit = knownPermission(snapshot);
  if (typeof stored === "string" || limit === undefined) return [];
  return widerAgents(snapshot, name, delivery, stored, limit).map(({ destination, wider }) => {
    const message = `${destination} may do more than your permissions allow now: ${wider.join("; ")}`;
    return warning("wider-than-yours", message, `\`hugo install --force ${delivery.source}\` holds it to them.`);
  });
}

/** Whoever edited the permissions of a file meant them. */
function widerAgents(
  snapshot: Snapshot,
  name: string,
  delivery: LockedCopy,
  stored: PackageTree,
  limit: Permission,
): { readonly destination: string; readonly wider: readonly string[] }[] {
  const today = deliverable(stored, limit);
  const disk = snapshot.disk(placesOf(name, delivery));
  return [...delivery.files].flatMap(([destination, file]) => {
    const present = disk.get(delivery.parked ? parkedPath(name, destination) : destination);
    const [base, fresh] = [file.kind === "installed" && snapshot.baseOf(file.base), today?.files.get(destination)];
    if (!destination.startsWith("agents/") || !present || !base || fresh === undefined) return [];
    const [is, was, wouldBe] = [present.bytes, base, fresh.bytes].map((bytes) =>
      readAgentAccess(`${Buffer.from(bytes)}`),
    );
    if (is === undefined || was === undefined || wouldBe === undefined || !isDeepStrictEqual(is, was)) return [];
    const wider = accessBeyond(wouldBe, is);
    return wider.length === 0 ? [] : [{ destination, wider }];
  });
}

/**
 * Agents that are installed for all projects, and may do what this one forbids. OpenCode puts their own rules last, and no
 * rule could say "as the project says", so that only a copy in the project is held to its rules.
 */
export async function widerThanProject(context: Context, project: Snapshot): Promise<string[]> {
  const place = placeFor(context, { global: true });
  const limit = knownPermission(project);
  if (project.place.scope === "global" || limit === undefined || !existsSync(place.lockFile)) return [];
  const everywhere = await readSnapshot(place).catch(brokenElsewhere);
  if (everywhere === undefined) return [];
  return [...everywhere.lock.workflows].flatMap(([name, { delivery, source }]) => {
    const stored = delivery.kind === "copy" && !delivery.parked && readStored(everywhere, name);
    if (delivery.kind !== "copy" || typeof stored !== "object") return [];
    return widerAgents(everywhere, name, delivery, stored, limit)
      .filter(({ destination }) => project.disk([destination]).size === 0)
      .map(({ destination, wider }) => {
        const what = `${destination} of ${name}, installed with -g, may do more than this project allows: ${wider.join("; ")}.`;
        return `${what} OpenCode lets its rules win; \`hugo install ${source}\` in the project holds it to yours there.`;
      });
  });
}

/** `hugo health -g` tells what is wrong there. */
function brokenElsewhere(error: unknown): undefined {
  if (!(error instanceof HugoError)) throw error;
}

/** The package as Hugo keeps it. */
export function readStored(snapshot: Snapshot, name: string): PackageTree | "missing" | "unreadable" {
  try {
    return snapshot.storedTree(name) ?? "missing";
  } catch (error) {
    // Something was put there that no package has.
    if (error instanceof HugoError && error.code === "package-unsafe") return "unreadable";
    throw error;
  }
}

/** Undefined if a config cannot be read: OpenCode does not start then, and says why. */
function knownPermission(snapshot: Snapshot): Permission | undefined {
  try {
    return userPermission(snapshot);
  } catch (error) {
    if (error instanceof HugoError && error.code === "config-invalid") return undefined;
    throw error;
  }
}

/** Destinations that have a finding of their own, so that nobody need wonder why OpenCode does not have what is in them. */
export function absentFiles(snapshot: Snapshot, name: string, delivery: LockedCopy): Set<string> {
  const states = fileStates(name, delivery, snapshot.disk(placesOf(name, delivery)));
  const absent = states.filter(({ state }) => state === "deleted" || state === "skipped");
  return new Set(absent.map(({ destination }) => destination));
}

/** The lock does not keep the reason, but the package still shows it. */
function stoppedIn(stored: PackageTree | "missing" | "unreadable"): readonly StoppedFile[] {
  return typeof stored === "string" ? [] : (deliverable(stored)?.stopped ?? []);
}

function deliverable(stored: PackageTree, limit?: Permission): FilesToDeliver | undefined {
  try {
    return new PackageTranslation(readManifest(stored), stored).look(limit);
  } catch (error) {
    // Somebody changed it, and it is no package any more.
    if (error instanceof HugoError) return undefined;
    throw error;
  }
}

/** A skill is left out with all its files, for one reason. */
function entitiesOf(stopped: readonly StoppedFile[]): StoppedFile[] {
  return [...new Map(stopped.map((file) => [file.at, file])).values()];
}

function leftOut({ entity, at, because, hint }: StoppedFile): HealthFinding {
  return note("left-out", `${entity} was left out: ${at}: ${because}`, hint);
}

function fileFindings(
  name: string,
  source: string,
  { path, state }: FileStatus,
  { isWish, ...place }: { readonly isTaken: boolean; readonly isWish: boolean; readonly isKnown: boolean },
): HealthFinding[] {
  switch (state) {
    case "deleted":
      return [gone(source, path, isWish)];
    case "skipped":
      return [skipped(source, path, place)];
    case "conflict": {
      const message = `${path} has a newer version beside it that could not be merged`;
      return [problem("conflict", message, `\`hugo diff ${name}\` shows both.`)];
    }
    default:
      return [];
  }
}

function gone(source: string, path: string, isWish: boolean): HealthFinding {
  const hint = `\`hugo install --force ${source}\` brings it back.`;
  return isWish
    ? note("missing-files", `${path} was deleted here, and stays away`, hint)
    : warning("missing-files", `${path} is gone`, hint);
}

function skipped(
  source: string,
  path: string,
  { isTaken, isKnown }: { readonly isTaken: boolean; readonly isKnown: boolean },
): HealthFinding {
  if (isTaken) {
    const message = `${path} is not the workflow's: something else was there`;
    return problem("missing-files", message, `Move yours away and run \`hugo install --force ${source}\`.`);
  }
  if (isKnown) {
    const message = `${path} was not installed, since something else was there; now the place is free`;
    return problem("missing-files", message, `\`hugo install --force ${source}\` installs it.`);
  }
  const message = `${path} was not installed, and without its package nobody knows why`;
  return problem("missing-files", message, "`hugo ci` fetches the package again.");
}
