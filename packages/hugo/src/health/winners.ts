import { isDeepStrictEqual } from "node:util";
import type { Collision } from "../collisions.ts";
import { type HealthFinding, problem, warning } from "./finding.ts";
import type { Registered, Values } from "./registered.ts";

/** What a workflow would give OpenCode if nobody else had its names. */
export interface OwnEntities {
  readonly agents: Readonly<Record<string, object>>;
  readonly commands: Readonly<Record<string, object>>;
  /** Folders that its skills lie in. */
  readonly skillFolders: readonly string[];
}

/** A collision, with who has really won it as far as OpenCode was asked. */
export function collisionFinding(workflow: string, collision: Collision, seen: string | undefined): HealthFinding {
  // What has been seen says more than what can be foretold.
  const message = seen === undefined ? collision.message : `${collision.meeting} ${seen}`;
  const hint = hintFor(workflow, collision);
  return collision.winner === "chance" ? problem("collision", message, hint) : warning("collision", message, hint);
}

function hintFor(workflow: string, { entity, name, with: other }: Collision): string {
  switch (other.kind) {
    case "workflow":
      return `\`hugo disable ${other.workflow}\` or \`hugo disable ${workflow}\` leaves one of them.`;
    case "file":
      return `Rename or remove ${other.path} to have the ${entity} "${name}" of ${workflow}.`;
    case "config":
      return `Remove "${entity}.${name}" from ${other.file} to have that of ${workflow}.`;
    case "builtin":
      return `\`hugo disable ${workflow}\` brings back OpenCode's own.`;
  }
}

/** Whose it is that OpenCode has, as a sentence; undefined if that cannot be seen. */
export function seenWinner(
  workflow: string,
  { entity, name, other }: Collision,
  own: OwnEntities,
  registered: Registered,
): string | undefined {
  // Of a skill and a command both are there, and there is no doubt about who answers to the name.
  if (entity !== other) return undefined;
  if (entity === "skill") return seenSkill(workflow, name, own, registered);
  const [mine, actual] =
    entity === "agent"
      ? [own.agents[name], registered.agents.get(name)]
      : [own.commands[name], registered.commands.get(name)];
  if (mine === undefined || actual === undefined) return undefined;
  const fields = Object.keys(mine);
  const lost = fields.filter((field) => !isDeepStrictEqual((mine as Values)[field], actual[field]));
  if (lost.length === 0) return `OpenCode has that of "${workflow}".`;
  const kept = fields.filter((field) => !lost.includes(field));
  if (kept.length === 0) return `OpenCode has the other one.`;
  return `OpenCode has a mix: ${kept.join(", ")} of "${workflow}", ${lost.join(", ")} of the other.`;
}

function seenSkill(
  workflow: string,
  name: string,
  { skillFolders }: OwnEntities,
  { skills }: Registered,
): string | undefined {
  const location = skills.get(name);
  if (location === undefined) return undefined;
  const isOwn = skillFolders.some((folder) => location.startsWith(folder));
  return isOwn ? `OpenCode has that of "${workflow}".` : `OpenCode has the one in ${location}.`;
}
