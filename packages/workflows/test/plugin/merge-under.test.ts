import { expect, test } from "bun:test";
import { mergeUnder } from "../../src/plugin/merge-under.ts";
import type { OpencodeConfig } from "../../src/plugin/opencode-config.ts";
import type { Workflow } from "../../src/plugin/read-workflow.ts";

function workflow(parts: Partial<Workflow> = {}): Workflow {
  return { agents: {}, commands: {}, skills: [], mcp: {}, permission: {}, leftOut: [], diagnostics: [], ...parts };
}

const reviewer = {
  description: "Reviews",
  mode: "subagent",
  model: "theirs/model",
  prompt: "Be strict.",
  options: { effort: "low", seed: 1 },
  permission: { edit: "deny", bash: { "*": "deny", "git *": "allow" } },
} as const;

/** What OpenCode makes of an agent's file or entry before a plugin sees it. */
const normalized = { options: {}, permission: {} };

test.each<[what: string, user: object, changed: object]>([
  ["nothing", {}, {}],
  ["what an empty entry is normalized to", normalized, {}],
  ["a model", { ...normalized, model: "mine/model" }, { model: "mine/model" }],
  ["a prompt", { ...normalized, prompt: "Be kind." }, { prompt: "Be kind." }],
  [
    "a file with an empty body",
    { ...normalized, name: "reviewer", prompt: "", mode: "all" },
    { name: "reviewer", mode: "all" },
  ],
  ["disable", { ...normalized, disable: true }, { disable: true }],
  ["a zero and a false", { ...normalized, temperature: 0, hidden: false }, { temperature: 0, hidden: false }],
  ["an option", { ...normalized, options: { effort: "high" } }, { options: { effort: "high", seed: 1 } }],
  [
    "a permission",
    { ...normalized, permission: { edit: "allow" } },
    { permission: { bash: reviewer.permission.bash, edit: "allow" } },
  ],
  [
    "one pattern of a permission",
    { ...normalized, permission: { bash: { "npm *": "allow" } } },
    { permission: { edit: "deny", bash: { "*": "deny", "git *": "allow", "npm *": "allow" } } },
  ],
  ["nothing, in so many words", { model: undefined, prompt: undefined }, {}],
])("an agent whose user sets %s", (_, user, changed) => {
  const config = { agent: { reviewer: user, mine: { prompt: "Hi" } } } as OpencodeConfig;
  const before = structuredClone(config);
  const merged = mergeUnder(config, workflow({ agents: { reviewer } }));
  expect(merged.config.agent).toEqual({ mine: { prompt: "Hi" }, reviewer: { ...reviewer, ...changed } });
  expect(config).toEqual(before);
});

test("an agent that the user does not have is added unchanged", () => {
  expect(mergeUnder({}, workflow({ agents: { reviewer } })).config).toEqual({
    agent: { reviewer },
    command: {},
    mcp: {},
  });
});

test("an agent may not do what the user denies to all agents, unless the user allows it for this agent", () => {
  const agents = { reviewer: { permission: { bash: "allow", webfetch: "allow" } } } as const;
  const config = { permission: { bash: "ask", webfetch: "deny" } } as const;
  expect(mergeUnder(config, workflow({ agents })).config.agent).toEqual({
    reviewer: { permission: config.permission },
  });
  const opened = { ...config, agent: { reviewer: { permission: { bash: "allow" } } } } as const;
  expect(mergeUnder(opened, workflow({ agents })).config.agent).toEqual({
    reviewer: { permission: { webfetch: "deny", bash: "allow" } },
  });
});

test("an override of an agent that is left out does not become a separate agent", () => {
  const agent = { broken: { ...normalized, model: "mine/model" }, own: { prompt: "All mine." } };
  const owners = new Map([["agent theirs", "other"]]);
  const given = { agent: { ...agent, theirs: { mode: "all" } } };
  const merged = mergeUnder(given, workflow({ leftOut: ["broken", "own", "theirs", "absent"] }), { owners });
  expect(merged.config.agent).toEqual({ ...given.agent, broken: { ...agent.broken, disable: true } } as never);
  expect(merged.diagnostics).toMatchObject([{ code: "override-alone", message: expect.stringContaining('"broken"') }]);
});

