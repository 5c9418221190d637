// Which tool reads which files, and which file wins. test/oracle checks this against the real programs, and
// docs/guide/who-reads-what.md shows it.
import type { EntitySource } from "../entity.ts";

export type ToolName = "claude" | "opencode" | "copilot";

/** What a tool can load a file as. */
export type ToolEntryType = "agent" | "command" | "skill";

/** A folder that a tool reads, or one part of a config file: `opencode.json#agent`. */
export interface ToolPlace {
  readonly location: "project" | "user";
  readonly path: string;
  readonly as: ToolEntryType;
  /** Files compete for a name only within one contest: Claude's skills and commands share theirs. */
  readonly contest: string;
  /** The lower rank wins; between equals, chance or the path decides. */
  readonly rank: number;
}

type Candidate = Pick<ToolPlace, "location" | "path" | "as">;

export const toolPlaces: Readonly<Record<ToolName, readonly ToolPlace[]>> = {
  claude: [
    ...contest(
      "slash",
      user("skill", ".claude/skills"),
      project("skill", ".claude/skills"),
      user("command", ".claude/commands"),
      project("command", ".claude/commands"),
    ),
    ...contest("agent", project("agent", ".claude/agents"), user("agent", ".claude/agents")),
  ],
  opencode: [
    ...contest("agent", ...opencodeOrder("agent")),
    ...contest("command", ...opencodeOrder("command")),
    ...contest(
      "skill",
      user("skill", ".opencode/skills", ".opencode/skill"),
      project("skill", ".opencode/skills", ".opencode/skill"),
      user("skill", ".config/opencode/skills", ".config/opencode/skill"),
      project("skill", ".agents/skills"),
      project("skill", ".claude/skills"),
      user("skill", ".agents/skills"),
      user("skill", ".claude/skills"),
    ),
  ],
  copilot: [
    ...contest(
      "skill",
      project("skill", ".github/skills"),
      project("skill", ".agents/skills"),
      project("skill", ".claude/skills"),
      user("skill", ".copilot/skills"),
      user("skill", ".agents/skills"),
      project("skill", ".claude/commands"),
    ),
    ...contest(
      "agent",
      user("agent", ".copilot/agents"),
      project("agent", ".github/agents"),
      project("agent", ".claude/agents"),
    ),
  ],
};

/**
 * OpenCode merges field by field, and what it reads last wins: the home folder's `.opencode` over the project's, and
 * even the user's Markdown over the project's opencode.json.
 */
function opencodeOrder(as: "agent" | "command"): Candidate[][] {
  const folders = (where: typeof project, root: string): Candidate[][] => [
    ...(as === "agent" ? [where(as, `${root}/modes`, `${root}/mode`)] : []),
    where(as, `${root}/${as}s`, `${root}/${as}`),
  ];
  const configs = (key: string, where: typeof project, root: string): Candidate[][] => [
    where(as, `${root}opencode.jsonc#${key}`),
    where(as, `${root}opencode.json#${key}`),
  ];
  // The deprecated key `mode` is merged after everything else.
  const modes = [
    ...configs("mode", user, ".opencode/"),
    ...configs("mode", project, ".opencode/"),
    ...configs("mode", project, ""),
    ...configs("mode", user, ".config/opencode/"),
    user(as, ".config/opencode/config.json#mode"),
  ];
  return [
    ...(as === "agent" ? modes : []),
    ...folders(user, ".opencode"),
    ...configs(as, user, ".opencode/"),
    ...folders(project, ".opencode"),
    ...configs(as, project, ".opencode/"),
    ...folders(user, ".config/opencode"),
    ...configs(as, project, ""),
    ...configs(as, user, ".config/opencode/"),
    user(as, `.config/opencode/config.json#${as}`),
  ];
}

function project(as: ToolEntryType, ...paths: string[]): Candidate[] {
  return paths.map((path) => ({ location: "project", path, as }));
}

function user(as: ToolEntryType, ...paths: string[]): Candidate[] {
  return paths.map((path) => ({ location: "user", path, as }));
}

/** Best first; the places in one group are equal. */
function contest(name: string, ...groups: readonly (readonly Candidate[])[]): ToolPlace[] {
  return groups.flatMap((group, rank) => group.map((candidate) => ({ ...candidate, contest: name, rank })));
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
export function toolPlaceOf(tool: ToolName, { location, place, pointer }: EntitySource): ToolPlace | undefined {
  const part = pointer === undefined ? "" : `#${pointer.slice(0, pointer.indexOf("."))}`;
  return byKey.get(`${tool} ${location} ${place}${part}`);
}
