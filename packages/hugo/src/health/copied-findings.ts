import type { StoppedFile } from "../deliver/delivery.ts";
import { translateFiles } from "../deliver/files-to-deliver.ts";
import { HugoError } from "../errors.ts";
import type { CopyDelivery } from "../manage/file-states.ts";
import { type FileStatus, fileStates, placesOf } from "../manage/file-states.ts";
import { readManifest } from "../manifest.ts";
import type { PackageTree } from "../package/tree.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import { type HealthFinding, note, problem, warning } from "./finding.ts";

/** Whether the copied files are still there, and why some never came. */
export function copiedFindings(
  snapshot: Snapshot,
  name: string,
  delivery: CopyDelivery & { readonly source: string },
  stored: PackageTree | "missing" | "unreadable",
): HealthFinding[] {
  const disk = snapshot.disk(placesOf(name, delivery));
  const states = fileStates(name, delivery, disk);
  const stopped = states.some(({ state }) => state === "skipped") ? stoppedIn(stored) : [];
  return [
    ...entitiesOf(stopped).map(leftOut),
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

/** Destinations that have a finding of their own, so that nobody need wonder why OpenCode does not have what is in them. */
export function absentFiles(snapshot: Snapshot, name: string, delivery: CopyDelivery): Set<string> {
  const states = fileStates(name, delivery, snapshot.disk(placesOf(name, delivery)));
  const absent = states.filter(({ state }) => state === "deleted" || state === "skipped");
  return new Set(absent.map(({ destination }) => destination));
}

/** The lock does not keep the reason, but the package still shows it. */
function stoppedIn(stored: PackageTree | "missing" | "unreadable"): readonly StoppedFile[] {
  if (typeof stored === "string") return [];
  try {
    return translateFiles(readManifest(stored), stored).stopped;
  } catch (error) {
    // Somebody changed it, and it is no package any more.
    if (error instanceof HugoError) return [];
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
