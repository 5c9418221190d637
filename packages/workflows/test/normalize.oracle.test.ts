// The real tools, asked: which tools they leave to an agent whose file restricts them.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { heavyHost } from "@atomic/testing/heavy";
import { parse } from "yaml";
import { normalizePermission } from "../src/entities/normalize/permission.ts";
import { combineTools, mayUseTool, type NormalizedTools } from "../src/entities/normalize/restrictions.ts";
import { canonicalToolNames } from "../src/entities/normalize/tool-names.ts";
import { normalizeDisallowedTools, normalizeTools } from "../src/entities/normalize/tools.ts";
import { offeredByClaude } from "./oracle/offered-by-claude.ts";
import { offeredByCopilot } from "./oracle/offered-by-copilot.ts";
import { offeredByOpenCode } from "./oracle/offered-by-opencode.ts";

setDefaultTimeout(120_000);

function usable(result: NormalizedTools, tools: readonly string[]): string[] {
  if (result.kind === "unreadable") return [];
  return tools.filter((tool) => result.kind === "unrestricted" || mayUseTool(result.restrictions, tool)).sort();
}

describe("OpenCode offers", () => {
  const tools = ["bash", "edit", "glob", "grep", "read", "skill", "task", "todowrite", "webfetch", "write"];
  const alike = [
    {},
    { tools: {} },
    { tools: { write: false, edit: false } },
    { tools: { webfetch: false } },
    { tools: { "*": false, bash: true } },
    { tools: { bash: true, "*": false } },
    { tools: { "*": true, bash: false } },
    { tools: { "web*": false } },
    { permission: "deny" },
    { permission: { "*": "deny", bash: "allow" } },
    { permission: { bash: "allow", "*": "deny" } },
    { permission: { "*": "deny", edit: "allow" } },
    { permission: { "*": "deny", write: "allow" } },
    { permission: { "*": "deny", Bash: "allow" } },
    { permission: { edit: "deny", "web*": "deny" } },
    { permission: { bash: { "*": "deny", "git *": "allow" } } },
    { permission: { bash: { "git *": "allow", "*": "deny" } } },
    { permission: { "*": "deny", bash: "ask" } },
    { permission: {} },
  ];
  /** Here we are stricter on purpose. */
  const narrower = [
    { tools: { bash: true } },
    { tools: { bash: true, edit: true, "*": true, write: false } },
    { permission: { write: "deny" } },
    { tools: { bash: false }, permission: { bash: "allow" } },
  ];

  test("at least the tools that our reading of the restrictions allows", async () => {
    const agents = [...alike, ...narrower];
    const offered = await offeredByOpenCode(agents);
    const ours = agents.map(({ tools: map, permission }: { tools?: unknown; permission?: unknown }) =>
      usable(combineTools(normalizeTools(map, { provider: "opencode" }), normalizePermission(permission)), tools),
    );
    const theirs = offered.map((names) => names.filter((name) => tools.includes(name)).sort());
    const rows = (lists: readonly string[][]): unknown =>
      alike.map((agent, i) => ({ agent, tools: lists[i]?.join(" ") }));
    expect(rows(ours)).toEqual(rows(theirs));
    for (const i of narrower.keys()) {
      const [mine = [], its = []] = [ours[alike.length + i], theirs[alike.length + i]];
      expect({ agent: narrower[i], wider: mine.filter((tool) => !its.includes(tool)) }).toEqual({
        agent: narrower[i],
        wider: [],
      });
      expect(mine.length).toBeLessThan(its.length);
    }
  });
});

