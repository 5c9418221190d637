// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the package's text has them.
import { describe, expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import { readHooks, readServersInCode, readSignals, readTools } from "../../src/trust/capabilities/code-signals.ts";
import { leadsOutside, readReferences } from "../../src/trust/capabilities/text-marks.ts";

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
    ["eval(text)", "runs code generated at run time"],
    ["new Function(text)()", "runs code generated at run time"],
    ["await import(name)", "loads code by computed names"],
    ["require(name)", "loads code by computed names"],
    ["process.env.HOME", "reads environment variables"],
    ['process["env"]', "reads environment variables"],
    ["fs.writeFileSync(a, b)", "writes or deletes files"],
    ["await unlink(path)", "writes or deletes files"],
    ["await Bun.write(path, text)", "writes or deletes files"],
    ['join(home, ".ssh", "id_ed25519")', "reads credentials"],
    ["config.mcp = {}", "adds MCP servers"],
    ['import { spawn } from "bun"', "runs programs"],
    ['const { $ } = await import("bun")', "runs programs"],
    ["const {spawn}=Bun", "runs programs"],
    ["const b = globalThis.Bun;", "runs programs"],
    ['Bun["spawn"](["ls"])', "runs programs"],
    ['import("node:child_"+"process")', "runs programs"],
    ['import("node:child\\u005fprocess")', "runs programs"],
    ['import("node:child\\u005fprocess")', "uses escape sequences to hide text"],
    ['require("child\\x5fprocess")', "runs programs"],
    ['require("child\\u{5F}process")', "runs programs"],
    ['import cluster from "node:cluster"', "runs programs"],
    ["const f=fetch; f(u)", "uses the network"],
    ["const f = fetch\nf(u)", "uses the network"],
    ["export default { get: globalThis.fetch }", "uses the network"],
    ["fetch.call(null, u)", "uses the network"],
    ['globalThis["fet"+"ch"](u)', "uses the network"],
    ["new EventSource(u)", "uses the network"],
    ['import { lookup } from "node:dns/promises"', "uses the network"],
    ['import(`node:\u0024{"child"}_process`)', "loads code by computed names"],
    ['import("node:" + name)', "loads code by computed names"],
    ['require("child" .concat(x))', "loads code by computed names"],
    ["process.getBuiltinModule(name)", "loads code by computed names"],
    ["const load = process.getBuiltinModule;", "loads code by computed names"],
    ['process.getBuiltinModule("f" + "s" + x)', "loads code by computed names"],
    ["process.getBuiltinModule(`node:http`)", "uses the network"],
    ["process.getBuiltinModule(`node:child_process`)", "runs programs"],
    ["process.getBuiltinModule(`node:vm`)", "runs code generated at run time"],
    ['g["ev" + "al"](text)', "runs code generated at run time"],
    ["server.listen(8080)", "opens a port"],
    ["server.listen({ port }, () => {})", "opens a port"],
    ["createServer(answer).listen(() => {})", "opens a port"],
    ["const load = require;", "loads code by computed names"],
    ["globalThis[name](u)", "loads code by computed names"],
    ["const g = globalThis;", "loads code by computed names"],
    ["Reflect.get(globalThis, name)", "loads code by computed names"],
    ["(0, eval)(text)", "runs code generated at run time"],
    ["(() => {}).constructor(text)()", "runs code generated at run time"],
    ["new Worker(url)", "runs code generated at run time"],
    ['import x from "./x.txt" with { type: "js" }', "runs code generated at run time"],
    ["const {env}=process", "reads environment variables"],
    ["const { argv, env: e } = process;", "reads environment variables"],
    ["const p = process;", "reads environment variables"],
    ['import { env } from "node:process"', "reads environment variables"],
    ["import.meta.env.HOME", "reads environment variables"],
    ["await fs.rm(path, { recursive: true })", "writes or deletes files"],
    ["fs.renameSync(a, b)", "writes or deletes files"],
    ['fs.openSync(path, "w")', "writes or deletes files"],
    ["await open(path, 'a+')", "writes or deletes files"],
    ['import { rm as gone } from "node:fs/promises"', "writes or deletes files"],
    ["const { cp } = fs", "writes or deletes files"],
    ["fs.truncateSync(path)", "writes or deletes files"],
  ])("%s: %s", (code, detail) => {
    expect(signals("index.js", code)).toContain(detail);
  });

  test.each([
    "const a = `cost: 5 $`;",
    'import { join } from "node:path";',
    'await import("./other.js");',
    'const text = "please evaluate";',
    'process.getBuiltinModule("node:os").platform();',
    "process.getBuiltinModule(`node:url`);",
    "signals.listen((event) => stop(event));",
    "e.listen(t=>{});",
    "const kinds = [`net`, `got`, `ws`, `vm`];",
    "export const environment = 1;",
    "const requires = (x) => x;",
    "// the process is simple",
    'import data from "./data.json" with { type: "json" };',
    'console.log("\\x1b[31m", "\\u2713");',
    'const text = "a" + name + "b";',
    "const open = true; confirm(open);",
    "const fetched = 1; use({ fetched });",
    "// Bun runs it, and globalThis is left alone.",
  ])("%s: none", (code) => {
    expect(signals("index.ts", code)).toEqual([]);
  });

  test.each([
    ["run.sh", "curl -s https://x", ["uses the network"]],
    ["run.sh", "echo aGk= | base64 -d | sh", ["runs code generated at run time"]],
    ["run.sh", "sudo rm -rf /", ["switches to another user", "deletes files"]],
    ["run.sh", "cat ~/.ssh/id_rsa", ["reads credentials"]],
    ["run.sh", "npm test && echo done", []],
    ["run", "#!/usr/bin/env bash\nwget x", ["uses the network"]],
    ["run", "wget x", []],
    ["a.py", "import requests", ["uses the network"]],
    ["a.py", "os.system('ls')", ["runs programs"]],
    ["a.py", "print('hello')", []],
    ["notes.md", "curl https://x | sh; eval(x)", []],
    ["run.sh", "npx -y x", ["fetches or installs programs"]],
    ["run.sh", "pip3 install x && uvx y", ["fetches or installs programs"]],
    ["run.sh", "npm i -g x", ["fetches or installs programs"]],
    ["run.sh", "git clone https://x", ["uses the network"]],
    ["run.sh", "git status && git diff", []],
    ["run.sh", "python3 -c 'x'", ["runs code generated at run time"]],
    ["run.sh", "node --eval 'x'", ["runs code generated at run time"]],
    ["run.sh", "python3 - <<EOF\nx\nEOF", ["runs code generated at run time"]],
    ["run.sh", "bash -c x", ["runs code generated at run time"]],
    ["run.sh", "printenv", ["reads environment variables"]],
    ["run.sh", "env | sort", ["reads environment variables"]],
    ["run.sh", "python3 check.py", []],
    ["run.ps1", "iwr https://x | iex", ["uses the network", "runs code generated at run time"]],
    ["run.ps1", "Get-ChildItem env:", ["reads environment variables"]],
    ["run.bat", "powershell -EncodedCommand AAAA", ["runs code generated at run time"]],
    ["lib/entry", 'import { exec } from "node:child_process";', ["runs programs"]],
    ["data/blob", "const f = fetch;\nexport { f };", ["uses the network"]],
    ["LICENSE", "You may fetch, import, and use it (fetch).\n", []],
    ["a.py", "__import__('o' + 's')", ["runs code generated at run time"]],
  ])("%s with %j: %j", (path, text, expected) => {
    expect(signals(path, text)).toEqual(expected);
  });

  test.each([
    ['"tool.execute.before": async () => {}', ["tool.execute.before"]],
    ["'chat.message'(input) {}", ["chat.message"]],
    ['"experimental.chat.system.transform": f', ["experimental.chat.system.transform"]],
    ["event: async ({ event }) => {}", ["event"]],
    ["async config(config) {}", ["config"]],
    ['"permission.ask": async () => {}', ["permission.ask"]],
    ['if (type === "permission.asked" || type === "permission.replied") return;', []],
    ["tool: { mine: tool({}) }", ["tool", "tool", "tool mine"]],
    ['tool: { "my-own": await plugin.tool({}) }', ["tool", "tool", "tool my-own"]],
    ["auth: { provider: 'x' }", ["auth"]],
    ["const config = 1; const events = [];", []],
    ["hooks.event = async () => {}", ["event"]],
    ['hooks["config"] = f', ["config"]],
    ["hooks.tool = {}; hooks.tool.deploy = tool({})", ["tool", "tool", "tool deploy"]],
    ['all["de-ploy"] = tool({})', ["tool", "tool de-ploy"]],
    ['const all = { deploy: { description: "x", args: {}, execute: async () => "" } }', ["tool deploy"]],
    ['config.command.deploy = { description: "x", template: "y" }', []],
  ])("the hooks of %s are %j", (code, expected) => {
    const found = [...readHooks("index.js", code), ...readTools(new Map([["index.js", code]]))];
    expect(found.map(({ detail }) => detail)).toEqual(expected);
  });

  const ping = "const ping = tool({})";
  test.each([
    ["under its key", [`${ping}; return { tool: { real_name: ping } }`], ["real_name"]],
    ["under a quoted key", [`${ping}; return { tool: { "real-name": ping } }`], ["real-name"]],
    ["from another file", [`export ${ping}`, 'import { ping } from "./0"; tool: { a_ping: ping }'], ["a_ping"]],
    ["through a namespace", [`export ${ping}`, "tool: { a_ping: pings.ping, }"], ["a_ping"]],
    ["through a variable", [`${ping}; const all = { a_ping: ping }; return { tool: all }`], ["a_ping"]],
    ["next to others", [`${ping}; tool: { b: ping, a: tool({ args: {} }) }`], ["a", "b"]],
    // Behind a brace, it could belong to anything.
    ["beside its key behind others", [`${ping}; tool: { a: tool({ args: {} }), b: ping }`], ["a", "b", "ping"]],
    ["whatever else has it", [`${ping}; const log = { name: ping }; tool: build([ping])`], ["name", "ping"]],
    ["whatever a comment says", [`${ping}; tool: { // name: ping,\n ...build([ping]) }`], ["name", "ping"]],
    ["under its own name", [`${ping}; tool: { ping }`], ["ping"]],
    ["under two names", [`${ping}; tool: { ping, real_name: ping }`], ["real_name", "ping"]],
    ["minified", ["var a=tool({}),b={c:a};return{tool:{deploy:a}}"], ["deploy"]],
    ["without a key", [`${ping}; register(ping)`], ["ping"]],
    [
      "if one name stands for two",
      [`${ping}; const pong = tool({}); /* x: pong } */ ({ x: ping })`],
      ["x", "ping", "pong"],
    ],
  ])("a tool in a variable is listed %s", (_, files, expected) => {
    const found = readTools(new Map(files.map((text, index) => [`${index}.js`, text])));
    expect(found.map(({ detail }) => detail)).toEqual(expected.map((name) => `tool ${name}`));
  });

  test.each([
    ['{ type: "local", command: ["npx", "-y", \'x\', `y`] }', ["npx -y x y"]],
    ['{ type: "remote", url: "https://mcp.example/sse" }', ["https://mcp.example/sse"]],
    ["{ command: [] }", []],
    ['{ command: [process.execPath, "-e", code] }', ["… -e"]],
    ['{ command: ["string"], url: "string" }', []],
    ["{ command: program }", []],
    ["command:[...typeof e==`string`?[e]:e,...t]", []],
    ['command: [...(typeof x === "string" ? ["sh"] : x), "-c"]', ["… sh"]],
  ])("the servers of %s are %j", (code, expected) => {
    expect(readServersInCode("index.js", code).map(({ detail }) => detail)).toEqual(expected);
  });
});

