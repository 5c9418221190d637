// How tools are called by those who have them.
import { describe, expect, test } from "bun:test";
import * as claude from "../../src/hosts/claude/tools.ts";
import * as copilot from "../../src/hosts/copilot/tools.ts";
import { isInside, staysInside } from "../../src/hosts/own-files.ts";

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

  test("is not offered what a rule for OpenCode denies of its servers", () => {
    const deny = ["github_*", "lake_catch_fish", "git*"];
    expect(claude.toolOptions({ deny }).disallowedTools).toEqual([
      "AskUserQuestion",
      "mcp__github",
      "mcp__lake__catch_fish",
      "mcp__lake_catch__fish",
      "git*",
    ]);
  });

  test("has all tools by default except the one for questions, which no one could answer", () => {
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

  test("is not offered what a rule for OpenCode denies of its servers", () => {
    const { excludedTools } = copilot.toolOptions({ deny: ["lake_catch_fish", "write"] });
    expect(excludedTools).toEqual(["lake_catch_fish", "lake-catch_fish", "lake_catch-fish", "create"]);
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
  ])("%j asks to use %s", (request, tool, detail) => {
    expect(copilot.permissionTool(request, new Map([["c1", "write"]]))).toBe(tool);
    expect(copilot.permissionDetail(request)).toContain(detail);
  });

  test.each([
    [{ toolName: "bash", toolArgs: { command: "ls" } }, "bash", "ls"],
    [{ toolName: "write_bash", toolArgs: { shellId: "0", input: "rm a{enter}" } }, "bash", "rm a{enter}"],
    [{ toolName: "create", toolArgs: { path: "/a", file_text: "" } }, "write", "/a"],
    [{ toolName: "fish", toolArgs: { depth: 3 } }, "fish", '{"depth":3}'],
  ])("a hook that stops %j leads to a request to use %s", (call, tool, detail) => {
    const request = { kind: "hook", toolCallId: "c1", ...call };
    expect(copilot.permissionTool(request, new Map())).toBe(tool);
    expect(copilot.permissionDetail(request)).toBe(detail);
  });

  test("asks for everything except looking around in its folder", async () => {
    const asked = async (toolName: string, toolArgs: object) =>
      (await copilot.askFirst({ toolName, toolArgs }, "/nowhere"))?.permissionDecision;
    expect(await asked("view", { path: "/nowhere/a.ts" })).toBeUndefined();
    expect(await asked("view", { path: "/elsewhere/a.ts" })).toBe("ask");
    expect(await asked("grep", { pattern: "/elsewhere", paths: ["src", "/elsewhere"] })).toBe("ask");
    expect(await asked("grep", { pattern: "/elsewhere", paths: ["src"] })).toBeUndefined();
    expect(await asked("write_bash", { shellId: "0", input: "ls" })).toBe("ask");
    expect(await asked("github-list", {})).toBe("ask");
  });
});

describe("a place in /nowhere", () => {
  test.each([
    ["/nowhere/src/a.ts", true],
    ["/nowhere", true],
    ["src/a.ts", true],
    ["/nowhere/..config", true],
    ["/nowhere-else/a.ts", false],
    ["/nowhere/../etc/passwd", false],
    ["../*", false],
    ["~/.ssh/id", false],
  ])("%s is of it: %p", async (path, isOwn) => {
    expect(await isInside("/nowhere", path)).toBe(isOwn);
  });

  test("may be named by a pattern of files, not by a text that is looked for", async () => {
    expect(await staysInside("/nowhere", "glob", { pattern: "/etc/*" })).toBe(false);
    expect(await staysInside("/nowhere", "grep", { pattern: "/etc/*" })).toBe(true);
    expect(await staysInside("/nowhere", "read", { file_path: 3 })).toBe(false);
  });
});
