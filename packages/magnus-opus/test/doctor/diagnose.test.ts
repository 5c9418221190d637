import { expect, test } from "bun:test";
import { type DoctorFacts, diagnose } from "../../src/plugin/doctor/diagnose.ts";
import type { OpencodeAnswer } from "../../src/plugin/doctor/loaded-opencode.ts";
import { packageStack } from "../stacks/package-stack.ts";

const allowed = [{ permission: "*", pattern: "*", action: "allow" }] as const;
const loaded = {
  version: "1.18.33",
  agents: [
    { name: "orchestrator", prompt: "You lead.\n", permission: [...allowed] },
    { name: "reviewer", prompt: "You review.", permission: [...allowed] },
  ],
  commands: [{ name: "implement" }],
  tools: ["magnus_start"],
  models: ["a/one", "a/two"],
  mcp: {},
};
const asked = (changes: Partial<typeof loaded>): OpencodeAnswer => ({
  kind: "asked",
  loaded: { ...loaded, ...changes },
});

const healthy: DoctorFacts = {
  opencode: asked({}),
  agents: { orchestrator: { prompt: "You lead." }, reviewer: { prompt: "You review." } },
  ...{
    roles: {},
    names: {},
    commandNames: {},
    commands: ["implement"],
    tools: ["magnus_start"],
    servers: [],
    wantedModels: [],
  },
  settings: { files: [], problems: [], file: "/p/.opencode/magnus-opus.json" },
  stack: { stack: packageStack("python"), why: "because of pyproject.toml", others: [] },
  tests: { argv: ["pytest"], timeoutMs: 1, setBy: "stack" },
  ...{ missingProgram: undefined, testFiles: 2, isRepository: true, closedFolders: [] },
};

const bad = (facts: Partial<DoctorFacts>): string[] =>
  diagnose({ ...healthy, ...facts }).flatMap((finding) =>
    finding.status === "degraded" ? [`${finding.area}: ${finding.what}. ${finding.fix}`] : [],
  );

test("a healthy project: every area is named, and nothing is degraded", () => {
  const findings = diagnose(healthy);
  expect(findings.map(({ status }) => status)).toEqual(findings.map(() => "ok"));
  expect(findings.map(({ what }) => what)).toEqual([
    "OpenCode 1.18.33 has loaded Magnus Opus: 1 command, 1 tool, 2 agents",
    "every agent has its prompt and may do its job",
    "2 models of 1 provider connected",
    "no settings files; the defaults apply",
    "stack: Python (python), because of pyproject.toml",
    "tests: `pytest` (from the stack), 2 test files",
  ]);
});

const denied = { permission: "edit", pattern: "*", action: "deny" } as const;
const [orchestrator, reviewer] = loaded.agents;

