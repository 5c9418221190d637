import { describe, expect, test } from "bun:test";
import { describeAccess, readAgentAccess, widenedAccess } from "../../src/delivery/translate/agent-access.ts";
import { agent } from "./package-capabilities.ts";

const READ = 'yes, "*.env" asks, "*.env.*" asks, "*.env.example" yes';

describe("what an agent may do", () => {
  test.each([
    ["", "everything: OpenCode's defaults"],
    ["permission: ask\n", "everything: asks"],
    ["permission:\n  bash: deny\n", "bash: no; everything else: OpenCode's defaults"],
    ['permission:\n  "*": deny\n  read: allow\n', "read: yes; everything else: no"],
    ['permission:\n  read: allow\n  "*": deny\n', "read: no; everything else: no"],
    ['permission:\n  "*": allow\n  bash: ask\n', "bash: asks; everything else: yes"],
    ["permission:\n  external_directory: allow\n", "external_directory: yes; everything else: OpenCode's defaults"],
    ["permission:\n  read: {secret: deny}\n", `read: ${READ}, "secret" no; everything else: OpenCode's defaults`],
    [
      "permission:\n  'plan_*': allow\n",
      "plan_*: yes; plan_enter: yes; plan_exit: yes; everything else: OpenCode's defaults",
    ],
    ["permission:\n  write: deny\n", "everything: OpenCode's defaults"],
    ["tools:\n  write: false\n  bash: true\n", "bash: yes; edit: no; everything else: OpenCode's defaults"],
    ['tools:\n  "*": false\n  read: true\n', "read: yes; everything else: no"],
    ["tools:\n  bash: false\npermission:\n  bash: allow\n", "bash: yes; everything else: OpenCode's defaults"],
    ["tools: Read, Bash(git:*)\n", 'bash: no, "git:*" yes; read: yes; everything else: no'],
    ["disallowedTools: Write\n", "edit: no; everything else: OpenCode's defaults"],
    ["disable: true\n", "everything: no"],
    ["permission: [broken\n", "everything: yes"],
    ["permission: 7\n", "everything: OpenCode's defaults"],
    // OpenCode may drop all of it for one key that it cannot read.
    ["permission: deny\noptions: {a: 1, a: 2}\n", "everything: yes"],
  ])("%j: %s", (matter, expected) => {
    expect(describeAccess(readAgentAccess(agent(matter), "a"))).toBe(expected);
  });

  test("also grows with the order of rules", () => {
    const access = (...patterns: string[]) =>
      readAgentAccess(agent(`permission:\n  bash:\n${patterns.map((p) => `    ${p}\n`).join("")}`), "a");
    const [allow, deny] = ['"git *": allow', '"git push*": deny'];
    expect(widenedAccess(access(allow, deny), access(deny, allow))).toHaveLength(1);
    expect(widenedAccess(access(allow, deny), access(allow, deny))).toEqual([]);
    // Not even together with a restriction that draws the eye.
    expect(widenedAccess(access(allow, deny), access(deny, allow, '"rm *": deny'))).toHaveLength(1);
  });

  test.each([
    [
      "an exception to what was denied",
      ['"*": allow', '"rm *": deny'],
      ['"*": allow', '"rm *": deny', '"rm -r*": allow'],
      1,
    ],
    ["a denial that ends earlier", ['"*": allow', '"rm *": deny'], ['"*": allow', '"rm -r*": deny'], 1],
    [
      "a pattern that crosses another",
      ['"*": deny', '"git *": allow', '"* --force": deny'],
      ['"*": deny', '"* --force": deny', '"git *": allow'],
      1,
    ],
    ["a letter that may be any", ['"*": deny', '"git *": allow'], ['"*": deny', '"git *": allow', '"gi? *": allow'], 1],
    ["asking where it was denied", ['"*": deny'], ['"*": deny', '"git *": ask'], 1],
    [
      "many patterns that deny what was denied",
      ['"*": deny', '"x": deny'],
      ['"*": deny', ...Array.from({ length: 50 }, (_, i) => `"y${i}": deny`)],
      0,
    ],
    [
      "a pattern that takes too long to compare",
      ['"*": deny', '"x": deny'],
      ['"*": deny', `"*a${"?".repeat(40)}b": deny`],
      1,
    ],
    [
      "a part of what was allowed",
      ['"*": deny', '"git *": allow'],
      ['"*": deny', '"git *": allow', '"git diff*": allow'],
      0,
    ],
    [
      "another order of what does not meet",
      ['"*": deny', '"a *": allow', '"b *": deny'],
      ['"*": deny', '"b *": deny', '"a *": allow'],
      0,
    ],
    ["a denial more", ['"*": allow', '"rm *": deny'], ['"*": allow', '"rm *": deny', '"dd *": deny'], 0],
  ])("grows or not with %s", (_, before, after, lines) => {
    const access = (patterns: readonly string[]) =>
      readAgentAccess(agent(`permission:\n  bash:\n${patterns.map((p) => `    ${p}\n`).join("")}`), "a");
    expect(widenedAccess(access(before), access(after))).toHaveLength(lines);
  });
});
