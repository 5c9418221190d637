// What holds for an OpenCode agent besides its own file: OpenCode merges it with its namesakes, and puts the rules of a
// built-in agent and those of the config files in front.
import { inheritedRules, mergeGeneralKeys, mergePermission } from "../permission/layers.ts";
import { agentPermission, type Permission, rulesOf } from "../permission/rules.ts";
import { withFacts } from "./define-entity.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Entity } from "./entity.ts";
import type { GeneralFile } from "./format.ts";
import { normalizeRules } from "./normalize/permission.ts";
import { combineTools, type NormalizedTools, restricted } from "./normalize/restrictions.ts";
import { normalizeTools } from "./normalize/tools.ts";

export interface OpencodeLimits {
  readonly mergeGeneral: typeof mergeGeneral;
  readonly mergeNamesakes: typeof mergeNamesakes;
  readonly whySwitchedOff: typeof whySwitchedOff;
}

/** What the config files say about every agent. */
interface General {
  readonly permission: Permission;
  /** The file that cannot be read, so its restrictions are unknown. */
  readonly unreadable?: GeneralFile;
}

/** The order in which OpenCode reads its config files. */
const inOrder = [
  ...["config.json", "opencode.json", "opencode.jsonc"].map((name) => `user .config/opencode/${name}`),
  "user OPENCODE_CONFIG",
  "user above",
  ...named("project "),
  ...named("project .opencode/"),
  "user above/.opencode",
  ...named("user .opencode/"),
  ...named("user OPENCODE_CONFIG_DIR/"),
  "user OPENCODE_CONFIG_CONTENT",
  ...named("user managed/"),
  "user OPENCODE_PERMISSION",
];

function named(folder: string): string[] {
  return [`${folder}opencode.json`, `${folder}opencode.jsonc`];
}

export function mergeGeneral(files: readonly GeneralFile[]): General {
  const rank = ({ location, place }: GeneralFile): number => inOrder.indexOf(`${location} ${place}`);
  const ordered = [...files].sort((a, b) => rank(a) - rank(b));
  const unreadable = ordered.find(({ problem }) => problem !== undefined);
  return {
    permission: mergeGeneralKeys(ordered.map(({ keys }) => keys)),
    ...(unreadable !== undefined && { unreadable }),
  };
}

/**
 * Why OpenCode does not have the agent of these namesakes, given by rank: one says `disable: true`, and none before it
 * anything else. What a package says comes after what the user says, wherever it lies.
 */
export function whySwitchedOff(namesakes: readonly Entity[]): string | undefined {
  const isPackages = ({ source }: Entity): boolean => source.provider === "hugo";
  const inTurn = [...namesakes.filter((each) => !isPackages(each)), ...namesakes.filter(isPackages)];
  const said = inTurn.find(
    ({ type, frontmatter }) => type === "agent" && (frontmatter.disable ?? undefined) !== undefined,
  );
  if (said === undefined || said.frontmatter.disable === false) return undefined;
  const { location, place = "", relative = "", pointer } = said.source;
  const file = pointer === undefined ? `${place}/${relative}` : `${place}, ${pointer}`;
  return `it is switched off (\`disable: true\` in ${location === "user" ? "~/" : ""}${file})`;
}

/**
 * The winner with all that limits it. What a loser forbids holds for the winner, too: here a rule of the winner cannot undo
 * one of a loser, which is narrower than OpenCode where both speak of the same tool.
 *
 * @returns the winner itself if nothing else restricts it.
 */
export function mergeNamesakes(winner: Entity, losers: readonly Entity[], general: General): Entity {
  if (winner.disabledBecause !== undefined) return winner;
  const unknown = losers.find(({ disabledBecause }) => disabledBecause !== undefined);
  const { unreadable } = general;
  let problem: Diagnostic | undefined;
  if (unknown !== undefined) {
    problem = {
      severity: "error",
      code: "namesake-unreadable",
      message: `OpenCode merges this agent with a namesake that cannot be trusted (${unknown.disabledBecause}).`,
      ...(unknown.source.path !== undefined && { path: unknown.source.path }),
      hint: "Fix the namesake, or rename one of them.",
    };
  } else if (unreadable !== undefined) {
    problem = {
      severity: "error",
      code: "general-unreadable",
      message: `The permissions for every agent are unknown: ${unreadable.problem}`,
      path: unreadable.path,
      hint: "Fix that file. OpenCode does not start with it either.",
    };
  }
  if (problem !== undefined) {
    return withFacts(winner, { diagnostics: [...winner.diagnostics, problem], disabledBecause: problem.message });
  }
  // The agent whose rules it starts from. A command works as the agent that it names.
  const { type, displayName, frontmatter, source } = winner;
  const agent = type === "agent" ? displayName : typeof frontmatter.agent === "string" ? frontmatter.agent : "";
  const inherited = inheritedRules(agent, general.permission);
  if (inherited.length === 0 && losers.length === 0) return winner;
  let own = [toolsOf(winner), normalizeRules(inherited)];
  // Only in an agent of the user's own do later rules open what the general ones close; a package cannot do that.
  if (type === "agent" && source.provider === "opencode") {
    const permission = [...losers.toReversed(), winner]
      .map((each) => agentPermission(each.frontmatter))
      .reduce(mergePermission, {});
    own = [
      normalizeTools(frontmatter.tools, { provider: "opencode" }),
      normalizeRules([...inherited, ...rulesOf(permission)]),
    ];
  }
  const merged = combineTools(...own, ...losers.map(toolsOf));
  if (merged.kind !== "restricted") return winner;
  return withFacts(winner, { tools: merged.tools, restrictions: merged.restrictions });
}

function toolsOf({ restrictions }: Entity): NormalizedTools {
  return restricted(restrictions);
}
