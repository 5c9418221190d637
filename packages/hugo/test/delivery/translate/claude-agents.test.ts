import { describe, expect, test } from "bun:test";
import { refusal } from "../../refusal.ts";
import { agentOf, deliver, deliverPlugin, textAt } from "./deliver.ts";

const lines = (...list: string[]): string => list.join("\n");

describe("an agent of a Claude plugin", () => {
  test("keeps every byte but those of the keys that OpenCode does not understand", () => {
    const agent = lines(
      "---",
      "name: reviewer",
      'description: "Reviews:  code"   # aligned by hand',
      "",
      "# It must not write.",
      "tools: Read, Grep",
      "color: blue",
      "---",
      "",
      "  You review.  ",
      "---",
      "tools: not a key",
    );
    expect(textAt(deliverPlugin({ "agents/reviewer.md": agent }), "agents/reviewer.md")).toBe(
      lines(
        "---",
        "name: reviewer",
        'description: "Reviews:  code"   # aligned by hand',
        "",
        "# It must not write.",
        "permission:",
        '  "*": deny',
        "  external_directory: ask",
        "  read:",
        '    "*": allow',
        '    "*.env": ask',
        '    "*.env.*": ask',
        '    "*.env.example": allow',
        "  grep: allow",
        'color: "#2563eb"',
        "mode: subagent",
        "---",
        "",
        "  You review.  ",
        "---",
        "tools: not a key",
      ),
    );
  });

  test("keeps its line endings and its byte order mark", () => {
    const agent = "\ufeff---\r\ndescription: x\r\ntools: Grep\r\n---\r\nBody\r\n";
    expect(textAt(deliverPlugin({ "agents/a.md": agent }), "agents/a.md")).toBe(
      '\ufeff---\r\ndescription: x\r\npermission:\r\n  "*": deny\r\n  external_directory: ask\r\n  grep: allow\r\nmode: subagent\r\n---\r\nBody\r\n',
    );
  });

  test.each<[string, string, string]>([
    ["nothing to translate", "name: a\ndescription: x\nmode: primary", "name: a\ndescription: x\nmode: primary"],
    ["a list over several lines", "tools:\n  - Glob\n  - LS\nname: a", "permission:\n  GLOB\nname: a\nmode: subagent"],
    [
      "agents to start, which could do more than itself",
      "tools: Grep, Task, Bash(git:*)",
      'permission:\n  "*": deny\n  external_directory: ask\n  grep: allow\n  bash:\n    "*": deny\n    "git *": allow\n    "*>*": deny\nmode: subagent',
    ],
    [
      "agents to start, which can do no more than itself",
      "tools: Task, Edit, Bash",
      'permission:\n  "*": deny\n  external_directory: ask\n  task: allow\n  edit: allow\n  bash: allow\nmode: subagent',
    ],
    [
      "agents to start in a mode that only plans",
      "tools: Task, Edit, Bash\npermissionMode: plan",
      'permission:\n  "*": deny\n  external_directory: ask\n  task: deny\n  edit: deny\n  bash: deny\nmode: subagent',
    ],
    ["no tools", "tools: []", 'permission:\n  "*": deny\nmode: subagent'],
    ["an empty list", "tools:", 'permission:\n  "*": deny\nmode: subagent'],
    ["every tool", 'tools: "*"', "mode: subagent"],
    [
      "names that Claude Code ignores",
      "tools: bash, read, list, Task, EDIT",
      'permission:\n  "*": deny\nmode: subagent',
    ],
    [
      "tools taken away",
      "disallowedTools: Bash, Edit",
      "permission:\n  bash: deny\n  edit: deny\n  task: deny\nmode: subagent",
    ],
    [
      "a tool taken away that others may use for it",
      "disallowedTools: WebFetch",
      "permission:\n  webfetch: deny\nmode: subagent",
    ],
    [
      "notebooks taken away",
      "disallowedTools: NotebookEdit",
      'permission:\n  task: deny\n  edit:\n    "*.ipynb": deny\nmode: subagent',
    ],
    [
      "the mode to plan",
      "permissionMode: plan",
      "permission:\n  task: deny\n  edit: deny\n  bash: deny\nmode: subagent",
    ],
    ["a mode that asks less", "permissionMode: bypassPermissions", "mode: subagent"],
    ["a limit of turns", "maxTurns: 7", "steps: 7\nmode: subagent"],
    ["the session's model", "model: inherit", "mode: subagent"],
    ["a model of some class", "model: opus", "mode: subagent"],
    ["a model with its provider", "model: acme/large", "model: acme/large\nmode: subagent"],
    ["a colour of OpenCode", "color: accent", "color: accent\nmode: subagent"],
    ["an unknown color", "color: mauve", "mode: subagent"],
    ["another name than its file's", "name: Anna", "mode: subagent"],
    ["keys for Claude Code only", "memory: user\nskills: [a]\neffort: high\nbackground: true", "mode: subagent"],
    ["an unknown key", "version: 3", "mode: subagent"],
    ["hooks that run afterwards", "hooks: { Stop: [] }", "mode: subagent"],
    ["a quote in text that is not YAML", "description: it's: [so] so", "description: 'it''s: [so] so'\nmode: subagent"],
  ])("with %s", (_, given, wanted) => {
    const glob = '"*": deny\n  external_directory: ask\n  glob: allow\n  list: allow';
    expect(agentOf(given)).toBe(wanted.replace("GLOB", glob));
  });

  test.each<[string, string, string]>([
    [
      "a domain",
      "tools: Read, WebFetch(domain:a.org)",
      'a.md:2:1: OpenCode has no rule as narrow as "webfetch(domain:a.org)"',
    ],
    [
      "a path that OpenCode reads otherwise",
      "name: a\ntools: Read(src/*.ts)",
      "a.md:3:1: OpenCode has no rule as narrow",
    ],
    ["an unreadable list", "tools: Read, Bash(git", 'a.md:2:1: "tools" cannot be read'],
    ["a list of something else", "tools: [1]", 'a.md:2:1: "tools" cannot be read'],
    ["an unreadable list of disallowed tools", "tools: Read\ndisallowedTools: 7", 'a.md:3:1: "disallowedTools"'],
    ["tools to be taken away by a wildcard", "disallowedTools: Web*", "a.md:2:1: OpenCode cannot deny"],
    ["a wildcard that Claude Code does not know", "tools: Read*", 'a.md:2:1: "tools" cannot be read'],
    ["a hook before tools", "hooks:\n  PreToolUse: []", 'a.md:2:1: Its hook "PreToolUse" may block some actions'],
    ["hooks of another kind", "hooks: yes", "a.md:2:1: Its hook"],
    ["a mode that allows only what is listed", "permissionMode: dontAsk", "a.md:2:1: OpenCode has no equivalent of"],
    ["an unknown mode", "permissionMode: 3", "a.md:2:1: OpenCode has no equivalent of"],
    ["a copy to work on", "isolation: worktree", "a.md:2:1: It needs its own copy"],
    ["a restriction that no agent has", "allowed-tools: Read", 'a.md:2:1: "allowed-tools" has no effect'],
    ["two kinds of restrictions", "tools: Read\npermission: { edit: deny }", 'a.md:3:1: "permission" is for OpenCode'],
    ["switches, which it does not have", "tools: { Read: true }", 'a.md:2:1: "tools" is not a list'],
    ["switches and a list", "tools: { bash: false }\ndisallowedTools: Read", 'a.md:2:1: "tools" is for OpenCode'],
    ["all keys on one line", "{ tools: Read, description: x }", "a.md:1:1: Its frontmatter cannot be translated"],
    [
      "a value that another refers to",
      "tools: &t [Read]\noptions: { x: *t }",
      "a.md:1:1: Its frontmatter cannot be translated",
    ],
  ])("is stopped because of %s", (_, given, wanted) => {
    expect(agentOf(given)).toStartWith(`stopped at agents/${wanted}`);
  });

  test("is left alone if it has no frontmatter", () => {
    expect(textAt(deliverPlugin({ "agents/a.md": "Just text" }), "agents/a.md")).toBe("Just text");
  });

  test("gets the models that the user has for Claude's", () => {
    const models = new Map([
      ["sonnet", "acme/medium"],
      ["claude-opus-4-1", "acme/large"],
    ]);
    expect(agentOf("model: sonnet", { models })).toBe("model: acme/medium\nmode: subagent");
    expect(agentOf("model: claude-sonnet-4-5-20250929", { models })).toBe("model: acme/medium\nmode: subagent");
    expect(agentOf("model: claude-opus-4-1", { models })).toBe("model: acme/large\nmode: subagent");
    expect(agentOf("model: opus", { models })).toBe("mode: subagent");
  });

  test("says what is different, and where", () => {
    const agent =
      "---\nname: Anna\ndescription: x\ntools: Read, bash, KillShell, mcp__gh\nmodel: opus\nmemory: user\n---\n\u0024{CLAUDE_PLUGIN_ROOT}";
    expect(deliverPlugin({ "agents/a.md": agent }).notes.map(({ at, message }) => `${at} ${message}`)).toEqual([
      'agents/a.md:2:1 Its "name" is "Anna", but OpenCode uses the file name, "a"',
      'agents/a.md:4:1 "tools" lists "bash", which Claude Code ignores because tool names must match exactly',
      'agents/a.md:4:1 OpenCode asks before it uses a tool from the server "gh"',
      'agents/a.md:4:1 OpenCode has no tool "KillShell", so it is left out of the allowed tools',
      'agents/a.md:4:1 "tools" becomes "permission"',
      'agents/a.md:5:1 The model "opus" is left out: OpenCode uses the session\'s model',
      'agents/a.md:6:1 OpenCode has no "memory" for agents, so it is left out',
      "agents/a.md:8:1 OpenCode does not expand \u0024{CLAUDE_PLUGIN_ROOT}",
    ]);
  });

  test("is refused if a key that both have is of the wrong kind", () => {
    const error = refusal(() => agentOf("tools: Read\ndescription: [x]"));
    expect(error).toMatchObject({ code: "content-invalid", exitCode: 3, at: "agents/a.md:3:1" });
    expect(error.message).toBe('agents/a.md:3:1: OpenCode fails to start with this value for "description"');
  });
});

