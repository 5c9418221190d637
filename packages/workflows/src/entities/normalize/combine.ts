import type { Action } from "../../permission/rules.ts";
import { isAboutOtherName, otherToolNames } from "../../permission/server-tools.ts";
import { matchesWildcard } from "../../permission/wildcard.ts";
import type { ToolRule } from "../entity.ts";
import { type NormalizedTools, restricted, type ToolRestrictions } from "./restrictions.ts";

/**
 * What several keys of one file say together, such as `tools` and `disallowedTools`: only what each of them allows,
 * after asking if one of them wants that, and nothing that one of them denies.
 *
 * @example
 * combineTools(normalizeTools(fm.tools, claude), normalizeDisallowedTools(fm.disallowedTools, claude));
 */
export function combineTools(...results: readonly NormalizedTools[]): NormalizedTools {
  const diagnostics = results.flatMap((result) => result.diagnostics);
  if (results.some(({ kind }) => kind === "unreadable")) return { kind: "unreadable", diagnostics };
  const [only, ...others] = results.filter((result) => result.kind === "restricted");
  if (only === undefined) return { kind: "unrestricted", diagnostics };
  if (others.length === 0) return { ...only, diagnostics };
  const all = [only, ...others].map(({ restrictions }) => restrictions);

  const judges = all.map(judge);
  const rules = all.flatMap(({ allow = [], ask = [] }) => [...allow, ...ask]);
  const judged = rules.map((rule) => ({ rule, verdict: strictest(judges.map((decide) => decide(rule))) }));
  const withVerdict = (wanted: Action): ToolRule[] =>
    judged.flatMap(({ rule, verdict }) => (verdict === wanted ? [rule] : []));
  const hasAllowList = all.some(({ allow }) => allow !== undefined);
  const [allow, ask] = [withVerdict("allow"), withVerdict("ask")];
  return restricted(
    {
      ...(hasAllowList && { allow }),
      ask,
      deny: [...all.flatMap(({ deny = [] }) => deny), ...orphans(withVerdict("deny"), [...allow, ...ask])],
    },
    diagnostics,
  );
}

/** A tool that has lost every rule of its own must not fall to a `*` that was not about it. */
function orphans(lost: readonly ToolRule[], kept: readonly ToolRule[]): ToolRule[] {
  const named = new Set(kept.map(({ tool }) => tool));
  const wildcards = kept.filter(({ tool }) => isWildcard(tool));
  return lost
    .filter(({ tool }) => !named.has(tool) && wildcards.some((rule) => isAbout(rule, tool)))
    .map(({ tool }) => ({ tool }));
}

/** By any name that the tool may have. */
function isAbout(rule: ToolRule, tool: string): boolean {
  return (
    matchesWildcard(rule.tool, tool) || otherToolNames(tool).some((other) => isAboutOtherName(rule.tool, other, tool))
  );
}

function strictest(verdicts: readonly Action[]): Action {
  return verdicts.includes("deny") ? "deny" : verdicts.includes("ask") ? "ask" : "allow";
}

/** What one key says about a rule of another. Its own denials are left to the result's `deny`. */
function judge({ allow, ask = [] }: ToolRestrictions): (rule: ToolRule) => Action {
  const entries = [
    ...ask.map((rule) => ({ ...rule, verdict: "ask" as const })),
    ...(allow ?? []).map((rule) => ({ ...rule, verdict: "allow" as const })),
  ];
  const byTool = new Map<string, typeof entries>();
  for (const entry of entries) {
    const named = byTool.get(entry.tool);
    if (named === undefined) byTool.set(entry.tool, [entry]);
    else named.push(entry);
  }
  const wildcards = entries.filter(({ tool }) => isWildcard(tool));
  const otherwise: Action = allow === undefined ? "allow" : "deny";
  /** What wants to be asked about under another name. */
  const asksUnderOther = (tool: string): boolean =>
    otherToolNames(tool).some((other) => ask.some((rule) => isAboutOtherName(rule.tool, other, tool)));
  const own = ({ tool, pattern, from }: ToolRule): Action => {
    const named = byTool.get(tool) ?? [];
    const match =
      named.find((entry) => entry.pattern === pattern && entry.from === from) ??
      named.find((entry) => entry.pattern === undefined);
    if (match !== undefined) return match.verdict;
    // Two different patterns have no intersection that one pattern could express.
    if (named.length > 0 && allow !== undefined) return "deny";
    return wildcards.find((entry) => matchesWildcard(entry.tool, tool))?.verdict ?? otherwise;
  };
  return (rule) => strictest([own(rule), asksUnderOther(rule.tool) ? "ask" : "allow"]);
}

function isWildcard(tool: string): boolean {
  return /[*?]/.test(tool);
}
