import { describe, expect, test } from "bun:test";
import type { Provider, ToolRule } from "../src/entities/entity.ts";
import type { NormalizedTools } from "../src/entities/normalize/restrictions.ts";
import { normalizeDisallowedTools, normalizeTools } from "../src/entities/normalize/tools.ts";

const providers: readonly Provider[] = ["claude", "opencode", "copilot", "atomic", "agent-skills", "hugo"];

function allowed(value: unknown, provider: Provider = "claude"): readonly ToolRule[] | string {
  const result = normalizeTools(value, { provider });
  return result.kind === "restricted" ? (result.restrictions.allow ?? "all but some") : result.kind;
}

/** `bash(git:*)` reads better in a table than an object. */
function short(rules: readonly ToolRule[] | string): string {
  if (typeof rules === "string") return rules;
  return rules.map(({ tool, pattern }) => (pattern === undefined ? tool : `${tool}(${pattern})`)).join(" ");
}

function codes(result: NormalizedTools): string[] {
  return result.diagnostics.map(({ code }) => code);
}

describe("a list of tools", () => {
  test.each([
    ['"Bash(git:*), Edit"', "Bash(git:*), Edit", "bash(git:*) edit"],
    ["an array", ["bash", "edit"], "bash edit"],
    ["an array with patterns", ["Bash(git:*)", "Read"], "bash(git:*) read"],
    ["an array with a list in an entry", ["Bash", "Read, Edit"], "bash read edit"],
    ["spaces between, as in Agent Skills", "Bash(git:*) Read", "bash(git:*) read"],
    ["line breaks and stray commas", "Read,,\n Bash ,", "read bash"],
    ["a comma in a pattern", "Bash(git add, git commit), Read", "bash(git add, git commit) read"],
    ["parentheses in a pattern", "Bash(a(b),c) Read", "bash(a(b),c) read"],
    ["a quoted parenthesis in a pattern", 'Bash(echo ")") Read', 'bash(echo ")") read'],
    ["an apostrophe in a pattern", "Bash(echo it's) Read", "bash(echo it's) read"],
    ["quotes around entries", `"Read", 'Bash(git:*)'`, "read bash(git:*)"],
    ["a path with a space", "Read(/a b/**) Edit", "read(/a b/**) edit"],
    ["the same twice", "Read, read, Bash(a), Bash(b)", "read bash(a) bash(b)"],
    ["an unknown tool", "MyTool, customThing", "MyTool customThing"],
    ["names that are keys of every object", "constructor, __proto__", "constructor __proto__"],
    ["letters of other languages", "prüfen, 検索", "prüfen 検索"],
    ["a tool of an MCP server", "mcp__github__create_issue", "github/create_issue"],
    ["all tools of an MCP server", "mcp__github, mcp__linear__*", "github/* linear/*"],
    ["an MCP tool with underscores", "mcp__a__b__c", "a/b__c"],
    ["what only begins like MCP", "mcp__, mcp_x", "mcp__ mcp_x"],
  ])("as %s", (_, value, expected) => {
    expect(short(allowed(value))).toBe(expected);
  });

  test.each([["*"], [["*"]], [["read", "*"]], ["Read, *"]])("%j means every tool", (value) => {
    for (const provider of providers) expect(allowed(value, provider)).toBe("unrestricted");
  });

  test("is missing: every tool, without a diagnostic", () => {
    expect(normalizeTools(undefined, { provider: "claude" })).toEqual({ kind: "unrestricted", diagnostics: [] });
  });

  test.each([
    [[], []],
    ["", ["tools-empty"]],
    ["  ,", ["tools-empty"]],
    [null, ["tools-empty"]],
  ])("%j allows nothing", (value, expectedCodes) => {
    const result = normalizeTools(value, { provider: "claude" });
    expect(result).toMatchObject({ kind: "restricted", restrictions: { allow: [] }, tools: [] });
    expect(codes(result)).toEqual(expectedCodes);
  });

  test.each([
    ["an open parenthesis", "Read, Bash(git:*"],
    ["a closing one too many", "Bash(git:*)), Read"],
    ["a parenthesis without a name", "(git:*)"],
    ["a space before the pattern", "Bash (git:*)"],
    ["text after the pattern", "Bash(git:*)x"],
    ["two patterns", "Bash(a)(b)"],
    ["an empty pattern", "Bash(), Read"],
    ["a blank pattern", "Bash( )"],
    ["an unclosed quote", '"Read, Bash'],
    ["quotes that may hide an entry", 'Bash(echo "a), Write(b")'],
    ["semicolons", "Read;Bash"],
    ["a list inside a string", "[Read, Bash]"],
    ["a negation", "!Bash"],
    ["a minus", "-Bash"],
    ["an invisible character", "Ba\u200bsh"],
    ["a right-to-left override", "Bash(\u202e), \u202eRead"],
    ["a number", 5],
    ["true", true],
    ["false", false],
    ["a number among strings", ["Read", 5]],
    ["a list among strings", [["Read"]]],
    ["what YAML makes of `- Bash(git: *)`", [{ "Bash(git": "*)" }]],
    ["an empty value among strings", ["Read", null]],
    ["a date", new Date(0)],
    ["a Map", new Map([["bash", true]])],
  ])("with %s cannot be read, which is an error", (_, value) => {
    for (const provider of providers) {
      const result = normalizeTools(value, { provider });
      expect(result).toMatchObject({
        kind: "unreadable",
        diagnostics: [{ severity: "error", code: "tools-unparsable" }],
      });
    }
  });

  test("an error names the key, the position and the solution", () => {
    const [diagnostic] = normalizeTools("Read, Bash(git:*", { provider: "claude", key: "allowed-tools" }).diagnostics;
    expect(diagnostic?.message).toBe('"allowed-tools" cannot be read: "(" is never closed in "Bash(git:*"');
    expect(diagnostic?.hint).toContain("Bash(git:*)");
  });

  test("a very long list is read like any other, and an error in it found", () => {
    const long = "bash ".repeat(20_000);
    for (const value of [long, [long, long], Array(20_000).fill("bash")]) {
      expect(short(allowed(value))).toBe("bash");
      expect(normalizeTools(value, { provider: "claude" }).diagnostics).toHaveLength(1);
    }
    for (const end of ["(", ")", '"', ";"]) expect(allowed(long + end)).toBe("unreadable");
    expect(allowed("(".repeat(100_000))).toBe("unreadable");
    expect(allowed(`Bash(${"(".repeat(50_000)}${")".repeat(50_000)})`)).toHaveLength(1);
  });

  test("a very long entry is shown in part", () => {
    const [diagnostic] = normalizeTools(`Bash(${"x".repeat(10_000)}`, { provider: "claude" }).diagnostics;
    expect(diagnostic?.message.length).toBeLessThan(120);
  });
});