describe("an agent for Copilot or VS Code", () => {
  const tools = (list: string, path = "agents/a.agent.md") =>
    deliver({ [path]: `---\ndescription: x\ntools: ${list}\n---\nBody\n` });

  test.each([
    [
      "[search, edit/editFiles, web/fetch]",
      ["edit: allow", "glob: allow", "grep: allow", "list: allow", "webfetch: allow"],
    ],
    ["[execute/runInTerminal, 'todo']", ["bash: allow", "todowrite: allow"]],
    ["codebase, runCommands", ["bash: allow", "glob: allow", "grep: allow"]],
    ["['github/search_issues']", ["github_search_issues: allow"]],
  ])("may use what its author lists: %s", (list, wanted) => {
    const text = textAt(tools(list), "agents/a.md");
    for (const line of wanted) expect(text).toContain(`  ${line}\n`);
    expect(text).toContain('  "*": deny\n');
  });

  test.each([
    "vscode/*",
    "vscode/ *",
    "vscode/Bash",
    "edit/createFile",
    "execute/runTests",
    "search/*/x",
    "todo/Write",
  ])("gets nothing for %s, which is less than any permission of OpenCode", (name) => {
    const text = textAt(tools(JSON.stringify([name])), "agents/a.md");
    expect(text).toContain('permission:\n  "*": deny\n');
    expect(text).not.toContain("allow");
  });

  test("says once which tools OpenCode does not have, and if none is left", () => {
    const list = "[changes, openSimpleBrowser, runTests, testFailure, extensions, vscodeAPI]";
    expect(tools(list).notes.map(({ message }) => message)).toContain(
      'OpenCode has no tools "changes", "openSimpleBrowser", "runTests", "testFailure" and 2 more, so they are left out of the allowed tools, and this agent can use none',
    );
  });

  test("may write a tool in any case, and is not measured by Claude Code", () => {
    const delivered = tools("[bash, Grep, 'docs*']");
    expect(delivered.stopped[0]?.because).toBe(
      '"tools" cannot be read: "docs*" is a tool wildcard, which Copilot does not support',
    );
    const { notes } = tools("[bash, GREP]");
    expect(notes.map(({ message }) => message).join()).not.toContain("Claude Code");
    const text = textAt(tools("[bash, GREP]"), "agents/a.md");
    expect(text).toContain("  bash: allow\n");
    expect(text).toContain("  grep: allow\n");
  });

  test("is one only if its file says so", () => {
    expect(textAt(tools("[search, Read]", "agents/a.md"), "agents/a.md")).not.toContain("grep");
  });
});