test.each<[string, Partial<DoctorFacts>, RegExp]>([
  [
    "OpenCode is missing",
    { opencode: { kind: "absent", because: "no opencode" } },
    /no opencode\. Install OpenCode with/,
  ],
  [
    "OpenCode does not start",
    { opencode: { kind: "silent", because: "exited with 1" } },
    /exited with 1\. Start `opencode`/,
  ],
  [
    "OpenCode is old",
    { opencode: asked({ version: "1.4.2" }) },
    /OpenCode 1\.4\.2 is older than 1\.15.*Update OpenCode/,
  ],
  [
    "the plugin is not loaded",
    { opencode: asked({ agents: [], tools: ["bash"], commands: [] }) },
    /has not loaded Magnus Opus in this folder\. Install it with `hugo install magnus-opus`/,
  ],
  [
    "a tool is missing",
    { tools: ["magnus_start", "magnus_new"] },
    /these tools: magnus_new\. .*hugo update magnus-opus/,
  ],
  ["a command is missing", { commands: ["implement", "approve"] }, /these commands: \/approve\. /],
  ["an agent is missing", { opencode: asked({ agents: [orchestrator!] }) }, /OpenCode has no agent reviewer/],
  [
    "an agent that another plugin has changed",
    { opencode: asked({ agents: [orchestrator!, { ...reviewer!, prompt: "Mine." }] }) },
    /the agent reviewer does not have our prompt: another plugin has changed it.*agents\.reviewer\.prompt_append/,
  ],
  [
    "an agent that may not do its job",
    { opencode: asked({ agents: [orchestrator!, { ...reviewer!, permission: [...allowed, denied as never] }] }) },
    /the agent reviewer may not write its reports: your settings forbid it\. Allow it in agents\.reviewer\.permission/,
  ],
  ["no provider", { opencode: asked({ models: [] }) }, /no provider is connected.*opencode auth login/],
  [
    "an unknown model",
    { wantedModels: [{ where: "agents.reviewer", model: "b/x", instead: "the session's model is used instead" }] },
    /agents\.reviewer names b\/x, which is not connected; the session's model is used instead/,
  ],
  [
    "an MCP server that fails",
    { servers: ["figma"], opencode: asked({ mcp: { figma: { status: "failed", error: "no npx" } } as never }) },
    /the MCP server figma is failed: no npx; agents work without it/,
  ],
  [
    "an MCP server that wants a login",
    { servers: ["x"], opencode: asked({ mcp: { x: { status: "needs_auth" } } as never }) },
    /the MCP server x is needs auth; .*opencode mcp auth x/,
  ],
  [
    "a wrong setting",
    { settings: { ...healthy.settings, problems: ["a.json:1:2 x is not a setting."] } },
    /a\.json:1:2 x/,
  ],
  [
    "no test command",
    { tests: { unknown: "no test command is known. Set it." } },
    /^tests: no test command is known\. Set it\.$/,
  ],
  [
    "a missing test program",
    { missingProgram: "pytest" },
    /run by `pytest`, but pytest was not found\. Install pytest/,
  ],
  [
    "a test program that is a dependency",
    { tests: { argv: ["npm", "test"], timeoutMs: 1, setBy: "stack" }, missingProgram: "ava" },
    /run by `npm test`, but ava was not found\. Run `npm install`, or set tests\.command/,
  ],
  ["a closed folder", { closedFolders: ["/p cannot be written"] }, /\/p cannot be written\. Make the folder writable/],
])("%s is degraded, with the fix", (_, facts, expected) => {
  expect(bad(facts)).toEqual([expect.stringMatching(expected)]);
});

test("what works but may surprise is a note", () => {
  const notes = (facts: Partial<DoctorFacts>): string[] =>
    diagnose({ ...healthy, ...facts }).flatMap(({ status, what }) => (status === "note" ? [what] : []));
  const mine = { ...reviewer!, prompt: "Mine." };
  const named = {
    names: { reviewer: "magnus-reviewer" },
    agents: { orchestrator: healthy.agents.orchestrator!, "magnus-reviewer": healthy.agents.reviewer! },
    opencode: asked({ agents: [orchestrator!, mine, { ...reviewer!, name: "magnus-reviewer" }] }),
  };
  expect(notes(named)).toEqual(["you have an agent reviewer, so ours is called magnus-reviewer"]);
  expect(bad(named)).toEqual([]);
  expect(notes({ agents: { ...healthy.agents, reviewer: { disable: true } } })).toEqual([
    "the agent reviewer is disabled in the settings",
  ]);
  const commands = { commandNames: { implement: "magnus-implement" }, commands: ["magnus-implement"] };
  const both = asked({ commands: [{ name: "implement" }, { name: "magnus-implement" }] });
  expect(notes({ ...commands, opencode: both })).toEqual([
    "you have a command /implement, so ours is called /magnus-implement",
  ]);
  expect(bad({ ...commands, opencode: both })).toEqual([]);
  expect(notes({ opencode: { kind: "not-asked" } })).toEqual([
    "OpenCode was not started, so what it loads is unknown (--static)",
  ]);
  expect(notes({ testFiles: 0, isRepository: false }).toSorted()).toEqual([
    "tests: `pytest` (from the stack), no test files yet",
    "this folder is not in a git repository: all files count, except generated ones",
  ]);
  expect(notes({ stack: { ...healthy.stack, others: ["node"] } })).toEqual([
    "stack: Python (python), because of pyproject.toml; node would fit, too",
  ]);
});

test("what an OpenCode does not say is not held against it", () => {
  const silent = { version: undefined, commands: undefined, tools: undefined, models: undefined, mcp: undefined };
  expect(bad({ opencode: asked(silent as never) })).toEqual([]);
});
