import { expect, test } from "bun:test";
import fc from "fast-check";
import { capPermission, layerPermission } from "../../src/permission/layers.ts";
import { type Action, type Permission, readPermission } from "../../src/permission/rules.ts";
import { matchesWildcard } from "../../src/permission/wildcard.ts";

const width = { deny: 0, ask: 1, allow: 2 };

/** What OpenCode decides: all rules in order, the last that matches wins. */
function decide(tool: string, input: string, ...layers: readonly Permission[]): Action {
  let decided: Action = "allow";
  for (const [permission, setting] of layers.flatMap((layer) => Object.entries(layer))) {
    const patterns = typeof setting === "string" ? [["*", setting] as const] : Object.entries(setting);
    for (const [pattern, action] of patterns)
      if (matchesWildcard(permission, tool) && matchesWildcard(pattern, input)) decided = action;
  }
  return decided;
}

test.each<[under: Permission, over: Permission, layered: [string, Permission[string]][]]>([
  [{ edit: "deny" }, {}, [["edit", "deny"]]],
  [{ edit: "deny" }, { edit: "allow" }, [["edit", "allow"]]],
  // The user's wildcard comes after, so that it has the last word.
  [
    { "*": "deny", edit: "deny" },
    { "*": "allow" },
    [
      ["edit", "deny"],
      ["*", "allow"],
    ],
  ],
  [
    { bash: { "*": "deny", "git *": "allow" } },
    { bash: { "npm *": "allow" } },
    [["bash", { "*": "deny", "git *": "allow", "npm *": "allow" }]],
  ],
  [{ bash: "deny" }, { bash: { "npm *": "allow" } }, [["bash", { "*": "deny", "npm *": "allow" }]]],
  // What a later wildcard of the workflow has closed stays closed when the user adds to the key.
  [
    { bash: { "git *": "allow" }, "*": "deny" },
    { bash: { "npm *": "allow" } },
    [
      ["*", "deny"],
      ["bash", { "*": "deny", "npm *": "allow" }],
    ],
  ],
  // Patterns behind a wildcard open nothing that another one closes.
  [
    { "*": "allow", "github_*": "deny" },
    { "git*": { secret: "deny" } },
    [
      ["*", "allow"],
      ["github_*", "deny"],
      ["git*", { secret: "deny" }],
    ],
  ],
  // A key stands in one place only, so that the user's is written with another star.
  [
    { "git*": "ask", "github_*": "allow" },
    { "git*": { secret: "deny" } },
    [
      ["git*", "ask"],
      ["github_*", "allow"],
      ["git**", { secret: "deny" }],
    ],
  ],
  [
    { "*": "allow", "?ash": { "a*": "ask" }, edit: "deny" },
    { "?ash": { b: "allow" } },
    [
      ["*", "allow"],
      ["edit", "deny"],
      ["?ash", { "a*": "deny", b: "deny" }],
    ],
  ],
])("%j under %j", (under, over, layered) => {
  expect(Object.entries(layerPermission(under, over))).toEqual(layered);
});

test.each<[rules: Permission, limit: Permission, capped: [string, Permission[string]][]]>([
  [{ bash: "allow" }, {}, [["bash", "allow"]]],
  [{ bash: "allow" }, { bash: "ask" }, [["bash", "ask"]]],
  [{ bash: "allow" }, { "*": "deny" }, [["bash", "deny"]]],
  [{ bash: "deny" }, { bash: "allow" }, [["bash", "deny"]]],
  [
    { "*": "allow" },
    { bash: "ask" },
    [
      ["*", "allow"],
      ["bash", "ask"],
    ],
  ],
  [
    { "*": "deny", read: "allow" },
    { read: { "*": "allow", "*.env": "ask" } },
    [
      ["*", "deny"],
      ["read", { "*": "allow", "*.env": "ask" }],
    ],
  ],
  [
    { bash: { "*": "deny", "git *": "allow" } },
    { bash: { "*": "ask", "git push*": "deny" } },
    [["bash", { "*": "deny", "git *": "ask", "git push*": "deny" }]],
  ],
  [
    { "linear_*": "allow" },
    { "*_delete": "deny" },
    [
      ["linear_*", "allow"],
      ["*_delete", "deny"],
    ],
  ],
  [{ edit: "deny" }, { bash: "ask" }, [["edit", "deny"]]],
  // A rule for `42` would come before `*`, and never count.
  [{ bash: "allow" }, { bash: "ask", "*": { "42": "deny" } }, [["bash", { "*": "ask", "42*": "deny" }]]],
])("%j for a user who says %j", (rules, limit, capped) => {
  expect(Object.entries(capPermission(rules, limit))).toEqual(capped);
});

