// Whether an agent may do what it asks for. Pure.
import type { Restrictions, ToolRule } from "../entity.ts";
import type { PermissionAnswer } from "../graph/graph-json.ts";
import { covers } from "../normalize/restrictions.ts";

/**
 * One answer for everything, or one for each tool by its canonical name. Names may have wildcards (`github/*`), and `*`
 * is for all that is not named.
 */
export type PermissionPolicy = PermissionAnswer | Readonly<Record<string, PermissionAnswer>>;

/** Who has a say. */
export interface PermissionLayers {
  /** The user's own. */
  readonly user?: PermissionPolicy | undefined;
  /** Of the node in the graph. */
  readonly node?: PermissionPolicy | undefined;
  /** Of the file that the agent is made from. */
  readonly file?: Restrictions | undefined;
}

export interface Wish {
  readonly tool: string;
  /** A command, a path. */
  readonly detail: string;
}

/**
 * Of all who say something, the strictest counts. Where nobody does, a person is asked. A file can only take away:
 * what it allows is not yet allowed.
 */
export function decidePermission({ user, node, file }: PermissionLayers, wish: Wish): PermissionAnswer {
  const policies = [user, node].flatMap((policy) => answerOf(policy, wish.tool) ?? []);
  const answers = [...(policies.length > 0 ? policies : ["ask" as const]), fileAnswer(file, wish)];
  return strictness.find((answer) => answers.includes(answer)) ?? "allow";
}

/** The tools that are denied whatever is to be done with them, so that they need not even be offered. */
export function deniedTools({ user, node, file }: PermissionLayers): string[] {
  const named = [user, node].flatMap((policy) =>
    typeof policy === "object" ? Object.keys(policy).filter((tool) => policy[tool] === "deny" && tool !== "*") : [],
  );
  const byFile = (file?.deny ?? []).flatMap(({ tool, pattern }) => (pattern === undefined ? [tool] : []));
  return [...new Set([...named, ...byFile])];
}

const strictness: readonly PermissionAnswer[] = ["deny", "ask", "allow"];

function answerOf(policy: PermissionPolicy | undefined, tool: string): PermissionAnswer | undefined {
  if (typeof policy !== "object") return policy;
  const exact = Object.hasOwn(policy, tool) ? policy[tool] : undefined;
  if (exact !== undefined) return exact;
  const [longest] = Object.keys(policy)
    .filter((pattern) => covers(pattern, tool))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : policy[longest];
}

/** Denials first; of the others the most specific rule, and if both are alike, ask. */
function fileAnswer({ allow, ask = [], deny = [] }: Restrictions = {}, wish: Wish): PermissionAnswer {
  if (deny.some((rule) => covers(rule.tool, wish.tool) && touches(rule, wish))) return "deny";
  const asking = weightOf(ask, wish);
  const allowing = allow === undefined ? 0 : weightOf(allow, wish);
  if (asking === undefined && allowing === undefined) return "deny";
  return (asking ?? -1) >= (allowing ?? -1) ? "ask" : "allow";
}

/** Of the most specific rule that is about the whole of it. */
function weightOf(rules: readonly ToolRule[], wish: Wish): number | undefined {
  const weights = rules
    .filter((rule) => covers(rule.tool, wish.tool) && contains(rule, wish))
    .map(({ tool, pattern }) => (pattern !== undefined ? 3 : tool.includes("*") ? 1 : 2));
  return weights.length === 0 ? undefined : Math.max(...weights);
}

function contains(rule: ToolRule, { tool, detail }: Wish): boolean {
  if (rule.pattern === undefined) return true;
  if (tool !== "bash") return matches(rule.pattern, detail);
  // What a shell puts in place of something else is not in the text.
  if (/`|\$\(|<\(|>\(/.test(detail)) return false;
  return commandsIn(detail).every((command) => matches(rule.pattern as string, command));
}

function touches(rule: ToolRule, { tool, detail }: Wish): boolean {
  const { pattern } = rule;
  if (pattern === undefined) return true;
  const parts = tool === "bash" ? [detail, ...commandsIn(detail)] : [detail];
  return parts.some((part) => matches(pattern, part));
}

function commandsIn(text: string): string[] {
  return text
    .split(/&&|\|\||[;|&\n]/)
    .map((command) => command.trim())
    .filter((command) => command !== "");
}

/** Claude writes `git:*` for all that begins with the word `git`; everybody else has wildcards. */
function matches(pattern: string, text: string): boolean {
  if (pattern.endsWith(":*")) {
    const start = pattern.slice(0, -2);
    return text === start || text.startsWith(`${start} `);
  }
  const path = pattern.replace(/^\.?\//, "");
  return covers(pattern, text) || covers(path, text) || covers(`*/${path}`, text);
}
