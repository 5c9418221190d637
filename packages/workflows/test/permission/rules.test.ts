import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import fc from "fast-check";
import { isWider, widerPermissions } from "../../src/permission/compare.ts";
import { decide } from "../../src/permission/decide.ts";
import { inheritedRules, mergeGeneralKeys, mergePermission } from "../../src/permission/layers.ts";
import {
  type Action,
  agentPermission,
  type Permission,
  readPermission,
  rulesOf,
  settingFor,
  width,
} from "../../src/permission/rules.ts";
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
  test("switches become permissions, and a permission replaces its switch", () => {
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
    [
      { bash: { "*": "allow", "git push*": "deny" } },
      { bash: { "*": "allow", "git push*": "deny", "git pus? --force": "allow" } },
      ["bash"],
    ],
    [
      { bash: { "*": "ask", "a*a *": "deny", "a a*": "allow" } },
      { bash: { "*": "ask", "a*a *": "deny", "a a*": "allow", "a *": "ask" } },
      ["bash"],
    ],
    [
      { read: { "*": "allow", [`${homedir()}/*`]: "deny" } },
      { read: { "*": "allow", [`${homedir()}/*`]: "deny", "~/.ssh/*": "allow" } },
      ["read"],
    ],
    // No name stands for what two wildcards have in common.
    [{ "*_push": "deny" }, { "*_push": "deny", "github_*": "allow" }, ["github_push"]],
    [{ "*_push": "deny" }, { "*_push": "deny", "github_*": "ask" }, ["github_push"]],
    [{ "*_push": "ask" }, { "*_push": "ask", "github_*": "deny" }, []],
  ])("%j to %j", (before, after, wider) => {
    expect(widerPermissions(rulesOf(before), rulesOf(after))).toEqual(wider);
  });

  test("too many rules to tell count as wider", () => {
    // Where it ends depends on each of the last forty characters.
    const [before, after] = [{ [`*a${"?".repeat(40)}b`]: "ask" }, { [`*a${"?".repeat(40)}b`]: "deny" }] as const;
    const settings = [after, before].map((bash) => settingFor("bash", rulesOf({ bash })));
    expect(isWider(settings[1]!, settings[0]!)).toBe(true);
  });

  test("a thousand commands are not too many", () => {
    const many = Object.fromEntries(Array.from({ length: 990 }, (_, i) => [`tool${i} run *`, "allow"] as const));
    const [before, after] = [
      { "*": "deny", ...many } as const,
      { "*": "deny", ...many, "tool7 run *": "ask" } as const,
    ];
    const settings = [before, after].map((bash) => settingFor("bash", rulesOf({ bash })));
    expect(isWider(settings[0]!, settings[1]!)).toBe(false);
    expect(isWider(settings[1]!, settings[0]!)).toBe(true);
  });

  test("it is exactly what every short text shows", () => {
    const token = fc.constantFrom("a", "b", " ", "*", "*", "?", " *");
    const pattern = fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => tokens.join(""));
    const action = fc.constantFrom<Action>("allow", "ask", "deny");
    const rules = fc.array(fc.record({ permission: fc.constant("bash"), pattern, action }), { maxLength: 3 });
    const texts = [""];
    for (const text of texts) if (text.length < 6) texts.push(...["a", "b", " ", "c"].map((letter) => text + letter));
    fc.assert(
      fc.property(rules, rules, fc.boolean(), (before, more, isAdded) => {
        const after = isAdded ? [...before, ...more] : more;
        const shown = texts.find((text) => width[decide(after, "bash", text)] > width[decide(before, "bash", text)]);
        const found = isWider(settingFor("bash", before), settingFor("bash", after));
        expect({ found, shown: shown !== undefined }).toEqual({ found, shown: found });
      }),
      { numRuns: 400 },
    );
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

  test("an action replaces patterns", () => {
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
