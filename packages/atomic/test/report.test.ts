import { describe, expect, test } from "bun:test";
import { describeRestrictions } from "../src/commands/which.ts";
import { countDiagnostics, formatDiagnostic, inOrder } from "../src/report/diagnostics.ts";
import { shortPath } from "../src/report/path.ts";
import { atomic } from "./atomic.ts";
import { sampleProject } from "./sample.ts";

const where = { cwd: "/home/me/project/src", project: "/home/me/project", home: "/home/me" };
const plain = { colour: false };

test.each([
  ["/home/me/project/src/x.md", "x.md"],
  ["/home/me/project/src", "."],
  ["/home/me/project/.claude/x.md", "../.claude/x.md"],
  ["/home/me/.claude/x.md", "~/.claude/x.md"],
  ["/home/me/project-2/x.md", "~/project-2/x.md"],
  ["/etc/x.md", "/etc/x.md"],
  ["/home/me/project/..odd", "../..odd"],
])("%s is written as %s", (path, expected) => {
  expect(shortPath(path, where)).toBe(expected);
});

test.each([
  [{}, "all"],
  [{ allow: [] }, "none"],
  [{ allow: [{ tool: "read" }, { tool: "bash", pattern: "git:*" }] }, "only read, bash(git:*)"],
  [{ deny: [{ tool: "edit" }], ask: [{ tool: "bash" }] }, "after asking bash; never edit"],
  [{ allow: [{ tool: "read" }], ask: [{ tool: "bash" }] }, "only read; after asking bash"],
])("the restriction %j reads %s", (restrictions, expected) => {
  expect(describeRestrictions(restrictions)).toBe(expected);
});

describe("a diagnostic", () => {
  const problem = {
    severity: "error",
    code: "some-code",
    message: "It is wrong.",
    path: "/home/me/project/a.md",
  } as const;
  test.each([
    [{ ...problem, line: 3, column: 7, hint: "Do it." }, "../a.md:3:7: error: It is wrong. [some-code]\n  Do it.\n"],
    [{ ...problem, line: 3 }, "../a.md:3: error: It is wrong. [some-code]\n"],
    [problem, "../a.md: error: It is wrong. [some-code]\n"],
    [{ severity: "info", code: "c", message: "Two\nlines" } as const, "info: Two lines [c]\n"],
  ])("%j is one line and its hint", (diagnostic, expected) => {
    expect(formatDiagnostic(diagnostic, where, plain)).toBe(expected);
  });

  test("an error is wrapped where lines are cut", async () => {
    await using project = await sampleProject();
    const { stderr } = await atomic(project, ["tasks", "a-file-that-is/not/there.json"], { columns: 40 });
    expect(stderr).toStartWith("atomic: ");
    expect(stderr.trimEnd().split("\n").length).toBeGreaterThan(1);
    for (const line of stderr.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
  });

  test("has its severity's color", () => {
    expect(formatDiagnostic(problem, where, { colour: true })).toContain("\x1b[31merror\x1b[39m: ");
    expect(formatDiagnostic({ ...problem, severity: "warning" }, where, { colour: true })).toContain("\x1b[33mwarning");
  });

  test("is listed with the others of its file, from top to bottom", () => {
    const at = (path: string, line?: number, column?: number) => ({
      ...problem,
      path,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    });
    const mixed = [at("b", 2, 1), at("a", 1), at("b", 1, 9), at("b", 1, 2), at("b")];
    expect(inOrder(mixed)).toEqual([at("b"), at("b", 1, 2), at("b", 1, 9), at("b", 2, 1), at("a", 1)]);
  });

  test("counts with others of its severity", () => {
    const of = (severity: "error" | "warning" | "info") => ({ ...problem, severity });
    expect(countDiagnostics([of("warning"), of("error"), of("warning"), of("info")])).toBe(
      "1 error, 2 warnings, 1 note",
    );
    expect(countDiagnostics([])).toBe("");
  });
});
