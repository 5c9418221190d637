// How tools are called by those who have them.
import { describe, expect, test } from "bun:test";
import * as claude from "../../src/hosts/claude/tools.ts";
import * as copilot from "../../src/hosts/copilot/tools.ts";

describe("Claude", () => {
  test.each([
    ["Bash", "bash"],
    ["Task", "task"],
    ["Agent", "task"],
    ["mcp__github__list_issues", "github/list_issues"],
    ["ReportFindings", "ReportFindings"],
  ])("calls %s what we call %s", (name, canonical) => {
    expect(claude.canonicalTool(name)).toBe(canonical);
  });

  test("gets its own names, and no server whose tools are not named", () => {
    expect(claude.toolOptions({ tools: ["read", "webfetch"] })).toEqual({
      tools: ["Read", "WebFetch"],
      strictMcpConfig: true,
      disallowedTools: [],
    });
    expect(claude.toolOptions({ tools: ["read", "github/list"], deny: ["github/*", "lake/fish"] })).toEqual({
      tools: ["Read"],
      strictMcpConfig: false,
      disallowedTools: ["mcp__github", "mcp__lake__fish"],
    });
  });

  test("has all tools by default, save the one for questions that nobody would hear", () => {
    expect(claude.toolOptions({ deny: ["bash"] })).toEqual({ disallowedTools: ["AskUserQuestion", "Bash"] });
  });

  test("may use what is named, and what is named by its server", () => {
    expect(["bash", "github/list", "lake/fish"].map((tool) => claude.isAllowed(tool, ["bash", "github/*"]))).toEqual([
      true,
      true,
      false,
    ]);
    expect(claude.isAllowed("anything", undefined)).toBe(true);
  });

  test.each([
    [{ command: "ls", description: "List" }, "ls"],
    [{ file_path: "/a/b", content: "text" }, "/a/b"],
    [{ url: "http://localhost" }, "http://localhost"],
    [{ depth: 3 }, '{"depth":3}'],
  ])("%j is about %s", (input, detail) => {
    expect(claude.detailOf(input)).toBe(detail);
  });
});

describe("Copilot", () => {
  test.each([
    [{ toolName: "create" }, "write"],
    [{ toolName: "view" }, "read"],
    [{ toolName: "grep" }, "grep"],
    [{ toolName: "github-list", mcpServerName: "github", mcpToolName: "list" }, "github/list"],
    [{ toolName: "sql" }, "sql"],
  ])("calls %j what we call %s", (data, canonical) => {
    expect(copilot.canonicalTool(data)).toBe(canonical);
  });

  test("gets its own names, with those that help", () => {
    expect(copilot.toolOptions({ tools: ["read", "grep", "github/list"], deny: ["write"] })).toEqual({
      availableTools: ["view", "grep", "github-list"],
      excludedTools: ["create"],
    });
    expect(copilot.toolOptions({ tools: ["bash"] }).availableTools).toContain("stop_bash");
    expect(copilot.toolOptions({})).toEqual({});
  });

  test.each([
    [{ kind: "write", toolCallId: "c1", fileName: "/a" }, "write", "/a"],
    [{ kind: "write", fileName: "/a" }, "edit", "/a"],
    [{ kind: "shell", fullCommandText: "ls" }, "bash", "ls"],
    [{ kind: "mcp", serverName: "github", toolName: "list" }, "github/list", ""],
    [{ kind: "custom-tool", toolName: "fish", intention: "to fish" }, "fish", "to fish"],
  ])("%j is a wish to use %s", (request, tool, detail) => {
    expect(copilot.permissionTool(request, new Map([["c1", "write"]]))).toBe(tool);
    expect(copilot.permissionDetail(request)).toContain(detail);
  });

  test.each([
    ["/work/src/a.ts", true],
    ["/work", true],
    ["/work/..config", true],
    ["/working/a.ts", false],
    ["/work/../etc/passwd", false],
  ])("to read %s in /work is a matter of course: %p", (path, isOwn) => {
    expect(copilot.isOwnFile({ kind: "read", path }, "/work")).toBe(isOwn);
    expect(copilot.isOwnFile({ kind: "write", path }, "/work")).toBe(false);
  });
});
