// What limits an OpenCode agent besides its own file: OpenCode merges it with its namesakes, and puts the rules of a
// built-in agent and of the config files first.
import { inheritedRules, mergeGeneralKeys, mergePermission } from "../permission/layers.ts";
import { agentPermission, type Permission, rulesOf } from "../permission/rules.ts";
import { withFacts } from "./define-entity.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Entity } from "./entity.ts";
import type { GeneralFile } from "./format.ts";
import { normalizeRules } from "./normalize/permission.ts";
import { combineTools, restricted } from "./normalize/restrictions.ts";
import { normalizeTools } from "./normalize/tools.ts";

/** What the config files say about every agent. */
interface General {
  readonly permission: Permission;
  /** The file that cannot be read, so its restrictions are unknown. */
  readonly unreadable: GeneralFile | undefined;
}

/** The order in which OpenCode reads its config files. */
const inOrder = [
  "user .config/opencode/config.json",
  "user .config/opencode/opencode.json",
  "user .config/opencode/opencode.jsonc",
  "user OPENCODE_CONFIG",
  "user above",
  "project opencode.json",
  "project opencode.jsonc",
  "project .opencode/opencode.json",
  "project .opencode/opencode.jsonc",
  "user above/.opencode",
  "user .opencode/opencode.json",
  "user .opencode/opencode.jsonc",
  "user OPENCODE_CONFIG_DIR/opencode.json",
  "user OPENCODE_CONFIG_DIR/opencode.jsonc",
  "user OPENCODE_CONFIG_CONTENT",
  "user managed/opencode.json",
  "user managed/opencode.jsonc",
  "user OPENCODE_PERMISSION",
];

export function mergeGeneral(files: readonly GeneralFile[]): General {
  const ranked = files.map((file) => ({ file, rank: inOrder.indexOf(`${file.location} ${file.place}`) }));
  const ordered = ranked.sort((a, b) => a.rank - b.rank).map(({ file }) => file);
  return {
    permission: mergeGeneralKeys(ordered.map(({ keys }) => keys)),
    unreadable: ordered.find(({ problem }) => problem !== undefined),
  };
}

/**
 * Why OpenCode switches these namesakes off. They are sorted by rank, and the first one with a `disable` key decides.
 * The user's own agents come before a package's, wherever they are.
 */
export function whySwitchedOff(namesakes: readonly Entity[]): string | undefined {
  const speaking = namesakes.filter(
    ({ type, frontmatter }) => type === "agent" && (frontmatter.disable ?? undefined) !== undefined,
  );
  const said = speaking.find(({ source }) => source.provider !== "hugo") ?? speaking[0];
  if (said === undefined || said.frontmatter.disable === false) return undefined;
  const { location, place = "", relative = "", pointer } = said.source;
  const file = pointer === undefined ? `${place}/${relative}` : `${place}, ${pointer}`;
  return `it is turned off (\`disable: true\` in ${location === "user" ? "~/" : ""}${file})`;
}

/**
 * The winner with everything that limits it. What a loser forbids is forbidden for the winner, too: the winner's rules
 * cannot undo it, which is narrower than OpenCode where both name the same tool.
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
      message: `OpenCode merges this agent with another agent of the same name that cannot be trusted (${unknown.disabledBecause}).`,
      ...(unknown.source.path !== undefined && { path: unknown.source.path }),
      hint: "Fix the other agent, or rename one of them.",
    };
  } else if (unreadable !== undefined) {
    problem = {
      severity: "error",
      code: "general-unreadable",
      message: `The permissions that apply to every agent are unknown: ${unreadable.problem}`,
      path: unreadable.path,
      hint: "Fix that file. It also keeps OpenCode from starting.",
    };
  }
  if (problem !== undefined) {
    return withFacts(winner, { diagnostics: [...winner.diagnostics, problem], disabledBecause: problem.message });
  }
  // The agent whose rules apply first. A command runs as the agent that it names.
  const { type, displayName, frontmatter, source } = winner;
  const agent = type === "agent" ? displayName : typeof frontmatter.agent === "string" ? frontmatter.agent : "";
  const inherited = inheritedRules(agent, general.permission);
  if (inherited.length === 0 && losers.length === 0) return winner;
  let own = [restricted(winner.restrictions), normalizeRules(inherited)];
  // Only the user's own agents may open what the general rules close; a package may not.
  if (type === "agent" && source.provider === "opencode") {
    const permission = [...losers.toReversed(), winner]
      .map((each) => agentPermission(each.frontmatter))
      .reduce(mergePermission, {});
    own = [
      normalizeTools(frontmatter.tools, { provider: "opencode" }),
      normalizeRules([...inherited, ...rulesOf(permission)]),
    ];
  }
  const merged = combineTools(...own, ...losers.map(({ restrictions }) => restricted(restrictions)));
  if (merged.kind !== "restricted") return winner;
  return withFacts(winner, { tools: merged.tools, restrictions: merged.restrictions });
}