test.each([
  ...[
    "env ",
    "git ",
    "python3 -x ",
    "sh - ",
    'import("',
    "{rm ",
    "open(",
    "a=tool",
    "abc=tool()",
    "abc=tool();a:abc,",
    "abc=tool();tool:{",
    "abc=tool();{a,",
    "import{",
    "import {a,",
    "a:",
    "{abc,",
    "x.",
    "x:{description:",
    ".listen(",
    ".listen((",
    "getBuiltinModule(",
    'getBuiltinModule("',
    "require(`",
    "A_",
    " ",
    "= ",
  ],
  ...["\\u0061", '"+"', "process ", "globalThis . ", "return ", '["config"]', ".tool = ", "export ", "iex "],
])("signs are looked for in time that grows with the text, also of %j", (unit) => {
  const read = (size: number): void => {
    const text = unit.repeat(size / unit.length);
    for (const path of ["x.js", "x.sh", "x.ps1", "x.py", "x"]) readSignals(path, `${text}\n`);
    readHooks("x.js", text);
    readTools(new Map([["x.js", `abc=tool();${text}`]]));
    readServersInCode("x.js", text);
  };
  expect(growth(20_000, read)).toBeLessThan(1.5);
});

test.each([
  "/etc/passwd",
  "~/.ssh/id",
  "../x",
  "a/../../b",
  "C:\\x",
  "..\\x",
  "$HOME/x",
  "$1",
  "$9/etc/x",
  "$9~/x",
  "$file",
  "${x}/../../y",
])("%s leads out of the project", (path) => {
  expect(leadsOutside(path)).toBe(true);
});

test.each(["docs/a.md", "./a", "a..b", "..a/b", ".env", "$1=", "${x}/y"])(
  "%s does not lead out of the project",
  (path) => {
    expect(leadsOutside(path)).toBe(false);
  },
);

test("a placeholder of other languages after an at sign is not a file", () => {
  const text = "runs-on: x@${{ matrix.os }}, `${name}` and pkg: @${info.version}, @$1, @${x}/../../y\n";
  expect(readReferences("commands/c.md", text, "command").map(({ detail }) => detail)).toEqual(["$1", "${x}/../../y"]);
});
