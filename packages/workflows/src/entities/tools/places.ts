// Who reads what, and who wins: asked of the real programs by test/oracle, and printed in docs/guide/who-reads-what.md.
import type { EntitySource } from "../entity.ts";

export type ToolName = "claude" | "opencode" | "copilot";

/** What a tool can take a file for. */
export type ToolEntryType = "agent" | "command" | "skill";

/** A folder that a tool looks into, or one part of a config file: `opencode.json#agent`. */
export interface ToolPlace {
  readonly location: "project" | "user";
  readonly path: string;
  readonly as: ToolEntryType;
  /** Files compete for a name only within one contest: Claude's skills and commands share theirs. */
  readonly contest: string;
  /** The lower one wins; between equals the tool lets chance or the path decide. */
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
 * OpenCode merges field by field, and what it reads last wins: the home's `.opencode` over the project's, and even the
 * user's Markdown over the project's opencode.json.
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
  const userConfigs = (key: string): Candidate[][] => [
    ...configs(key, user, ".config/opencode/"),
    user(as, `.config/opencode/config.json#${key}`),
  ];
  // The retired key `mode` is merged after everything else.
  const modes = [
    ...configs("mode", user, ".opencode/"),
    ...configs("mode", project, ".opencode/"),
    ...configs("mode", project, ""),
    ...userConfigs("mode"),
  ];
  return [
    ...(as === "agent" ? modes : []),
    ...folders(user, ".opencode"),
    ...configs(as, user, ".opencode/"),
    ...folders(project, ".opencode"),
    ...configs(as, project, ".opencode/"),
    ...folders(user, ".config/opencode"),
    ...configs(as, project, ""),
    ...userConfigs(as),
  ];
}

function project(as: ToolEntryType, ...paths: string[]): Candidate[] {
  return paths.map((path) => ({ location: "project", path, as }));
}

function user(as: ToolEntryType, ...paths: string[]): Candidate[] {
  return paths.map((path) => ({ location: "user", path, as }));
}

/** Best first; places in one group are equals. */
function contest(name: string, ...groups: readonly (readonly Candidate[])[]): ToolPlace[] {
  return groups.flatMap((group, rank) => group.map((candidate) => ({ ...candidate, contest: name, rank })));
}

const byKey: Readonly<Record<ToolName, ReadonlyMap<string, ToolPlace>>> = {
  claude: keyed(toolPlaces.claude),
  opencode: keyed(toolPlaces.opencode),
  copilot: keyed(toolPlaces.copilot),
};

function keyed(places: readonly ToolPlace[]): ReadonlyMap<string, ToolPlace> {
  return new Map(places.map((place) => [`${place.location} ${place.path}`, place]));
}

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolPlaces, name);
}

/** Where the tool reads an entity from, if it looks there at all. */
export function toolPlaceOf(tool: ToolName, { location, place, pointer }: EntitySource): ToolPlace | undefined {
  const part = pointer === undefined ? "" : `#${pointer.slice(0, pointer.indexOf("."))}`;
  return byKey[tool].get(`${location} ${place}${part}`);
}
