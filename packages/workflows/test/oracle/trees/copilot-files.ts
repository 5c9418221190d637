import { described, type Tree } from "../tree.ts";

const local = "command: x, args: [], tools: ['*']";
const remote = "type: http, url: 'http://x', tools: ['*']";

const keptServers: readonly string[] = [
  "",
  ...["{}", `{ s: { ${local} } }`, `{ s: { type: local, ${local} } }`, `{ s: { type: stdio, ${local} } }`],
  ...["env: { A: b }", "env: {}", "cwd: /a", "foo: 1", "timeout: 5", "headers: { A: 1 }"].map(
    (more) => `{ s: { ${local}, ${more} } }`,
  ),
  ...["headers: { A: b }", "args: [1]", "env: { A: 1 }", "command: 1", "cwd: 1"].map(
    (more) => `{ s: { ${remote}, ${more} } }`,
  ),
  "{ s: { type: sse, url: nowhere, tools: [] } }",
  `{ "a b/c.d": { ${local} }, 1: { ${local} } }`,
];
const droppedServers: readonly string[] = [
  ...["[]", "[a]", "x", "3", "true", "{ s: x }", "{ s: }", "{ s: [] }"],
  "{ s: { command: x, args: [] } }",
  "{ s: { command: x, tools: ['*'] } }",
  "{ s: { args: [], tools: ['*'] } }",
  "{ s: { command: 1, args: [], tools: ['*'] } }",
  "{ s: { command: x, args: a, tools: ['*'] } }",
  "{ s: { command: x, args: [1], tools: ['*'] } }",
  "{ s: { command: x, args: [], tools: '*' } }",
  "{ s: { command: x, args: [], tools: [1] } }",
  ...[
    "env: { A: 1 }",
    "env: { A: }",
    "env: [A]",
    "env: ",
    "cwd: 1",
    "cwd: ",
    "timeout: a",
    "timeout: -1",
    "timeout: 1.5",
  ].map((more) => `{ s: { ${local}, ${more} } }`),
  ...["url: 'http://x'", "type: remote", "type: Local", "type: 1", "type: "].map(
    (more) => `{ s: { ${local}, ${more} } }`,
  ),
  ...["headers: { A: 1 }", "headers: [a]", "headers: ", "timeout: a"].map((more) => `{ s: { ${remote}, ${more} } }`),
  "{ s: { type: http, url: 'http://x' } }",
  "{ s: { type: http, url: 1, tools: ['*'] } }",
  "{ s: { url: 'http://x', tools: ['*'] } }",
  `{ s: { type: local, url: 'http://x', tools: ['*'] } }`,
  `{ s: { ${local} }, t: { command: x } }`,
];

const dropped: readonly (readonly [string, string])[] = [
  ...droppedServers.map((servers, i) => described(`.github/agents/dropped-${i}.md`, { "mcp-servers": servers })),
  // Copilot has an agent of that name.
  described(".github/agents/general-purpose.md", { name: "other" }),
  described("~/.copilot/agents/general-purpose.agent.md"),
  described(".claude/agents/named.md", { name: "general-purpose" }),
  // A command's file name counts even if it has another name.
  described(".claude/commands/é.md", { name: "ascii" }),
  described(".claude/commands/a!b.md", { name: "mark" }),
  described(".claude/commands/_x.md", { name: "underscore" }),
  described(`.claude/commands/${"l".repeat(65)}.md`, { name: "long" }),
  described(".claude/commands/日本.md"),
  described(".github/skills/é/SKILL.md"),
];
const kept: readonly (readonly [string, string])[] = [
  ...keptServers.map((servers, i) => described(`.github/agents/kept-${i}.md`, { "mcp-servers": servers })),
  described(".github/agents/deeper/general-purpose.md"),
  described(".github/agents/General-Purpose.md"),
  described(".github/agents/é.md"),
  described(".claude/commands/c d.md"),
  described(".claude/commands/a.b.md", { name: "dotted" }),
  described(".github/skills/a!b/SKILL.md", { name: "marked-skill" }),
];

/** Agents and commands that Copilot drops, and others that look much the same. */
export const copilotFiles: Tree = { files: Object.fromEntries([...dropped, ...kept]) };
export const droppedByCopilot: readonly string[] = dropped.map(([path]) => path);