describe("a wildcard in a list", () => {
  test.each(["**", "b*", "*sh", "mcp__*", "mcp__a*__x", "*/x"])("%s opens nothing where tools have none", (name) => {
    for (const provider of ["claude", "copilot", "atomic", "agent-skills"] as const) {
      expect(normalizeTools(name, { provider }).kind).toBe("unreadable");
      expect(normalizeTools([name, "Read"], { provider }).kind).toBe("unreadable");
      expect(normalizeTools({ [name]: true }, { provider }).kind).toBe("unreadable");
    }
  });

  test("means all tools, or all of a server's tools", () => {
    expect(allowed("*", "claude")).toBe("unrestricted");
    expect(short(allowed("mcp__github__*, playwright/*", "claude"))).toBe("github/* playwright/*");
    expect(short(allowed("linear_*", "opencode"))).toBe("linear_*");
  });
});

describe("names of tools", () => {
  test.each([
    ["claude", "Task, Agent", "task"],
    ["claude", "LS, MultiEdit, AskUserQuestion", "list edit question"],
    ["claude", "Edit", "edit"],
    ["claude", "NotebookEdit, NotebookRead", "notebookedit notebookread"],
    ["claude", "search, web, execute", "search web execute"],
    ["copilot", "execute", "bash"],
    ["copilot", "SHELL, Bash, powershell", "bash"],
    ["copilot", "edit", "edit write notebookedit"],
    ["copilot", "Write", "edit write notebookedit"],
    ["copilot", "view, create, update_todo", "read write todowrite"],
    ["copilot", "edit/editFiles, edit/createFile", "edit write"],
    ["copilot", "editFiles, readFile, runCommands", "edit read bash"],
    ["copilot", "Execute/RunInTerminal, read/readFile", "bash read"],
    ["copilot", "execute/getTerminalOutput, codebase", "execute/getTerminalOutput codebase"],
    ["copilot", "playwright/editFiles", "playwright/editFiles"],
    ["copilot", "read", "read notebookread"],
    ["copilot", "search", "grep glob"],
    ["copilot", "agent, custom-agent, Task", "task"],
    ["copilot", "web", "websearch webfetch"],
    ["copilot", "todo, TodoWrite", "todowrite"],
    ["copilot", "github/create_issue, playwright/*", "github/create_issue playwright/*"],
    ["copilot", "shell(git:*)", "bash(git:*)"],
    ["atomic", "execute, search, web, todo", "bash grep glob websearch webfetch todowrite"],
    ["atomic", "edit, read, bash", "edit read bash"],
    ["opencode", "apply_patch, bash", "patch bash"],
  ] as const)("in a %s file, %s means %s", (provider, value, expected) => {
    const rules = allowed(value, provider);
    const tools = normalizeTools(value, { provider });
    expect(short(rules)).toBe(expected);
    expect(tools.kind === "restricted" && tools.tools).toEqual(
      expected.split(" ").map((rule) => rule.replace(/\(.*/, "")),
    );
  });

  test("a spelling that Claude Code ignores is reported, but read", () => {
    const result = normalizeTools("bash, Read, TASK", { provider: "claude" });
    expect(result.diagnostics.map(({ code, hint }) => `${code}: ${hint}`)).toEqual([
      'tool-name-case: Write "Bash".',
      'tool-name-case: Write "Task".',
    ]);
    expect(short(allowed("bash, Read, TASK"))).toBe("bash read task");
    expect(normalizeTools("bash", { provider: "copilot" }).diagnostics).toEqual([]);
  });
});

test("a wildcard is refused in the name of the program that has none", () => {
  const message = (provider: "claude" | "copilot") => normalizeTools("a*b", { provider }).diagnostics[0]?.message;
  expect(message("claude")).toContain("which Claude Code does not support");
  expect(message("copilot")).toContain("which Copilot does not support");
});

describe("a map of switches", () => {
  test.each([
    ["the design's example", { bash: true, edit: true, write: false }, "bash edit", "write patch"],
    ["only true", { bash: true }, "bash", ""],
    ["only false", { write: false, bash: false }, "all but some", "write bash edit patch"],
    ["a wildcard for edit off", { "edit*": false }, "all but some", "edit* edit write patch"],
    ["a wildcard in front off", { "*it": false }, "all but some", "*it edit write patch"],
    ["a wildcard that does not turn edit on", { "*": false, "wr*": true }, "wr*", "edit write patch"],
    ["the rest off", { "*": false, bash: true }, "bash", ""],
    ["the rest off, said last", { bash: true, "*": false }, "", ""],
    ["the rest on", { "*": true, write: false }, "all but some", "write edit patch"],
    ["the rest on, with a true", { "*": true, bash: true, write: false }, "all but some", "write edit patch"],
    ["all off", { "*": false }, "", ""],
    ["tools of a server", { "linear_*": false }, "all but some", "linear_*"],
  ])("%s", (_, map, expectedAllow, expectedDeny) => {
    const result = normalizeTools(map, { provider: "opencode" });
    expect(result.kind).toBe("restricted");
    if (result.kind !== "restricted") return;
    expect(short(result.restrictions.allow ?? "all but some")).toBe(expectedAllow);
    expect(short(result.restrictions.deny ?? [])).toBe(expectedDeny);
  });

  test("with nothing in it switches nothing in OpenCode, and is an empty list for Claude", () => {
    expect(allowed({}, "opencode")).toBe("unrestricted");
    expect(allowed({ "*": true }, "opencode")).toBe("unrestricted");
    expect(allowed({}, "claude")).toEqual([]);
  });

  test.each([
    ["text for a boolean", { bash: "yes" }],
    ["a number for a boolean", { bash: 1 }],
    ["nothing for a boolean", { bash: null }],
    ["a pattern in a name", { "Bash(git:*)": true }],
    ["two names in one", { "bash, edit": true }],
    ["an empty name", { "": false }],
  ])("with %s cannot be read", (_, map) => {
    expect(allowed(map, "opencode")).toBe("unreadable");
  });

  test("reports where it is stricter than OpenCode, and where OpenCode reads it differently", () => {
    const design = normalizeTools({ bash: true, edit: true, write: false }, { provider: "opencode" });
    expect(codes(design)).toEqual(["tools-map-narrowed", "tools-map-edit"]);
    expect(codes(normalizeTools({ "*": false, bash: true }, { provider: "opencode" }))).toEqual([]);
    expect(codes(normalizeTools({ write: false, edit: false }, { provider: "opencode" }))).toEqual([]);
  });
});

describe("disallowed tools", () => {
  test.each([
    ["Bash, Edit", "bash edit"],
    [["Bash(git:*)"], "bash"],
    ["search", "search"],
  ])("%j denies %s", (value, expected) => {
    const result = normalizeDisallowedTools(value, { provider: "claude" });
    expect(result.kind === "restricted" && short(result.restrictions.deny ?? [])).toBe(expected);
    expect(result.kind === "restricted" && result.restrictions.allow).toBeUndefined();
  });

  test.each([[undefined], [null], [""], [[]]])("%j denies nothing", (value) => {
    expect(normalizeDisallowedTools(value, { provider: "claude" }).kind).toBe("unrestricted");
  });

  test("everything", () => {
    expect(normalizeDisallowedTools("*", { provider: "claude" })).toMatchObject({ restrictions: { allow: [] } });
  });

  test.each([[5], [true], [{ bash: true }], ["Bash("], [["Read", 1]]])("%j cannot be read", (value) => {
    const result = normalizeDisallowedTools(value, { provider: "claude" });
    expect(result.kind).toBe("unreadable");
    expect(result.diagnostics[0]?.message).toStartWith('"disallowedTools" cannot be read');
  });
});
