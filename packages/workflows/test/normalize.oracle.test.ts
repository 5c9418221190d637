// The real tools, asked: which tools they leave to an agent whose file restricts them.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { heavyHost } from "@atomic/testing/heavy";
import { parse } from "yaml";
import { normalizePermission } from "../src/entities/normalize/permission.ts";
import { combineTools, mayUseTool, type NormalizedTools } from "../src/entities/normalize/restrictions.ts";
import { canonicalToolNames } from "../src/entities/normalize/tool-names.ts";
import { normalizeDisallowedTools, normalizeTools } from "../src/entities/normalize/tools.ts";
import { offeredByClaude } from "./oracle/offered-by-claude.ts";
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
