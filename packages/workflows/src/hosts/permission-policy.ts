// Whether an agent may do what it asks for. Pure.
import type { Restrictions } from "../entities/entity.ts";
import { canonicalTools, changesFiles } from "../entities/normalize/tool-names.ts";
import type { Action } from "../permission/rules.ts";
import { isAboutOtherName, otherToolNames, plainToolName } from "../permission/server-tools.ts";
import { matchesWildcard } from "../permission/wildcard.ts";
import { fileAnswer, rulesFor, type ToolRequest } from "./file-answer.ts";

/**
 * One answer for everything, or one for each tool by its canonical name. Names may have wildcards (`github/*`), and `*`
 * stands for every tool that is not named.
 */
export type PermissionPolicy = Action | Readonly<Record<string, Action>>;

/** The sources of rules. */
export interface PermissionLayers {
  /** The user's policy. */
  readonly user?: PermissionPolicy | undefined;
  /** The node's policy. */
  readonly node?: PermissionPolicy | undefined;
  /** The restrictions in the agent's file. */
  readonly file?: Restrictions | undefined;
}

/**
 * The strictest rule that applies wins. Where none applies, the user is asked. A file can only restrict: what it allows
 * still needs the policies' permission.
 */
export function decidePermission({ user, node, file }: PermissionLayers, request: ToolRequest): Action {
  const policies = [user, node].flatMap((policy) => answerOf(policy, request.tool) ?? []);
  const answers = [...(policies.length > 0 ? policies : ["ask" as const]), fileAnswer(file, request)];
  return strictness.find((answer) => answers.includes(answer)) ?? "allow";
}

/** The tools that are always denied, whatever they would do, so they need not be offered at all. */
export function deniedTools({ user, node, file }: PermissionLayers): string[] {
  const byPolicy = [user, node].flatMap((policy) => {
    if (typeof policy !== "object") return [];
    const named = Object.keys(policy).filter((tool) => tool !== "*");
    return [...named, ...(policy.edit === "deny" ? changesFiles : [])].filter(
      (tool) => answerOf(policy, tool) === "deny",
    );
  });
  const byFile = (file?.deny ?? []).flatMap(({ tool, pattern }) => (pattern === undefined ? [tool] : []));
  return [...new Set([...byPolicy, ...byFile])];
}

const strictness: readonly Action[] = ["deny", "ask", "allow"];

/**
 * What a policy says about a tool. A rule for another name that the tool may have can only narrow that: in OpenCode, two
 * servers can have tools with the same name.
 */
function answerOf(policy: PermissionPolicy | undefined, tool: string): Action | undefined {
  if (typeof policy !== "object") return policy;
  const isNamed = Object.hasOwn(policy, tool) && policy[tool] !== undefined;
  const key = isNamed ? tool : keysFor(policy, (each) => matchesWildcard(each, tool))[0];
  let own = key === undefined ? undefined : policy[key];
  // An agent that must not edit files must not write them either, unless that tool is named.
  const edit = Object.hasOwn(policy, "edit") ? policy.edit : undefined;
  if (!Object.hasOwn(policy, tool) && changesFiles.has(tool) && edit !== undefined && edit !== "allow") {
    own = strictness.find((answer) => answer === edit || answer === own);
  }
  const others = otherToolNames(tool).flatMap((other): (Action | undefined)[] => {
    const [longest = ""] = keysFor(policy, (key) => matchesWildcard(plainToolName(key), other));
    return isAboutOtherName(longest, other, tool) && policy[longest] !== "allow" ? [policy[longest]] : [];
  });
  return strictness.find((answer) => answer === own || others.includes(answer));
}

/** The matching keys, longest first. */
function keysFor(policy: Readonly<Record<string, Action>>, isMeant: (key: string) => boolean): string[] {
  return Object.keys(policy)
    .filter(isMeant)
    .sort((a, b) => b.length - a.length);
}

/**
 * The tools that an agent's helpers may not use where no one is asked: all but those that are always allowed, whatever they
 * do. The names come from hosts, policies and files, and may have wildcards; `*` stands for every tool that is not named.
 */
export function deniedToHelpers({ user, node, file }: PermissionLayers): string[] {
  const named = [user, node].flatMap((policy) => (typeof policy === "object" ? Object.keys(policy) : []));
  const inFile = [...(file?.allow ?? []), ...(file?.ask ?? []), ...(file?.deny ?? [])].map(({ tool }) => tool);
  return [...new Set(["*", ...canonicalTools, ...named, ...inFile])].filter((tool) => {
    const answers = [user, node].flatMap((policy) => answerOf(policy, tool) ?? []);
    if (answers.length === 0 || answers.some((answer) => answer !== "allow")) return true;
    const isLimited = [...(file?.deny ?? []), ...(file?.ask ?? [])].some(
      // A rule for one tool says nothing about the others.
      (rule) => matchesWildcard(rule.tool, tool) || (tool !== "*" && matchesWildcard(tool, rule.tool)),
    );
    if (isLimited) return true;
    const { allow } = rulesFor(file ?? {}, tool);
    return allow?.every((rule) => rule.pattern !== undefined || !matchesWildcard(rule.tool, tool)) ?? false;
  });
}
