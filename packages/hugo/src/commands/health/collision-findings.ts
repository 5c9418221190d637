import { isDeepStrictEqual } from "node:util";
import type { Registered, UnknownRecord } from "../../opencode/query-opencode.ts";
import type { Collision } from "../../trust/collisions.ts";
import { type HealthFinding, problem, warning } from "./finding.ts";

/** What a workflow would give OpenCode if nothing else had its names. */
export interface OwnEntities {
  readonly agents: Readonly<Record<string, object>>;
  readonly commands: Readonly<Record<string, object>>;
  /** The folders of its skills. */
  readonly skillFolders: readonly string[];
}

/** Whose entity OpenCode uses. */
export interface ActualWinner {
  readonly winner: "own" | "other" | "mix";
  /** As a sentence. */
  readonly verdict: string;
}

/** A collision, with its actual winner if OpenCode was asked. */
export function collisionFinding(
  workflow: string,
  collision: Collision,
  seen: ActualWinner | undefined,
): HealthFinding {
  // What OpenCode reports says more than a prediction.
  const message = seen === undefined ? collision.message : `${collision.meeting} ${seen.verdict}`;
  const foretold = collision.winner === "newcomer" ? "own" : collision.winner === "other" ? "other" : "mix";
  const hint = hintFor(workflow, collision, seen?.winner ?? foretold);
  return collision.winner === "chance" ? problem("collision", message, hint) : warning("collision", message, hint);
}

/** How to get the entity that lost. */
function hintFor(workflow: string, collision: Collision, winner: ActualWinner["winner"]): string {
  const { with: by, other, name } = collision;
  if (by.kind === "workflow")
    return `To keep only one of them, run \`hugo disable ${by.workflow}\` or \`hugo disable ${workflow}\`.`;
  if (by.kind === "builtin") return `\`hugo disable ${workflow}\` restores OpenCode's built-in version.`;
  const yours = by.kind === "file" ? by.path : `"${other}.${name}" in ${by.file}`;
  const disable = `run \`hugo disable ${workflow}\``;
  // If chance decides, the next start may differ.
  if (collision.winner === "chance" || winner === "mix") {
    return `To use the one from ${workflow}, rename or remove ${yours}; to keep yours, ${disable}.`;
  }
  return winner === "own"
    ? `To have both, rename ${yours}; to keep only yours, ${disable}.`
    : `To use the one from ${workflow}, rename or remove ${yours}.`;
}

/** Undefined if it cannot be seen. */
export function actualWinner(
  workflow: string,
  { entity, name, other }: Collision,
  own: OwnEntities,
  registered: Registered,
): ActualWinner | undefined {
  // A skill and a command with one name both load, and it is clear which one answers.
  if (entity !== other) return undefined;
  if (entity === "skill") {
    const location = registered.skills.get(name);
    if (location === undefined) return undefined;
    const isOwn = own.skillFolders.some((folder) => location.startsWith(folder));
    return isOwn
      ? { winner: "own", verdict: `OpenCode uses the one from "${workflow}".` }
      : { winner: "other", verdict: `OpenCode uses the one in ${location}.` };
  }
  const [mine, actual] =
    entity === "agent"
      ? [own.agents[name], registered.agents.get(name)]
      : [own.commands[name], registered.commands.get(name)];
  if (mine === undefined || actual === undefined) return undefined;
  const fields = Object.keys(mine);
  const lost = fields.filter((field) => !isDeepStrictEqual((mine as UnknownRecord)[field], actual[field]));
  if (lost.length === 0) return { winner: "own", verdict: `OpenCode uses the one from "${workflow}".` };
  // There are only three modes, so two agents often have the same by chance.
  const kept = fields.filter((field) => !lost.includes(field) && field !== "mode");
  if (kept.length === 0) return { winner: "other", verdict: "OpenCode uses the other one." };
  const verdict = `OpenCode uses a mix: ${kept.join(", ")} from "${workflow}", ${lost.join(", ")} from the other.`;
  return { winner: "mix", verdict };
}
