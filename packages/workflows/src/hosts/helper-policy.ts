// What helpers of an agent may do where nobody hears of it: only what would be allowed whatever they do with it. Pure.

import { canonicalTools } from "../entities/normalize/tool-names.ts";
import { matchesWildcard } from "../permission/wildcard.ts";
import { rulesFor } from "./file-answer.ts";
import { answerOf, type PermissionLayers } from "./permission-policy.ts";

/**
 * Names of the tools that may not be used unasked, of hosts, policies and files; they may have wildcards. `*` is for all that
 * nobody names.
 */
export function deniedToHelpers(layers: PermissionLayers): string[] {
  const { user, node, file } = layers;
  const named = [user, node].flatMap((policy) => (typeof policy === "object" ? Object.keys(policy) : []));
  const inFile = [...(file?.allow ?? []), ...(file?.ask ?? []), ...(file?.deny ?? [])].map(({ tool }) => tool);
  return [...new Set(["*", ...canonicalTools, ...named, ...inFile])].filter((tool) => !isAllowed(layers, tool));
}

function isAllowed({ user, node, file }: PermissionLayers, tool: string): boolean {
  const answers = [user, node].flatMap((policy) => answerOf(policy, tool) ?? []);
  if (answers.length === 0 || answers.some((answer) => answer !== "allow")) return false;
  const isAbout = (rule: { readonly tool: string }): boolean =>
    // A rule for one tool says nothing of all the others.
    matchesWildcard(rule.tool, tool) || (tool !== "*" && matchesWildcard(tool, rule.tool));
  if ([...(file?.deny ?? []), ...(file?.ask ?? [])].some(isAbout)) return false;
  const { allow } = rulesFor(file ?? {}, tool);
  return allow?.some((rule) => rule.pattern === undefined && matchesWildcard(rule.tool, tool)) ?? true;
}