const actions = fc.constantFrom<Action>("allow", "ask", "deny");
// An object has keys like `1` first, whatever the order in which they were written.
const patterns = fc.constantFrom("*", "a*", "*b", "ab", "a", "b", "1");
const permissions: fc.Arbitrary<Permission> = fc.dictionary(
  fc.constantFrom("*", "**", "x", "y", "x*", "*z", "?z", "xz", "7"),
  fc.oneof(actions, fc.dictionary(patterns, actions, { noNullPrototype: true })),
  { noNullPrototype: true },
);

test("a workflow's rules are never wider than the user's general ones, nor than they were", () => {
  fc.assert(
    fc.property(permissions, permissions, (rules, user) => {
      const capped = capPermission(rules, user);
      for (const tool of ["x", "y", "z", "xz", "xy", "7"])
        for (const input of ["a", "b", "ab", "abb", "c", "1"]) {
          const now = width[decide(tool, input, user, capped)];
          expect(now).toBeLessThanOrEqual(width[decide(tool, input, user)]);
          expect(now).toBeLessThanOrEqual(width[decide(tool, input, user, rules)]);
        }
    }),
    { numRuns: 5_000 },
  );
});

test("the rules of the user's agent override all others", () => {
  fc.assert(
    fc.property(permissions, permissions, (under, given) => {
      // Patterns below a wildcard without a star are the one thing that may end up narrower.
      const over = Object.fromEntries(
        Object.entries(given).filter(([key, setting]) => typeof setting === "string" || key !== "?z"),
      );
      const layered = layerPermission(under, over);
      for (const tool of ["x", "y", "xz", "7"])
        for (const input of ["a", "ab", "c", "1"]) {
          const [silent, loud] = ["deny", "allow"].map((action) =>
            decide(tool, input, { "*": action as Action }, over),
          );
          // Where the user says something, that counts, whatever is below.
          const now = decide(tool, input, layered);
          if (silent !== loud) continue;
          if (tool === "7" || input === "1") expect(width[now]).toBeLessThanOrEqual(width[loud as Action]);
          else expect(now).toBe(loud as Action);
        }
    }),
    { numRuns: 5_000 },
  );
});

test("two merged layers decide like one after the other, and never allow more", () => {
  fc.assert(
    fc.property(permissions, permissions, (under, over) => {
      const layered = layerPermission(under, over);
      const keys = [under, over].flatMap((each) => Object.entries(each).flat());
      const isExact = !/"(?:\d|\?z)/.test(JSON.stringify(keys));
      for (const tool of ["x", "y", "z", "xz", "xy", "7"])
        for (const input of ["a", "b", "ab", "abb", "c", "1"]) {
          const [now, meant] = [decide(tool, input, layered), decide(tool, input, under, over)];
          if (isExact) expect(now).toBe(meant);
          else expect(width[now]).toBeLessThanOrEqual(width[meant]);
        }
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["deny", { "*": "deny" }],
  [undefined, {}],
  ["never", {}],
  [
    { bash: "allow", edit: "no", read: { "*": "deny" } },
    { bash: "allow", read: { "*": "deny" } },
  ],
])("%j of another plugin is read as %j", (value, permission) => {
  expect(readPermission(value)).toEqual(permission as Permission);
});
