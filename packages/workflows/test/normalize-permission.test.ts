import { describe, expect, test } from "bun:test";
import type { ToolRule } from "../src/entities/entity.ts";
import { normalizePermission } from "../src/entities/normalize/permission.ts";
import { mayUseTool } from "../src/entities/normalize/restrictions.ts";
import { decidePermission } from "../src/hosts/permission-policy.ts";

const short = (rules: readonly ToolRule[] | undefined): string | undefined =>
  rules?.map(({ tool, pattern }) => (pattern === undefined ? tool : `${tool}(${pattern})`)).join(", ");

describe("OpenCode's permission", () => {
  test.each([
    ["allow", "allow", {}],
    ["deny", "deny", { allow: "" }],
    ["ask", "ask", { allow: "", ask: "*" }],
    ["an empty map", {}, {}],
    ["only allow", { bash: "allow", edit: "allow" }, {}],
    ["one denied", { webfetch: "deny" }, { deny: "webfetch" }],
    ["edit governs three tools", { edit: "deny" }, { deny: "edit, write, patch" }],
    ["a wildcard that covers edit", { "edit*": "deny" }, { deny: "edit*, edit, write, patch" }],
    ["a wildcard that covers edit, asking", { "e*": "ask" }, { ask: "e*, edit, write, patch" }],
    ["a wildcard of one character", { "ed?t": "deny" }, { deny: "ed?t, edit, write, patch" }],
    ["a wildcard with patterns", { "edit*": { "*": "deny" } }, { deny: "edit*, edit, write, patch" }],
    [
      "a wildcard that covers write, but not edit",
      { "*": "deny", "wr*": "allow" },
      { allow: "wr*", deny: "edit, write, patch" },
    ],
    ["one asked", { bash: "ask" }, { ask: "bash" }],
    ["all but one denied", { "*": "deny", bash: "allow" }, { allow: "bash" }],
    ["all denied in the end", { bash: "allow", "*": "deny" }, { allow: "", deny: "bash" }],
    ["a pattern denied", { bash: { "rm *": "deny" } }, { deny: "bash(rm *)" }],
    ["only a pattern allowed", { bash: { "*": "deny", "git *": "allow" } }, { allow: "*, bash(git *)" }],
    [
      "a pattern that a wider one closes again",
      { bash: { "*": "deny", "git push": "allow", "git *": "deny" } },
      { allow: "*, bash(git push)", deny: "bash(git *)" },
    ],
    [
      "a pattern in a closed wider one",
      { bash: { "*": "deny", "git *": "deny", "git push": "allow" } },
      { allow: "*, bash(git push)" },
    ],
    ["a pattern that the last rule undoes", { bash: { "git *": "allow", "*": "deny" } }, { deny: "bash" }],
    [
      "three actions for one tool",
      { bash: { "*": "ask", "git *": "allow", "rm *": "deny" } },
      { allow: "*, bash(git *)", ask: "bash", deny: "bash(rm *)" },
    ],
    ["the same pattern twice over", { bash: { "a *": "deny", "b *": "ask" } }, { deny: "bash(a *)", ask: "bash(b *)" }],
    ["a wildcard for names", { "linear_*": "deny" }, { deny: "linear_*" }],
    ["a wildcard after a name", { webfetch: "allow", "web*": "deny" }, { deny: "webfetch, web*" }],
    ["a custom tool", { "*": "deny", my_tool: "ask" }, { allow: "", ask: "my_tool" }],
    [
      "keys that are not tools",
      { external_directory: "ask", doom_loop: "deny" },
      { ask: "external_directory", deny: "doom_loop" },
    ],
    ["a tool opened for a pattern only", { "*": "deny", task: { "worker-*": "allow" } }, { allow: "task(worker-*)" }],
  ])("%s", (_, value, expected: { allow?: string; ask?: string; deny?: string }) => {
    const result = normalizePermission(value);
    const { allow, ask, deny } = result.kind === "restricted" ? result.restrictions : {};
    expect({ allow: short(allow), ask: short(ask), deny: short(deny) }).toEqual({
      allow: undefined,
      ask: undefined,
      deny: undefined,
      ...expected,
    });
    expect(result.kind).toBe(Object.keys(expected).length === 0 ? "unrestricted" : "restricted");
    expect(result.diagnostics).toEqual([]);
  });

  test.each([
    ["write", "deny", { deny: "write" }, "edit"],
    ["write", "ask", {}, "edit"],
    ["write", "allow", {}, "edit"],
    ["patch", "deny", { deny: "patch" }, "edit"],
    ["Bash", "deny", { deny: "bash" }, "bash"],
    ["ls", "deny", { deny: "list" }, "list"],
    ["multiedit", "allow", {}, "edit"],
  ])("%s: %s has no effect in OpenCode, so it may forbid but not allow", (permission, action, expected, instead) => {
    const result = normalizePermission({ [permission]: action });
    const { allow, ask, deny } = result.kind === "restricted" ? result.restrictions : {};
    const found = {
      ...(allow && { allow: short(allow) }),
      ...(ask && { ask: short(ask) }),
      ...(deny && { deny: short(deny) }),
    };
    expect<Record<string, string | undefined>>(found).toEqual(expected);
    expect(result.diagnostics).toMatchObject([{ severity: "warning", code: "permission-ignored" }]);
    expect(result.diagnostics[0]?.message).toBe(`"permission" sets "${permission}", which OpenCode ignores`);
    expect(result.diagnostics[0]?.hint).toBe(`Use "${instead}" instead.`);
  });

  test("a permission without effect opens nothing that is closed", () => {
    for (const setting of ["allow", "ask", { "*": "deny", "docs/*": "allow" }, { "docs/*": "ask" }]) {
      const result = normalizePermission({ "*": "deny", write: setting, Bash: "allow" });
      expect(result.kind === "restricted" && mayUseTool(result.restrictions, "write")).toBe(false);
      expect(result.kind === "restricted" && mayUseTool(result.restrictions, "bash")).toBe(false);
    }
  });

  test("names the remaining tools", () => {
    expect(normalizePermission({ "*": "deny", edit: "allow", bash: "ask" })).toMatchObject({
      tools: ["edit", "write", "patch", "bash"],
    });
    expect(normalizePermission({ bash: { "*": "deny", "git *": "allow" } })).not.toHaveProperty("tools");
  });

  test.each([
    ["nothing", null],
    ["an unknown action", "never"],
    ["true", true],
    ["a list", ["bash"]],
    ["an unknown action for a tool", { bash: "never" }],
    ["a boolean for a tool", { bash: false }],
    ["nothing for a tool", { bash: null }],
    ["an unknown action for a pattern", { bash: { "*": "yes" } }],
    ["a map in a map in a map", { bash: { "*": { "*": "deny" } } }],
    ["a list for a tool", { bash: ["deny"] }],
    ["too many rules", { bash: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`a${i} *`, "allow"])) }],
  ])("with %s cannot be read", (_, value) => {
    expect(normalizePermission(value)).toMatchObject({
      kind: "unreadable",
      diagnostics: [{ severity: "error", code: "tools-unparsable" }],
    });
  });

  test("is not there", () => {
    expect(normalizePermission(undefined)).toEqual({ kind: "unrestricted", diagnostics: [] });
  });
});

test("a colon before the last star is a part of OpenCode's pattern, not Claude's prefix", () => {
  const normal = normalizePermission({ bash: { "npm run test:*": "deny" } });
  const file = normal.kind === "restricted" ? normal.restrictions : {};
  const answer = (detail: string) =>
    decidePermission({ user: "allow", file }, { tool: "bash", detail, folder: "/p", root: "/p" });
  expect(answer("npm run test:unit")).toBe("deny");
  expect(answer("npm run test unit")).toBe("allow");
});
