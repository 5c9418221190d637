import { matchesWildcard } from "../../permission/wildcard.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Restrictions, ToolRule } from "../entity.ts";

/**
 * What a file says about tools. A rule of `deny` always wins. Among `allow` and `ask` the most specific rule decides:
 * one with a pattern, then one that names the tool, then one with a `*` in its name; if both are alike, ask.
 */
export interface ToolRestrictions extends Restrictions {
  /** Allowed after a person said yes. */
  readonly ask?: readonly ToolRule[];
}

export type NormalizedTools =
  | { readonly kind: "unrestricted"; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly kind: "restricted";
      readonly restrictions: ToolRestrictions;
      /** Canonical names of the tools that it may use, if need be after asking; absent if the file only denies some. */
      readonly tools?: readonly string[];
      readonly diagnostics: readonly Diagnostic[];
    }
  /** Somebody wanted a restriction, and nobody knows which: the entity must not run. */
  | { readonly kind: "unreadable"; readonly diagnostics: readonly Diagnostic[] };

/** An empty list is only kept for `allow`, where it means "nothing". */
export function restricted(restrictions: ToolRestrictions, diagnostics: readonly Diagnostic[] = []): NormalizedTools {
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

/** Whether an entity may use a tool at all, be it for some arguments or after asking. `tool` is a canonical name. */
export function mayUseTool(restrictions: ToolRestrictions, tool: string): boolean {
  const { allow, deny = [], ask = [] } = restrictions;
  if (deny.some((rule) => rule.pattern === undefined && matchesWildcard(rule.tool, tool))) return false;
  return allow === undefined || [...allow, ...ask].some((rule) => matchesWildcard(rule.tool, tool));
}