describe("Claude Code offers", () => {
  const tools = ["Bash", "Edit", "Read", "Write", "Skill", "Agent"];
  const agents = [
    "model: inherit",
    'tools: "Bash(git:*), Edit"',
    "tools: Read Bash",
    'tools: [Bash, "Read, Edit"]',
    "tools:",
    "tools: []",
    'tools: ["*"]',
    "tools: Task",
    'tools: "Bash(a(b),c), Read"',
    'disallowedTools: "Bash(git:*)"',
    "tools: Read, Bash\ndisallowedTools: Bash",
  ];
  const host = heavyHost("claude");
  if (!host.available) console.warn(`skipped: the tools that Claude Code offers: ${host.reason}`);

  test.skipIf(!host.available)("what our reading of the restrictions leaves", async () => {
    const offered = await offeredByClaude(agents);
    const canonical = tools.map((name) => canonicalToolNames(name, "claude")[0] ?? name);
    const ours = agents.map((frontmatter) => {
      const keys = parse(frontmatter) as { tools?: unknown; disallowedTools?: unknown };
      const disallowed = normalizeDisallowedTools(keys.disallowedTools, { provider: "claude" });
      return usable(combineTools(normalizeTools(keys.tools, { provider: "claude" }), disallowed), canonical);
    });
    const theirs = offered.map((names) => canonical.filter((_, i) => names.includes(tools[i] ?? "")).sort());
    const rows = (lists: readonly string[][]): unknown =>
      agents.map((agent, i) => ({ agent, tools: lists[i]?.join(" ") }));
    expect(rows(ours)).toEqual(rows(theirs));
  });
});

describe("Copilot offers", () => {
  const host = heavyHost("copilot");
  if (!host.available) console.warn(`skipped: the tools that Copilot offers: ${host.reason}`);

  /** Our names for the tools that every session has here. Others need a network or a window. */
  const tools = new Map([
    ["bash", "bash"],
    ["create", "write"],
    ["edit", "edit"],
    ["glob", "glob"],
    ["grep", "grep"],
    ["task", "task"],
    ["update_todo", "todowrite"],
    ["view", "read"],
  ]);
  const alike = [
    ...[
      "*",
      "read",
      "READ",
      "view",
      "NotebookRead",
      "grep",
      "glob",
      "edit",
      "Write",
      "MultiEdit",
      "NotebookEdit",
      "create",
    ],
    ...[
      "execute",
      "shell",
      "Bash",
      "agent",
      "custom-agent",
      "Task",
      "update_todo",
      "playwright/*",
      "github/list_issues",
    ],
    // VS Code's names, as public agents use them.
    ...["edit/editFiles", "editFiles", "EDIT/EDITFILES", "edit/createFile", "createFile", "edit/createDirectory"],
    ...["runCommands", "runCommands/runInTerminal", "execute/runInTerminal", "execute/runCommands", "runInTerminal"],
    ...[
      "read/readFile",
      "readFile",
      "execute/getTerminalOutput",
      "execute/runTests",
      "execute/testFailure",
      "runTests",
    ],
    ...[
      "read/problems",
      "search/codebase",
      "codebase",
      "usages",
      "web/fetch",
      "fetch",
      "runTasks",
      "vscode/runCommand",
    ],
    ...[
      "edit/editNotebook",
      "runCommands/terminalSelection",
      "agent/runSubagent",
      "todos",
      "new",
      "edit/*",
      "execute/*",
    ],
  ];
  /** Names that GitHub documents, but this version of the runtime does not know: they keep their meaning here. */
  const wider = ["search", "todo", "TodoWrite", "powershell"];
  /** The runtime compares only what follows the slash. A server's tool gives no right to another one here. */
  const narrower = ["playwright/editFiles", "github/edit"];

  test.skipIf(!host.available)(
    "exactly what our reading of a list of tools allows, under VS Code's names, too",
    async () => {
      const names = [...alike, ...wider, ...narrower];
      const offered = await offeredByCopilot(names.map((name) => `tools: [${JSON.stringify(name)}]`));
      const ours = names.map((name) => usable(normalizeTools([name], { provider: "copilot" }), [...tools.values()]));
      const theirs = offered.map((list) => list.flatMap((name) => tools.get(name) ?? []).sort());
      const rows = (lists: readonly string[][]): unknown =>
        alike.map((name, i) => ({ name, tools: lists[i]?.join(" ") }));
      expect(rows(ours)).toEqual(rows(theirs));
      const at = alike.length + wider.length;
      expect([ours.slice(alike.length, at), theirs.slice(alike.length, at)]).toEqual([
        [["glob", "grep"], ["todowrite"], ["todowrite"], ["bash"]],
        [[], [], [], []],
      ]);
      expect([ours.slice(at), theirs.slice(at)]).toEqual([
        [[], []],
        [["edit"], ["edit"]],
      ]);
    },
  );
});
