import { describe, expect, test } from "bun:test";
import type { Restrictions } from "../../src/entity.ts";
import { decidePermission, deniedTools, type PermissionLayers } from "../../src/hosts/permission-policy.ts";

const bash = (detail: string) => ({ tool: "bash", detail });

test.each<[string, PermissionLayers, string, string]>([
  ["nobody says anything: a person is asked", {}, "bash", "ask"],
  ["the user's one answer is for everything", { user: "allow" }, "bash", "allow"],
  ["a tool by its name", { user: { bash: "deny", "*": "allow" } }, "bash", "deny"],
  ["a star for all that is not named", { user: { bash: "deny", "*": "allow" } }, "write", "allow"],
  ["what nobody names, without a star", { user: { bash: "deny" } }, "write", "ask"],
  ["a wildcard", { user: { "github/*": "deny", "*": "allow" } }, "github/merge", "deny"],
  ["the name before any wildcard", { user: { "git*": "deny", github: "allow" } }, "github", "allow"],
  ["the longer wildcard", { user: { "github/*": "allow", "git*": "deny" } }, "github/merge", "allow"],
  ["a node may allow what the user does not mention", { user: { bash: "deny" }, node: "allow" }, "write", "allow"],
  ["a node cannot allow what the user denies", { user: { bash: "deny" }, node: "allow" }, "bash", "deny"],
  ["a node cannot allow what the user wants to be asked", { user: "ask", node: { bash: "allow" } }, "bash", "ask"],
  ["a node can be stricter", { user: "allow", node: { bash: "deny" } }, "bash", "deny"],
  ["names of what every object has are no answers", { user: { bash: "allow" } }, "constructor", "ask"],
])("%s", (_name, layers, tool, expected) => {
  expect(decidePermission(layers, { tool, detail: "" })).toBe(expected as "ask");
});

describe("a file takes away, and gives nothing:", () => {
  test.each<[string, Restrictions, { tool: string; detail: string }, string]>([
    ["nothing is said", {}, bash("ls"), "allow"],
    ["a tool that is not on its list", { allow: [{ tool: "read" }] }, bash("ls"), "deny"],
    ["an empty list", { allow: [] }, bash("ls"), "deny"],
    ["a tool on its list", { allow: [{ tool: "bash" }] }, bash("ls"), "allow"],
    ["a command that fits", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git status"), "allow"],
    ["the bare command", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git"), "allow"],
    ["another command with that beginning", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("gitk"), "deny"],
    ["a second command behind it", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git x && rm y"), "deny"],
    ["two that fit", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git x; git y"), "allow"],
    ["a command inside of it", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git log $(rm y)"), "deny"],
    ["a command on a second line", { allow: [{ tool: "bash", pattern: "git*" }] }, bash("git x\nrm y"), "deny"],
    ["a denied command among others", { deny: [{ tool: "bash", pattern: "rm *" }] }, bash("ls && rm x"), "deny"],
    ["a denied tool", { deny: [{ tool: "bash" }] }, bash("ls"), "deny"],
    ["to ask about a tool", { ask: [{ tool: "bash" }] }, bash("ls"), "ask"],
    ["to ask about all, but not this", { ask: [{ tool: "*" }], allow: [{ tool: "bash" }] }, bash("ls"), "allow"],
    ["both alike", { ask: [{ tool: "bash" }], allow: [{ tool: "bash" }] }, bash("ls"), "ask"],
    [
      "a path below a folder",
      { allow: [{ tool: "edit", pattern: "src/**" }] },
      { tool: "edit", detail: "/p/src/a.ts" },
      "allow",
    ],
    [
      "a path elsewhere",
      { allow: [{ tool: "edit", pattern: "src/**" }] },
      { tool: "edit", detail: "/p/lib/a.ts" },
      "deny",
    ],
  ])("%s", (_name, file, wish, expected) => {
    expect(decidePermission({ user: "allow", file }, wish)).toBe(expected as "ask");
  });

  test("what it allows still has to be allowed by the user", () => {
    expect(decidePermission({ file: { allow: [{ tool: "bash" }] } }, bash("ls"))).toBe("ask");
  });
});

test("tools that are denied in any case are known beforehand", () => {
  const file = { deny: [{ tool: "webfetch" }, { tool: "bash", pattern: "rm *" }] };
  const layers: PermissionLayers = { user: { bash: "deny", "*": "deny", read: "allow" }, node: { task: "deny" }, file };
  expect(deniedTools(layers)).toEqual(["bash", "task", "webfetch"]);
  expect(deniedTools({ user: "deny" })).toEqual([]);
});
