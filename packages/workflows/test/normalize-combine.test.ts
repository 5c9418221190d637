import { describe, expect, test } from "bun:test";
import { normalizePermission } from "../src/entities/normalize/permission.ts";
import { combineTools, mayUseTool, type NormalizedTools } from "../src/entities/normalize/restrictions.ts";
import { normalizeDisallowedTools, normalizeTools } from "../src/entities/normalize/tools.ts";
import { matchesWildcard } from "../src/permission/wildcard.ts";

const tools = (value: unknown): NormalizedTools => normalizeTools(value, { provider: "claude" });
const disallowed = (value: unknown): NormalizedTools => normalizeDisallowedTools(value, { provider: "claude" });

function describeResult(result: NormalizedTools): string {
  if (result.kind !== "restricted") return result.kind;
  return (["allow", "ask", "deny"] as const)
    .flatMap((list) => {
      const rules = result.restrictions[list];
      const names = rules?.map(({ tool, pattern }) => (pattern === undefined ? tool : `${tool}(${pattern})`));
      return names === undefined ? [] : [`${list}: ${names.sort().join(" ")}`];
    })
    .join("; ");
}

describe("several restrictions together", () => {
  test.each([
    ["none", [], "unrestricted"],
    ["nothing restricts", [tools(undefined), disallowed(undefined)], "unrestricted"],
    ["allow and deny", [tools("Read, Bash"), disallowed("Bash")], "allow: bash read; deny: bash"],
    ["deny only", [tools("*"), disallowed("Bash")], "deny: bash"],
    ["two lists", [tools("Read, Bash"), tools("Bash, Edit")], "allow: bash"],
    ["two lists with nothing in common", [tools("Read"), tools("Bash")], "allow: "],
    ["a pattern and the whole tool", [tools("Bash(git:*)"), tools("Bash, Read")], "allow: bash(git:*)"],
    ["the same pattern", [tools("Bash(git:*)"), tools("Bash(git:*)")], "allow: bash(git:*)"],
    ["two patterns", [tools("Bash(git:*)"), tools("Bash(npm:*)")], "allow: "],
    ["a server and its tool", [tools("mcp__github"), tools("mcp__github__search")], "allow: github/search"],
    ["ask and allow", [tools("Read, Bash"), normalizePermission({ bash: "ask" })], "allow: read; ask: bash"],
    ["ask for everything", [tools("Read"), normalizePermission("ask")], "allow: ; ask: read"],
    ["ask for what is not allowed", [tools("Read"), normalizePermission({ bash: "ask" })], "allow: read"],
    [
      "ask for a pattern",
      [tools("Bash"), normalizePermission({ bash: { "rm *": "ask" } })],
      "allow: bash; ask: bash(rm *)",
    ],
    [
      "a list and an opened pattern",
      [tools("Bash, Read"), normalizePermission({ bash: { "*": "deny", "git *": "allow" } })],
      "allow: bash(git *) read",
    ],
    [
      "two patterns beside everything else",
      [
        normalizePermission({ bash: { "*": "deny", "git *": "allow" } }),
        normalizePermission({ bash: { "*": "deny", "npm *": "allow" } }),
      ],
      "allow: *; deny: bash",
    ],
    ["a denied whole", [tools("Read"), normalizePermission("deny")], "allow: "],
    ["one unreadable", [tools("Read"), disallowed(5)], "unreadable"],
  ])("%s", (_, results, expected) => {
    expect(describeResult(combineTools(...results))).toBe(expected);
    expect(describeResult(combineTools(...results.toReversed()))).toBe(expected);
  });

  test("keep every diagnostic", () => {
    const both = combineTools(tools("bash"), disallowed(5));
    expect(both.diagnostics.map(({ code }) => code)).toEqual(["tool-name-case", "tools-unparsable"]);
  });
});

describe("whether a tool may be used", () => {
  test.each([
    [{}, "bash", true],
    [{ allow: [] }, "bash", false],
    [{ allow: [{ tool: "bash", pattern: "git:*" }] }, "bash", true],
    [{ allow: [{ tool: "bash" }], deny: [{ tool: "bash" }] }, "bash", false],
    [{ deny: [{ tool: "bash", pattern: "rm:*" }] }, "bash", true],
    [{ deny: [{ tool: "bash", pattern: "rm:*" }], allow: [] }, "bash", false],
    [{ allow: [], ask: [{ tool: "bash" }] }, "bash", true],
    [{ allow: [{ tool: "github/*" }] }, "github/search", true],
    [{ deny: [{ tool: "linear_*" }] }, "linear_create", false],
  ])("%j, %s: %p", (restrictions, tool, expected) => {
    expect(mayUseTool(restrictions, tool)).toBe(expected);
  });

  test.each([
    ["*", "anything", true],
    ["web*", "webfetch", true],
    ["web*", "web", true],
    ["web*", "we", false],
    ["*fetch", "webfetch", true],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "axxbyy", false],
    ["a*a", "a", false],
    ["?ash", "bash", true],
    ["?ash", "ash", false],
    ["b.sh", "bash", false],
    ["", "bash", false],
    ["*?", "", false],
  ])("%s covers %s: %p", (pattern, tool, expected) => {
    expect(matchesWildcard(pattern, tool)).toBe(expected);
  });

  test("a name made of stars is matched quickly", () => {
    expect(matchesWildcard(`${"*a".repeat(5_000)}b`, "a".repeat(10_000))).toBe(false);
  });
});
