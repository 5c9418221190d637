import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { packageFolder } from "../packages/package-folder.ts";
import type { WorkspacePlace } from "./place.ts";
import type { SeenFiles } from "./seen-files.ts";

const MARK = "// Written by Hugo";

/** Where a project says, to people who have only OpenCode, that its plugins are missing. OpenCode loads it by itself. */
export function checkFile({ folder }: Pick<WorkspacePlace, "folder">): string {
  return join(folder, "plugins", "hugo-check.js");
}

/** What has to be there; undefined if nothing may be. A file that Hugo did not write stays, and so does your own OpenCode. */
export function wantedCheck(
  place: WorkspacePlace,
  lock: Lock,
  reads: SeenFiles,
): ReadonlyMap<string, Buffer | undefined> {
  const path = checkFile(place);
  const now = reads.file(path)?.bytes;
  if (place.scope !== "project" || (now !== undefined && !now.toString("utf8").startsWith(MARK))) return new Map();
  const isNeeded = [...lock.workflows.values()].some(
    ({ delivery, tree }) => delivery.kind === "plugin" && tree !== undefined,
  );
  if (!isNeeded && now === undefined) return new Map();
  return new Map([[path, isNeeded ? readFileSync(join(packageFolder(), "templates", "hugo-check.js")) : undefined]]);
}