test.each<[what: string, user: object | undefined, command: object]>([
  ["the workflow alone", undefined, { template: "Go.", agent: "reviewer" }],
  ["the user", { template: "Stop.", agent: "build" }, { template: "Stop.", agent: "build" }],
  ["the user, except for the agent", { template: "Stop." }, { template: "Stop.", agent: "reviewer" }],
  [
    "the user, except for the text",
    { template: " ", model: "mine/model" },
    { template: "Go.", agent: "reviewer", model: "mine/model" },
  ],
])("a command that is set by %s", (_, user, command) => {
  const commands = { go: { template: "Go.", agent: "reviewer" } };
  const config = user === undefined ? {} : ({ command: { go: user } } as OpencodeConfig);
  expect(mergeUnder(config, workflow({ commands })).config.command).toEqual({ go: command } as never);
});

const server = { type: "local", command: ["a"], environment: { A: "1", B: "2" }, enabled: false } as const;

test.each<[what: string, user: object, mcp: object]>([
  ["switches it on", { enabled: true }, { ...server, enabled: true }],
  [
    "sets one variable",
    { type: "local", command: ["b"], environment: { A: "x" } },
    { ...server, command: ["b"], environment: { A: "x", B: "2" } },
  ],
  [
    "has another kind",
    { type: "remote", url: "https://example.invalid" },
    { type: "remote", url: "https://example.invalid" },
  ],
])("an MCP server whose user %s", (_, user, mcp) => {
  const merged = mergeUnder({ mcp: { s: user } } as OpencodeConfig, workflow({ mcp: { s: server } }));
  expect(merged.config.mcp).toEqual({ s: mcp } as never);
});

test("skills come after the user's, without those whose names the user already has", () => {
  const skills = ["tidy", "sweep"].map((name) => ({ name, folder: `/w/skills/${name}` }));
  const config = { skills: { paths: ["mine"], urls: ["https://example.invalid"] } };
  const merged = mergeUnder(config, workflow({ skills }), { userSkills: new Set(["tidy"]) });
  expect(merged.config.skills).toEqual({ paths: ["mine", "/w/skills/sweep"], urls: ["https://example.invalid"] });
  expect(merged.diagnostics).toMatchObject([
    { code: "name-taken", message: expect.stringMatching(/"tidy" is not used because you have one/) },
  ]);
  expect(merged.owned).toEqual(["skill sweep"]);
});

test("what another workflow has brought is not mixed with this one's", () => {
  const owners = new Map([
    ["agent reviewer", "other"],
    ["skill tidy", "other"],
  ]);
  const theirs = { prompt: "Theirs." };
  const skills = [{ name: "tidy", folder: "/w/skills/tidy" }];
  const merged = mergeUnder({ agent: { reviewer: theirs } }, workflow({ agents: { reviewer }, skills }), { owners });
  expect(merged.config.agent).toEqual({ reviewer: theirs });
  expect(merged.config.skills).toBeUndefined();
  expect(merged.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining('agent "reviewer"'),
    expect.stringContaining('skill "tidy"'),
  ]);
});

test("an agent that allows itself everything still asks where the workflow or the user wants it", () => {
  const agents = { reviewer: { permission: { "*": "allow" } } } as const;
  const { config } = mergeUnder({ permission: { bash: "ask" } }, workflow({ agents, permission: { gate: "ask" } }));
  expect(config.agent?.reviewer).toEqual({ permission: { "*": "allow", gate: "ask", bash: "ask" } });
});

test("the user's permissions override those for the workflow's own tools", () => {
  const permission = { gate: "ask", other: "ask" } as const;
  expect(mergeUnder({ permission: "allow" }, workflow({ permission })).config.permission).toEqual({
    ...permission,
    "*": "allow",
  });
  expect(mergeUnder({ permission: { gate: "deny" } }, workflow({ permission })).config.permission).toEqual({
    other: "ask",
    gate: "deny",
  });
});

test("names of prototypes are names, in the user's config too", () => {
  const agent = JSON.parse('{ "__proto__": { "prompt": "x" }, "constructor": { "prompt": "y" } }');
  const { config } = mergeUnder({ agent }, workflow({ agents: { reviewer }, leftOut: ["constructor", "toString"] }));
  expect(Object.keys(config.agent ?? {})).toEqual(["__proto__", "constructor", "reviewer"]);
  expect(({} as { prompt?: string }).prompt).toBeUndefined();
});
