// Which tool reads which files, and which file wins. test/oracle checks this against the real programs, and
// docs/guide/who-reads-what.md shows it.
import type { EntitySource, ToolName } from "../entity.ts";

/** What a tool can load a file as. */
export type ToolEntryType = "agent" | "command" | "skill";

/** A folder that a tool reads, or one part of a config file: `opencode.json#agent`. */
export interface ToolPlace {
  readonly location: "project" | "user";
  readonly path: string;
  readonly as: ToolEntryType;
  /** Files compete for a name only within one contest: Claude's skills and commands share theirs. */
  readonly contest: string;
  /** The lower tier wins. Within a tier, the folder decides in this order, and then the rank. */
  readonly tier: number;
  readonly prefers: "nearest" | "farthest";
  /** The lower rank wins; between equals, chance or the path decides. */
  readonly rank: number;
}

type Candidate = Pick<ToolPlace, "location" | "path" | "as">;

/** Places between which the folder decides first. Each list starts at the same rank, its best group first. */
interface Tier {
  readonly prefers: ToolPlace["prefers"];
  readonly lists: readonly (readonly (readonly Candidate[])[])[];
}

export const toolPlaces: Readonly<Record<ToolName, readonly ToolPlace[]>> = {
  claude: [
    ...contest(
      "slash",
      tier(user("skill", ".claude/skills")),
      tier(project("skill", ".claude/skills")),
      tier(user("command", ".claude/commands")),
      tier(project("command", ".claude/commands")),
    ),
    ...contest("agent", tier(project("agent", ".claude/agents")), tier(user("agent", ".claude/agents"))),
  ],
  opencode: [
    ...contest("agent", ...opencodeOrder("agent")),
    ...contest("command", ...opencodeOrder("command")),
    ...contest(
      "skill",
      tier(user("skill", "OPENCODE_CONFIG_DIR/skills", "OPENCODE_CONFIG_DIR/skill")),
      farthest(
        [user("skill", ".opencode/skills", ".opencode/skill")],
        [project("skill", ".opencode/skills", ".opencode/skill")],
      ),
      tier(user("skill", ".config/opencode/skills", ".config/opencode/skill")),
      farthest([project("skill", ".agents/skills"), project("skill", ".claude/skills")]),
      tier(user("skill", ".agents/skills")),
      tier(user("skill", ".claude/skills")),
    ),
  ],
  copilot: [
    ...contest(
      "skill",
      tier(project("skill", ".github/skills")),
      tier(project("skill", ".agents/skills")),
      tier(project("skill", ".claude/skills")),
      tier(user("skill", ".copilot/skills")),
      tier(user("skill", ".agents/skills")),
      tier(project("skill", ".claude/commands")),
    ),
    ...contest(
      "agent",
      tier(user("agent", ".copilot/agents")),
      tier(project("agent", ".github/agents")),
      tier(project("agent", ".claude/agents")),
    ),
  ],
};

/**
 * OpenCode merges field by field, and what it reads last wins: the home folder's `.opencode` over the project's, a folder
 * farther up over a nearer one, and even the user's Markdown over the project's opencode.json. Only between plain
 * opencode.json files does the nearest win.
 */
function opencodeOrder(as: "agent" | "command"): Tier[] {
  const configs = (key: string, where: typeof project, root: string): Candidate[][] => [
    where(as, `${root}opencode.jsonc#${key}`),
    where(as, `${root}opencode.json#${key}`),
  ];
  const folders = (where: typeof project, root: string): Candidate[][] => [
    ...(as === "agent" ? [where(as, `${root}/modes`, `${root}/mode`)] : []),
    where(as, `${root}/${as}s`, `${root}/${as}`),
  ];
  const rest = (key: string): Tier[] => [
    tier(...configs(key, project, "")),
    tier(user(as, `OPENCODE_CONFIG#${key}`)),
    tier(...configs(key, user, ".config/opencode/"), user(as, `.config/opencode/config.json#${key}`)),
  ];
  // The deprecated key `mode` is merged after everything else.
  const modes = [
    tier(...configs("mode", user, "OPENCODE_CONFIG_DIR/")),
    farthest(configs("mode", user, ".opencode/"), configs("mode", project, ".opencode/")),
    ...rest("mode"),
  ];
  return [
    ...(as === "agent" ? modes : []),
    tier(...folders(user, "OPENCODE_CONFIG_DIR"), ...configs(as, user, "OPENCODE_CONFIG_DIR/")),
    farthest(
      [...folders(user, ".opencode"), ...configs(as, user, ".opencode/")],
      [...folders(project, ".opencode"), ...configs(as, project, ".opencode/")],
    ),
    tier(...folders(user, ".config/opencode")),
    ...rest(as),
  ];
}

function project(as: ToolEntryType, ...paths: string[]): Candidate[] {
  return paths.map((path) => ({ location: "project", path, as }));
}

function user(as: ToolEntryType, ...paths: string[]): Candidate[] {
  return paths.map((path) => ({ location: "user", path, as }));
}

/** Places of which the nearest wins. Best first; those in one group are equal. */
function tier(...groups: readonly (readonly Candidate[])[]): Tier {
  return { prefers: "nearest", lists: [groups] };
}

function farthest(...lists: Tier["lists"]): Tier {
  return { prefers: "farthest", lists };
}

function contest(name: string, ...tiers: readonly Tier[]): ToolPlace[] {
  return tiers.flatMap(({ prefers, lists }, at) =>
    lists.flatMap((groups) =>
      groups.flatMap((group, rank) => group.map((each) => ({ ...each, contest: name, tier: at, prefers, rank }))),
    ),
  );
}

const byKey: ReadonlyMap<string, ToolPlace> = new Map(
  Object.entries(toolPlaces).flatMap(([tool, places]) =>
    places.map((place) => [`${tool} ${place.location} ${place.path}`, place]),
  ),
);

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolPlaces, name);
}

/** The place from which the tool reads an entity, if it reads it at all. */
export function toolPlaceOf(tool: ToolName, source: EntitySource): ToolPlace | undefined {
  return source.readBy?.includes(tool) === false ? undefined : toolPlaceLike(tool, source);
}

/** The same if the tool would look in every such place, however far up or wherever it was moved. */
export function toolPlaceLike(
  tool: ToolName,
  { location, place, pointer }: Pick<EntitySource, "location" | "place" | "pointer">,
): ToolPlace | undefined {
  const part = pointer === undefined ? "" : `#${pointer.slice(0, pointer.indexOf("."))}`;
  return byKey.get(`${tool} ${location} ${place}${part}`);
}

/** A place of a tool, and how many folders above the project it is. */
export interface PlaceInFolder {
  readonly place: ToolPlace;
  readonly source: Pick<EntitySource, "location" | "above">;
}

/** Which of two files with the same name the tool takes: negative for the first; 0 if it has no order for them. */
export function compareToolPlaces(a: PlaceInFolder, b: PlaceInFolder): number {
  // Files in different contests never meet, but an order must have no gaps.
  if (a.place.contest !== b.place.contest) return a.place.contest < b.place.contest ? -1 : 1;
  if (a.place.tier !== b.place.tier) return a.place.tier - b.place.tier;
  const [first, second] = a.place.prefers === "nearest" ? [a, b] : [b, a];
  return foldersUp(first) - foldersUp(second) || a.place.rank - b.place.rank;
}

/** The home folder counts as farther up than every folder of the project, unless it is one of them. */
function foldersUp({ source: { location, above } }: PlaceInFolder): number {
  return above ?? (location === "user" ? Number.MAX_SAFE_INTEGER : 0);
}
