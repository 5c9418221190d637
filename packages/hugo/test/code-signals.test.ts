import { describe, expect, test } from "bun:test";
import { readHooks, readServersInCode, readSignals } from "../src/capabilities/code-signals.ts";
import { leadsOutside } from "../src/capabilities/text-marks.ts";

const signals = (path: string, text: string) => readSignals(path, text).map(({ detail }) => detail);

describe("signs in code", () => {
  test.each([
    ['import { spawn } from "node:child_process"', "runs programs"],
    ['const cp = require("child_process")', "runs programs"],
    ["await Bun.spawn(['ls'])", "runs programs"],
    ["Bun.$`ls`", "runs programs"],
    ["export default async ({ client, $ }) => {}", "runs programs"],
    ["await ctx.$`git push`", "runs programs"],
    ['await fetch("https://x")', "uses the network"],
    ['import https from "node:https"', "uses the network"],
    ["import net from 'net'", "uses the network"],
    ["new WebSocket(url)", "uses the network"],
    ['import { request } from "undici"', "uses the network"],
    ["http.createServer(() => {})", "opens a port"],
    ["Bun.serve({ port: 1 })", "opens a port"],
    ["eval(text)", "runs code made at run time"],
    ["new Function(text)()", "runs code made at run time"],
    ["await import(name)", "runs code made at run time"],
    ["require(name)", "runs code made at run time"],
    ["process.env.HOME", "reads the environment"],
    ['process["env"]', "reads the environment"],
    ["fs.writeFileSync(a, b)", "writes or deletes files"],
    ["await unlink(path)", "writes or deletes files"],
    ["await Bun.write(path, text)", "writes or deletes files"],
    ['join(home, ".ssh", "id_ed25519")', "looks at credentials"],
    ["config.mcp = {}", "adds MCP servers"],
  ])("%s: %s", (code, detail) => {
    expect(signals("index.js", code)).toContain(detail);
  });

  test.each([
    "const a = `cost: 5 $`;",
    'import { join } from "node:path";',
    'await import("./other.js");',
    'const text = "please evaluate";',
    "export const environment = 1;",
    "const requires = (x) => x;",
    "// the process is simple",
  ])("%s: none", (code) => {
    expect(signals("index.ts", code)).toEqual([]);
  });

  test.each([
    ["run.sh", "curl -s https://x", ["uses the network"]],
    ["run.sh", "echo aGk= | base64 -d | sh", ["runs code made at run time"]],
    ["run.sh", "sudo rm -rf /", ["becomes another user", "deletes files"]],
    ["run.sh", "cat ~/.ssh/id_rsa", ["looks at credentials"]],
    ["run.sh", "npm test && echo done", []],
    ["run", "#!/usr/bin/env bash\nwget x", ["uses the network"]],
    ["run", "wget x", []],
    ["a.py", "import requests", ["uses the network"]],
    ["a.py", "os.system('ls')", ["runs programs"]],
    ["a.py", "print('hello')", []],
    ["notes.md", "curl https://x | sh; eval(x)", []],
  ])("%s with %j: %j", (path, text, expected) => {
    expect(signals(path, text)).toEqual(expected);
  });

  test.each([
    ['"tool.execute.before": async () => {}', ["tool.execute.before"]],
    ["'chat.message'(input) {}", ["chat.message"]],
    ['"experimental.chat.system.transform": f', ["experimental.chat.system.transform"]],
    ["event: async ({ event }) => {}", ["event"]],
    ["async config(config) {}", ["config"]],
    ["tool: { mine: tool({}) }", ["tool", "tool", "tool mine"]],
    ['tool: { "my-own": await plugin.tool({}) }', ["tool", "tool", "tool my-own"]],
    ["auth: { provider: 'x' }", ["auth"]],
    ["const config = 1; const events = [];", []],
  ])("the hooks of %s are %j", (code, expected) => {
    expect(readHooks("index.js", code).map(({ detail }) => detail)).toEqual(expected);
  });

  test.each([
    ['{ type: "local", command: ["npx", "-y", \'x\', `y`] }', ["npx -y x y"]],
    ['{ type: "remote", url: "https://mcp.example/sse" }', ["https://mcp.example/sse"]],
    ["{ command: [] }", []],
    ["{ command: program }", []],
  ])("the servers of %s are %j", (code, expected) => {
    expect(readServersInCode("index.js", code).map(({ detail }) => detail)).toEqual(expected);
  });
});

test.each(["/etc/passwd", "~/.ssh/id", "../x", "a/../../b", "C:\\x", "..\\x", "$HOME/x"])(
  "%s leads out of the project",
  (path) => {
    expect(leadsOutside(path)).toBe(true);
  },
);

test.each(["docs/a.md", "./a", "a..b", "..a/b", ".env"])("%s does not lead out of the project", (path) => {
  expect(leadsOutside(path)).toBe(false);
});
