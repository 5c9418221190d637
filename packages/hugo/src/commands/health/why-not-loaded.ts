import { existsSync } from "node:fs";
import { sep } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { problemOfLoading } from "../../opencode/load-plugin.ts";
import { opencodeVersion } from "../../opencode/opencode.ts";
import { findEntry } from "../../opencode/opencode-entry.ts";
import type { OpencodeAnswers } from "../../opencode/query-opencode.ts";
import type { Claim } from "../../trust/collisions/claim.ts";
import type { LoadedFrom } from "./loaded-from.ts";

interface Suspect {
  readonly name: string;
  readonly locked: LockedWorkflow;
  readonly from: LoadedFrom;
  readonly claims: readonly Claim[];
}

/** Undefined if OpenCode runs it. Of most failures OpenCode says nothing at all, so that they have to be looked for. */
export async function whyNotLoaded(answers: OpencodeAnswers, suspect: Suspect): Promise<string | undefined> {
  const { from } = suspect;
  const logged = answers.failed.get(from.shownAs) ?? answers.failed.get(from.entry.spec);
  if (logged !== undefined) return logged;
  if (isProven(answers, suspect)) return undefined;
  if (!existsSync(from.folder)) {
    return from.isPath
      ? `${from.folder} is not there`
      : `OpenCode could not install "${from.entry.spec}" from the registry`;
  }
  const entry = findEntry(from.folder, from);
  if (entry.kind === "none") return entry.because;
  const version = entry.engineRange === undefined || from.isPath ? undefined : await opencodeVersion(answers.opencode);
  return await problemOfLoading(answers.opencode, {
    entry: entry.url,
    isPath: from.isPath,
    ...(version !== undefined && entry.engineRange !== undefined && { engine: { range: entry.engineRange, version } }),
  });
}

/** Something is there that only this workflow can have brought. */
function isProven({ registered }: OpencodeAnswers, { name, locked, from, claims }: Suspect): boolean {
  const isOnlyOurs = (type: Claim["type"], entity: string): boolean =>
    claims.every((claim) => {
      const isOwn = claim.by.kind === "workflow" && claim.by.workflow === name;
      return isOwn || claim.type !== type || claim.name !== entity;
    });
  return (
    locked.agents.some((agent) => registered.agents.has(agent) && isOnlyOurs("agent", agent)) ||
    locked.commands.some((command) => registered.commands.has(command) && isOnlyOurs("command", command)) ||
    registered.skillPaths.some((path) => path.startsWith(from.folder + sep))
  );
}
