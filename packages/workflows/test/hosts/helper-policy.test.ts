import { expect, test } from "bun:test";
import { deniedToHelpers, type PermissionLayers } from "../../src/hosts/permission-policy.ts";

const some = ["*", "bash", "edit", "write", "webfetch", "github/*", "github/merge"];

test.each<[string, PermissionLayers, readonly string[]]>([
  ["nothing is configured", {}, ["*", "bash", "edit", "write", "webfetch"]],
  ["all is allowed", { user: "allow" }, []],
  [
    "all is denied, but not helpers",
    { user: { "*": "deny", task: "allow" } },
    ["*", "bash", "edit", "write", "webfetch"],
  ],
  ["a tool is asked about", { user: { "*": "allow", bash: "ask" } }, ["bash"]],
  ["files must not be edited", { user: { "*": "allow", edit: "deny" } }, ["edit", "write"]],
  [
    "a node wants to be asked",
    { user: "allow", node: { "*": "ask", bash: "allow" } },
    ["*", "edit", "write", "webfetch"],
  ],
  ["one tool of a server is denied", { user: { "*": "allow", "github/merge": "deny" } }, ["github/merge"]],
  ["a server is denied", { user: { "*": "allow", "github/*": "deny" } }, ["github/*"]],
  ["a file denies some commands", { user: "allow", file: { deny: [{ tool: "bash", pattern: "rm:*" }] } }, ["bash"]],
  ["a file asks about some", { user: "allow", file: { ask: [{ tool: "bash", pattern: "rm:*" }] } }, ["bash"]],
  [
    "a file allows some commands",
    { user: "allow", file: { allow: [{ tool: "bash", pattern: "git:*" }, { tool: "edit" }] } },
    ["*", "bash", "write", "webfetch"],
  ],
  [
    "a file allows every tool, but of one only some commands",
    { user: "allow", file: { allow: [{ tool: "*" }, { tool: "bash", pattern: "git *" }] } },
    ["bash"],
  ],
  ["a file denies a tool of a server", { user: "allow", file: { deny: [{ tool: "github/merge" }] } }, ["github/merge"]],
])("%s", (_name, layers, expected) => {
  expect(some.filter((tool) => deniedToHelpers(layers).includes(tool))).toEqual([...expected]);
});
