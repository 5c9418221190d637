import type { Action } from "../../permission/rules.ts";
import { isAboutOtherName, otherToolNames } from "../../permission/server-tools.ts";
import { isWildcard, matchesWildcard } from "../../permission/wildcard.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Restrictions, ToolRule } from "../entity.ts";

/**
 * What a file says about tools. A `deny` rule always wins. Among `allow` and `ask` the most specific rule decides: one
 * with a pattern, then one that names the tool, then one with a `*` in its name; if both are equally specific, ask.
 */
export type NormalizedTools =
  | { readonly kind: "unrestricted"; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly kind: "restricted";
      readonly restrictions: Restrictions;
      /** Canonical names of the tools that it may use, perhaps after asking; absent if the file only denies some. */
      readonly tools?: readonly string[];
      readonly diagnostics: readonly Diagnostic[];
    }
  /** A restriction was intended but cannot be read: the entity must not run. */
  | { readonly kind: "unreadable"; readonly diagnostics: readonly Diagnostic[] };

/** Keeps an empty list only for `allow`, where it means "nothing". */
export function restricted(restrictions: Restrictions, diagnostics: readonly Diagnostic[] = []): NormalizedTools {
  const { allow, deny = [], ask = [] } = restrictions;
  if (allow === undefined && deny.length === 0 && ask.length === 0) return { kind: "unrestricted", diagnostics };
  const usable = allow && [...allow, ...ask].map(({ tool }) => tool);
  return {
    kind: "restricted",
    restrictions: {
      ...(allow && { allow: distinct(allow) }),
      ...(deny.length > 0 && { deny: distinct(deny) }),
      ...(ask.length > 0 && { ask: distinct(ask) }),
    },
    ...(usable && !usable.includes("*") && { tools: [...new Set(usable)] }),
    diagnostics,
  };
}

export function unreadable(key: string, problem: string): NormalizedTools {
  const diagnostic: Diagnostic = {
    severity: "error",
    code: "tools-unparsable",
    message: `"${key}" cannot be read: ${problem}`,
    hint: 'Write a list such as [Read, "Bash(git:*)"], or remove the key to allow every tool.',
  };
  return { kind: "unreadable", diagnostics: [diagnostic] };
}

function distinct(rules: readonly ToolRule[]): readonly ToolRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify([rule.tool, rule.pattern, rule.from]), rule])).values()];
}

/** Whether an entity may use a tool at all, even if only for some arguments or after asking. `tool` is a canonical name. */
export function mayUseTool(restrictions: Restrictions, tool: string): boolean {
  const { allow, deny = [], ask = [] } = restrictions;
  if (deny.some((rule) => rule.pattern === undefined && matchesWildcard(rule.tool, tool))) return false;
  return allow === undefined || [...allow, ...ask].some((rule) => matchesWildcard(rule.tool, tool));
}

/**
 * What several keys of one file mean together, such as `tools` and `disallowedTools`: only what all of them allow, after
 * asking if one of them requires it, and nothing that one of them denies.
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
  const hasAllowList = all.some(({ allow }) => allow !== undefined);
  const [allow = [], ask = [], denied = []] = (["allow", "ask", "deny"] as const).map((wanted) =>
    judged.flatMap(({ rule, verdict }) => (verdict === wanted ? [rule] : [])),
  );
  const kept = [...allow, ...ask];
  const named = new Set(kept.map(({ tool }) => tool));
  const wildcards = kept.filter(({ tool }) => isWildcard(tool));
  // A tool that has lost all of its own rules, under any of its names, must not be matched by a `*` that is not about it.
  const orphans = denied.filter(
    ({ tool }) =>
      !named.has(tool) &&
      wildcards.some(
        (rule) =>
          matchesWildcard(rule.tool, tool) ||
          otherToolNames(tool).some((other) => isAboutOtherName(rule.tool, other, tool)),
      ),
  );
  return restricted(
    {
      ...(hasAllowList && { allow }),
      ask,
      deny: [...all.flatMap(({ deny = [] }) => deny), ...orphans.map(({ tool }) => ({ tool }))],
    },
    diagnostics,
  );
}

function strictest(verdicts: readonly Action[]): Action {
  return verdicts.includes("deny") ? "deny" : verdicts.includes("ask") ? "ask" : "allow";
}

/** What one key says about another key's rule. What it denies itself is added to the result's `deny`. */
function judge({ allow, ask = [] }: Restrictions): (rule: ToolRule) => Action {
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
  return ({ tool, pattern, from }) => {
    const named = byTool.get(tool) ?? [];
    let verdict = (
      named.find((entry) => entry.pattern === pattern && entry.from === from) ??
      named.find((entry) => entry.pattern === undefined)
    )?.verdict as Action | undefined;
    // Two different patterns have no intersection that one pattern could express.
    if (verdict === undefined && named.length > 0 && allow !== undefined) verdict = "deny";
    verdict ??= wildcards.find((entry) => matchesWildcard(entry.tool, tool))?.verdict ?? otherwise;
    // It may require asking about the tool under another name.
    const isAskedAbout = otherToolNames(tool).some((other) =>
      ask.some((rule) => isAboutOtherName(rule.tool, other, tool)),
    );
    return strictest([verdict, isAskedAbout ? "ask" : "allow"]);
  };
}