describe("an agent of any other package", () => {
  const delivered = (frontmatter: string, path = "agents/a.md"): string =>
    textAt(deliver({ [path]: `---\n${frontmatter}\n---\nBody\n` }), "agents/a.md");

  test.each([
    ["tools as a text", "tools: Grep"],
    ["tools as a list", "tools: [Grep]"],
    ["tools taken away", "disallowedTools: Grep"],
    ["a permission mode", "permissionMode: plan"],
    ["a model without a provider", "model: sonnet"],
    ["a colour by its name", "color: green"],
  ])("is translated if it has %s", (_, frontmatter) => {
    expect(delivered(frontmatter)).not.toContain(frontmatter);
    expect(delivered(frontmatter)).toEndWith("mode: subagent\n---\nBody\n");
  });

  test("is translated if it is where Claude Code looks", () => {
    expect(delivered("description: x", ".claude/agents/a.md")).toContain("mode: subagent");
  });

  test.each([
    ["switches", "tools: { bash: false }"],
    ["switches in two spellings", "tools: { Edit: false, edit: false, multiedit: false }"],
    ["a switch that another closes", "tools: { Edit: false, '*': false }"],
    ["permissions", "permission:\n  edit: deny"],
    ["options for its provider", "reasoningEffort: high\ntemperature: 0.1"],
    ["a colour in digits", "color: '#aabbcc'"],
    ["nothing special", "description: x"],
    ["a description that OpenCode reads although it is not YAML", "description: Use when: always"],
    ["a permission twice, one of which OpenCode does not heed", "permission:\n  edit: deny\n  write: deny"],
    ["a tool of a server in its own spelling", "permission:\n  Linear_getIssue: deny"],
  ])("is copied byte for byte if it has %s", (_, frontmatter) => {
    expect(delivered(frontmatter)).toBe(`---\n${frontmatter}\n---\nBody\n`);
  });

  test("keeps options for its provider beside a model of Claude's", () => {
    expect(delivered("model: opus\ntemperature: 0.1\nreasoningEffort: high\nmemory: user")).toBe(
      "---\ntemperature: 0.1\nreasoningEffort: high\nmode: subagent\n---\nBody\n",
    );
  });

  test("never has another name than the one that Hugo knows it by", () => {
    const given = deliver({ "agents/helper.md": "---\nname: build\ntemperature: 1\n---\nBody" });
    expect(textAt(given, "agents/helper.md")).toBe("---\ntemperature: 1\n---\nBody");
    expect(given.notes).toHaveLength(1);
    const named = deliver({ "agents/reviewer.md": "---\nname: code-reviewer\ntemperature: 1\n---\nBody" });
    expect(textAt(named, "agents/code-reviewer.md")).toBe("---\nname: code-reviewer\ntemperature: 1\n---\nBody");
    expect(named.notes).toEqual([]);
  });

  test.each([
    ["permission: { write: deny }", 'OpenCode ignores the permission "write"'],
    ["tools: { Edit: false }", 'OpenCode ignores the tool "Edit"'],
    ["tools: { Bash: false, edit: false }", 'OpenCode ignores the tool "Bash"'],
    ["tools: { multiedit: false }", 'OpenCode ignores the tool "multiedit"'],
    ["tools: { Read: true, '*': false, edit: true, Edit: false }", 'OpenCode ignores the tool "Edit"'],
    ["tools: { Edit: false }\nmodel: sonnet", 'OpenCode ignores the tool "Edit"'],
    ["permission: { Edit: deny }\nmodel: sonnet", 'OpenCode ignores the permission "Edit"'],
    ["permission: { Bash: ask }", 'OpenCode ignores the permission "Bash"'],
    ["permission: { edit: ask, patch: deny }", 'OpenCode ignores the permission "patch"'],
    [
      "permissions: { edit: deny }",
      'OpenCode ignores "permissions" in agents, so the agent could do more than the file says',
    ],
    [
      "allowedTools: [Read]",
      'OpenCode ignores "allowedTools" in agents, so the agent could do more than the file says',
    ],
  ])("is refused if OpenCode ignores %s", (frontmatter, because) => {
    const { stopped } = deliver({ "agents/a.md": `---\n${frontmatter}\n---\n` });
    expect(stopped).toMatchObject([
      { destination: "agents/a.md", source: "agents/a.md", at: "agents/a.md:2:1", because },
    ]);
  });
});
