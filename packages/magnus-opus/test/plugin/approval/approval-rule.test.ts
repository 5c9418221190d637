import { describe, expect, test } from "bun:test";
import { approvalRule, isPrompt, permissionFor, withApprovalRule } from "../../../src/plugin/approval/approval-rule.ts";
import type { ResolvedRule } from "../../../src/plugin/live/opencode.ts";

const rule = (permission: string, action: string, pattern = "*"): ResolvedRule => ({ permission, pattern, action });
const own = [rule("*", "deny"), rule("magnus_approve*", "ask")];

describe("the user is asked", () => {
  test.each<[string, boolean, ResolvedRule[]]>([
    ["by the rule that the plugin sets", true, own],
    ["whatever came before it", true, [rule("magnus_*", "allow"), ...own]],
    ["whatever is said of others afterwards", true, [...own, rule("edit", "allow"), rule("magnus_approval", "allow")]],
    ["not if there is no rule", false, []],
    ["not if it is forbidden", false, [...own, rule("*", "deny")]],
    ["not if everything is allowed afterwards", false, [...own, rule("*", "allow")]],
    ["not if a wildcard allows it", false, [...own, rule("magnus_appr?v*", "allow")]],
    ["not if it is allowed by name, in capitals either", false, [...own, rule("MAGNUS_APPROVE", "allow")]],
    ["not if it is allowed for some", false, [...own, rule("magnus_approve", "allow", "implementation-plan.md*")]],
    ["not if it is forbidden by its bare name", false, [...own, rule("magnus_approve", "deny")]],
    ["not if it is allowed in all its length", false, [...own, rule("*: the plan", "allow")]],
    ["not if only some are asked about", false, [...own, rule("magnus_approve", "ask", "final-summary.md*")]],
  ])("%s", (_, asked, rules) => expect(isPrompt(approvalRule(rules, permissionFor("the plan")))).toBe(asked));
});

describe("the rule of the orchestrator", () => {
  const agents = { orchestrator: { permission: { "*": "deny" } }, architect: {} } as const;

  test("comes last, and no other agent has one", () => {
    const changed = withApprovalRule(agents, { gates: { approvalPrompt: true } });
    expect(JSON.stringify(changed)).toBe(
      '{"orchestrator":{"permission":{"*":"deny","magnus_approve*":"ask"}},"architect":{}}',
    );
  });

  test("does not exist unless the user enables it", () => {
    for (const config of [{}, { gates: {} }, { gates: { approvalPrompt: false } }]) {
      expect(withApprovalRule(agents, config)).toBe(agents);
    }
  });
});
