// Whether an agent may do what it asks for. Pure.
import type { Restrictions } from "../entities/entity.ts";
import { canonicalTools, changesFiles } from "../entities/normalize/tool-names.ts";
import type { Action } from "../permission/rules.ts";
import { isAboutOtherName, otherToolNames, plainToolName } from "../permission/server-tools.ts";
import { matchesWildcard } from "../permission/wildcard.ts";
import { fileAnswer, rulesFor, type ToolRequest } from "./file-answer.ts";

/**
 * One answer for everything, or one for each tool by its canonical name. Names may have wildcards (`github/*`), and `*`
 * is for all that is not named.
 */
export type PermissionPolicy = Action | Readonly<Record<string, Action>>;

/** Who has a say. */
export interface PermissionLayers {
  /** The user's own. */
  readonly user?: PermissionPolicy | undefined;
  /** Of the node in the graph. */
  readonly node?: PermissionPolicy | undefined;
  /** Of the file that the agent is made from. */
  readonly file?: Restrictions | undefined;
}

/**
 * The strictest rule that applies counts. Where none applies, the user is asked. A file can only take away:
 * what it allows is not yet allowed.
 */
export function decidePermission({ user, node, file }: PermissionLayers, request: ToolRequest): Action {
  const policies = [user, node].flatMap((policy) => answerOf(policy, request.tool) ?? []);
  const answers = [...(policies.length > 0 ? policies : ["ask" as const]), fileAnswer(file, request)];
  return strictness.find((answer) => answers.includes(answer)) ?? "allow";
}

/** The tools that are denied whatever is to be done with them, so that they need not even be offered. */
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
 * What a policy says about a tool. What it says of another name that the tool may have can only narrow that: two servers may
 * have tools with one name in OpenCode.
 */
function answerOf(policy: PermissionPolicy | undefined, tool: string): Action | undefined {
  if (typeof policy !== "object") return policy;
  const isNamed = Object.hasOwn(policy, tool) && policy[tool] !== undefined;
  const key = isNamed ? tool : keysFor(policy, (each) => matchesWildcard(each, tool))[0];
  let own = key === undefined ? undefined : policy[key];
  // Who must not edit files must not rewrite them either, unless that is named.
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

/** The longest first. */
function keysFor(policy: Readonly<Record<string, Action>>, isMeant: (key: string) => boolean): string[] {
  return Object.keys(policy)
    .filter(isMeant)
    .sort((a, b) => b.length - a.length);
}

/**
 * What an agent's helpers may not do where no one is asked: they get only what would be allowed whatever they do with it.
 * Names of the tools that may not be used unasked, of hosts, policies and files; they may have wildcards. `*` is for all that
 * nobody names.
 */
export function deniedToHelpers({ user, node, file }: PermissionLayers): string[] {
  const named = [user, node].flatMap((policy) => (typeof policy === "object" ? Object.keys(policy) : []));
  const inFile = [...(file?.allow ?? []), ...(file?.ask ?? []), ...(file?.deny ?? [])].map(({ tool }) => tool);
  return [...new Set(["*", ...canonicalTools, ...named, ...inFile])].filter((tool) => {
    const answers = [user, node].flatMap((policy) => answerOf(policy, tool) ?? []);
    if (answers.length === 0 || answers.some((answer) => answer !== "allow")) return true;
    const isAbout = (rule: { readonly tool: string }): boolean =>
      // A rule for one tool says nothing of all the others.
      matchesWildcard(rule.tool, tool) || (tool !== "*" && matchesWildcard(tool, rule.tool));
    if ([...(file?.deny ?? []), ...(file?.ask ?? [])].some(isAbout)) return true;
    const { allow } = rulesFor(file ?? {}, tool);
    return allow?.every((rule) => rule.pattern !== undefined || !matchesWildcard(rule.tool, tool)) ?? false;
  });
}
