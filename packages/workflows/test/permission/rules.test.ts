import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import { isWider, widerPermissions } from "../../src/permission/compare.ts";
import { decide, settingFor } from "../../src/permission/fold.ts";
import { inheritedRules, mergeGeneralKeys, mergePermission } from "../../src/permission/layers.ts";
import { agentPermission, type Permission, readPermission, rulesOf } from "../../src/permission/rules.ts";
import { matchesWildcard } from "../../src/permission/wildcard.ts";

test.each([
  ["git push *", "git push", true],
  ["git push *", "git push origin", true],
  ["git push *", "git pushing", false],
  ["git push*", "git push", true],
  ["git *", "git", true],
  ["git **", "git", false],
  ["*", "", true],
  [" *", "", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["src/*", "src\\a.ts", true],
  ["src\\*", "src/a.ts", true],
  ["*.env", "a\n.env", true],
  ["a.c", "abc", false],
  ["[a]", "a", false],
  ["GIT *", "git push", process.platform === "win32"],
])("%j on %j: %p", (wildcard, text, expected) => {
  expect(matchesWildcard(wildcard, text)).toBe(expected);
});

describe("what an agent's keys say", () => {
  test("switches become permissions, and a permission takes the place of its switch", () => {
    const permission = agentPermission({
      tools: { write: false, bash: true, "*": false },
      permission: { bash: "ask" },
    });
    expect(Object.entries(permission)).toEqual([
      ["edit", "deny"],
      ["bash", "ask"],
      ["*", "deny"],
    ]);
    expect(decide(rulesOf(permission), "bash", "ls")).toBe("deny");
  });

  test("one action is for everything", () => {
    expect(decide(rulesOf(readPermission("ask")), "bash", "ls")).toBe("ask");
  });

  test.each(["~/secret/*", "$HOME/secret/*"])("%s is below the home folder", (pattern) => {
    const rules = rulesOf({ read: { [pattern]: "deny" } });
    expect(decide(rules, "read", `${homedir()}/secret/key`)).toBe("deny");
  });
});

describe("wider", () => {
  test.each<[before: Permission, after: Permission, wider: string[]]>([
    [{ bash: { "git push *": "deny" } }, { bash: { "git push ?*": "deny" } }, ["bash"]],
    [{ bash: { "git push ?*": "deny" } }, { bash: { "git push *": "deny" } }, []],
    [{ bash: "ask" }, { bash: "allow" }, ["bash"]],
    [{ bash: "allow" }, { bash: "ask" }, []],
    [{ "*": "deny", read: "allow" }, { "*": "deny", read: "allow", "e*": "ask" }, ["e*", "edit", "external_directory"]],
  ])("%j to %j", (before, after, wider) => {
    expect(widerPermissions(rulesOf(before), rulesOf(after))).toEqual(wider);
  });

  test("more patterns than anyone writes count as wider", () => {
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`c${i}`, "deny"] as const));
    const after = { ...many, c0: "ask" } as const;
    const settings = [many, after].map((bash) => settingFor("bash", rulesOf({ bash })));
    expect(isWider(settings[1]!, settings[0]!)).toBe(true);
  });
});

describe("config files together", () => {
  test("a later value replaces an earlier one in its position, and switches come first", () => {
    const merged = mergeGeneralKeys([
      { tools: { webfetch: false }, permission: { bash: "deny", "*": "ask" } },
      { tools: { write: false }, permission: { bash: { "git *": "allow" } } },
      { permission: { bash: { "ls *": "allow" } } },
    ]);
    expect(Object.entries(merged)).toEqual([
      ["webfetch", "deny"],
      ["edit", "deny"],
      ["bash", { "git *": "allow", "ls *": "allow" }],
      ["*", "ask"],
    ]);
  });

  test("an action in place of patterns drops them", () => {
    expect(mergePermission({ bash: { "git *": "allow" } }, { bash: "deny" })).toEqual({ bash: "deny" });
  });

  test("an agent named like a built-in one inherits its rules, then the user's", () => {
    expect(decide(inheritedRules("plan", {}), "edit", "src/a.ts")).toBe("deny");
    expect(decide(inheritedRules("plan", { edit: "ask" }), "edit", "src/a.ts")).toBe("ask");
    expect(decide(inheritedRules("explore", {}), "task", "general")).toBe("deny");
    expect(decide(inheritedRules("reviewer", { bash: "deny" }), "bash", "ls")).toBe("deny");
    expect(decide(inheritedRules("reviewer", {}), "bash", "ls")).toBe("allow");
  });
});
