import { foldName } from "@atomic/durable-files/safety/names";
import type { Capability } from "../packages/capability.ts";
import type { ContentType, WorkflowContent } from "../packages/manifest/content.ts";
import { type Claim, type Claimant, type WorkflowClaimant, workflowClaims } from "./collisions/claim.ts";

/** Two entities with one name. It is a warning, never a reason to stop. */
export interface Collision {
  readonly entity: ContentType;
  readonly name: string;
  readonly with: Claimant;
  /** What the other one has under the name: a skill may meet a command, and vice versa. */
  readonly other: ContentType;
  /** `newcomer` is the workflow in question; `both` keep a part; `chance` decides at each start. */
  readonly winner: "newcomer" | "other" | "both" | "chance" | "plugin-decides";
  /** What collides, as a sentence. */
  readonly meeting: string;
  /** Which one wins, as a sentence. */
  readonly verdict: string;
  /** Both sentences. */
  readonly message: string;
}

/**
 * The names that a workflow shares with others, as OpenCode will see them, and which one wins each.
 *
 * @example
 * findCollisions({ kind: "workflow", workflow: "review", delivery: "copy" }, manifest, [...builtinClaims, ...claims]);
 */
export function findCollisions(
  newcomer: WorkflowClaimant,
  content: WorkflowContent,
  claims: readonly Claim[],
): Collision[] {
  const own = workflowClaims(newcomer, content);
  const others = claims.filter(({ by }) => by.kind !== "workflow" || by.workflow !== newcomer.workflow);
  const collisionOf = (
    claim: Claim,
    other: Claim,
    said: Pick<Collision, "winner" | "meeting" | "verdict">,
  ): Collision => {
    const message = `${said.meeting} ${said.verdict}`;
    return { entity: claim.type, name: claim.name, with: other.by, other: other.type, ...said, message };
  };
  const found = own.flatMap((claim) => {
    const { type, name } = claim;
    const said = `${type.charAt(0).toUpperCase()}${type.slice(1)} "${name}"`;
    const asEqual = others.flatMap((other): Collision[] => {
      if (type !== other.type) return [];
      // Names are compared exactly, files as disks compare them.
      const isSame = other.by.kind === "file" ? foldName(name) === foldName(other.name) : name === other.name;
      // Two workflows that are copied to one place share the file: another content would have been refused.
      const isOneFile = other.by.kind === "workflow" && newcomer.delivery === "copy" && other.by.delivery === "copy";
      if (!isSame || isOneFile) return [];
      const winner = type === "skill" ? "chance" : winnerBetween(newcomer, other.by);
      const meeting = `${said} ${isAlso(other.by)}.`;
      return [collisionOf(claim, other, { winner, meeting, verdict: verdictOf(winner, newcomer, other.by) })];
    });
    // Every skill is also a slash command, unless a command has its name.
    const asCommand = [...others, ...own].flatMap((other): Collision[] => {
      const isMet =
        type === "skill"
          ? other.type === "command"
          : type === "command" && other.type === "skill" && other.by !== claim.by;
      if (name !== other.name || !isMet) return [];
      const winner = type === "command" ? "newcomer" : "other";
      const meeting = `${said} meets the ${other.type} ${nameOf(other.by)}.`;
      const verdict = `/${name} runs the command, and the skill "${name}" is only found by agents.`;
      return [collisionOf(claim, other, { winner, meeting, verdict })];
    });
    return [...asEqual, ...asCommand];
  });
  const keyed = found.map((collision) => ({
    collision,
    key: `${collision.entity} ${collision.name} ${collision.message}`,
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ collision }) => collision);
}

/** Where the newcomer takes the place of another, at least in part or by chance: what you call is then no longer what it was. */
export function namesTaken(collisions: readonly Collision[]): Capability[] {
  return collisions
    .filter(({ winner }) => winner !== "other")
    .map(({ entity, name, message }) => ({ kind: "name", subject: `${entity}s/${name}`, detail: message }));
}

/** OpenCode reads configs, then Markdown, then lets plugins change the result; later ones win, field by field. */
function winnerBetween(newcomer: WorkflowClaimant, other: Claimant): Collision["winner"] {
  if (newcomer.delivery === "plugin") {
    if (other.kind === "builtin") return "newcomer";
    if (newcomer.yields === true) return "other";
    return other.kind === "workflow" && other.delivery === "plugin" ? "newcomer" : "plugin-decides";
  }
  switch (other.kind) {
    case "builtin":
      return "newcomer";
    case "config":
      return "both";
    case "file":
      // OpenCode has no order between the two spellings of a folder, or between an agent and a mode.
      if (other.read === "in any order") return "chance";
      return other.read === "later" ? "other" : "both";
    case "workflow":
      return other.yields === true ? "newcomer" : "plugin-decides";
  }
}

function isAlso(other: Claimant): string {
  switch (other.kind) {
    case "builtin":
      return "is built into OpenCode";
    case "file":
      return `is also in ${nameOf(other)}`;
    case "config":
      return `is defined in ${other.file}`;
    case "workflow":
      return `is also provided by workflow "${other.workflow}"`;
  }
}

function nameOf(by: Claimant): string {
  switch (by.kind) {
    case "builtin":
      return "of OpenCode itself";
    case "file":
      return by.path;
    case "config":
      return `in ${by.file}`;
    case "workflow":
      return `of workflow "${by.workflow}"`;
  }
}

function verdictOf(winner: Collision["winner"], { workflow }: WorkflowClaimant, other: Claimant): string {
  switch (winner) {
    case "newcomer":
      return `"${workflow}" wins.`;
    case "other":
      return other.kind === "workflow" ? `"${other.workflow}" wins.` : "Yours wins.";
    case "both":
      return `OpenCode merges them: "${workflow}" wins where both set a value.`;
    case "chance":
      return "OpenCode loads them in no fixed order, so the winner can change on each start. Rename or remove one.";
    case "plugin-decides": {
      const plugin = other.kind === "workflow" && other.delivery === "plugin" ? other.workflow : workflow;
      return `The code in "${plugin}" runs last, so it decides; \`hugo health\` shows the result.`;
    }
  }
}
