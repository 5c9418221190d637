// What OpenCode loads and calls, tested without OpenCode: the result, the messages, and that nothing stops it.
import { expect, test } from "bun:test";
import { defineWorkflow, type WorkflowOptions } from "../../src/plugin/define-workflow.ts";
import type { OpencodeConfig, PluginClient, PluginContext } from "../../src/plugin/opencode-config.ts";
import { markdown, workflowFolder } from "./workflow-folder.ts";

/** A client that records its messages, one that never answers, and one that fails. */
function clients(): {
  messages: string[];
  received: (count: number) => Promise<void>;
  ready: PluginClient;
  silent: PluginClient;
  failing: PluginClient;
} {
  const messages: string[] = [];
  const awaited = { count: 0, resolve: (): void => undefined };
  const received = (count: number): Promise<void> =>
    new Promise((resolve) => {
      Object.assign(awaited, { count, resolve });
      if (messages.length >= count) resolve();
    });
  const tell = async (text: string, answer: () => Promise<unknown>): Promise<unknown> => {
    messages.push(text);
    if (messages.length === awaited.count) awaited.resolve();
    return await answer();
  };
  const client = (answer: () => Promise<unknown>): PluginClient => ({
    app: { log: ({ body }) => tell(`${body.level} ${body.message}`, answer) },
    tui: { showToast: ({ body }) => tell(`toast ${body.message}`, answer) },
  });
  return {
    messages,
    received,
    ready: client(async () => ({})),
    silent: client(() => new Promise(() => undefined)),
    failing: client(() => Promise.reject(new Error("no server"))),
  };
}

const context = (client: PluginClient, directory = "/nowhere"): PluginContext => ({
  client,
  directory,
  worktree: directory,
});

async function configure(
  options: WorkflowOptions,
  config: OpencodeConfig,
  client: PluginClient,
): Promise<ReturnType<typeof defineWorkflow>> {
  const workflow = defineWorkflow(options);
  const hooks = await workflow.server(context(client));
  await hooks.config?.(config);
  return workflow;
}

test("it is the object that OpenCode expects from a plugin, and reports its findings", async () => {
  await using project = await workflowFolder({ "agents/a.md": "Hi", "agents/b.md": markdown({ mode: "boss" }) });
  const { ready } = clients();
  const workflow = defineWorkflow({ id: "w", root: project.dir });
  expect([workflow.id, typeof workflow.server]).toEqual(["w", "function"]);
  expect(workflow.diagnostics).toEqual([]);
  const config: OpencodeConfig = {};
  await (await workflow.server(context(ready))).config?.(config);
  expect(config).toEqual({ agent: { a: { prompt: "Hi" } }, command: {}, mcp: {} });
  expect(workflow.diagnostics).toMatchObject([{ code: "value-unaccepted", path: project.path("agents/b.md") }]);
});

test("files are read again whenever OpenCode asks", async () => {
  await using project = await workflowFolder({ "agents/a.md": markdown({ mode: "boss" }, "Hi") });
  const { ready } = clients();
  const workflow = await configure({ id: "w", root: project.dir }, {}, ready);
  expect(workflow.diagnostics).toHaveLength(1);
  await project.write("agents/a.md", "Hello");
  const config: OpencodeConfig = {};
  await (await workflow.server(context(ready))).config?.(config);
  expect(config.agent).toEqual({ a: { prompt: "Hello" } });
  expect(workflow.diagnostics).toEqual([]);
});

test("everything is logged, and one toast at the start of work names the first file that is left out", async () => {
  await using project = await workflowFolder({
    "agents/a.md": markdown({ mode: "boss" }),
    "agents/b.md": markdown({ mode: "boss" }),
    "agents/c.md": markdown({ skills: [] }, "Hi"),
  });
  const { messages, received, ready } = clients();
  const hooks = await defineWorkflow({ id: "w", root: project.dir }).server(context(ready));
  await hooks.config?.({});
  await received(3);
  for (const type of ["session.updated", "session.created", "session.created"])
    await hooks.event?.({ event: { type } });
  await received(4);
  const refusal = 'OpenCode does not accept this value for "mode".';
  expect(messages).toEqual([
    `error workflow w: agents/a.md:2:1 ${refusal}`,
    `error workflow w: agents/b.md:2:1 ${refusal}`,
    `warn workflow w: agents/c.md:2:1 "skills" is not a key that an OpenCode agent supports; it is not passed on.`,
    `toast agents/a.md:2:1 ${refusal} (and 1 more, see OpenCode's log)`,
  ]);
});

test.each(["silent", "failing"] as const)("the plugin does not wait for a %s OpenCode", async (kind) => {
  await using project = await workflowFolder({ "agents/a.md": "Hi", "agents/b.md": markdown({ mode: "boss" }) });
  const config: OpencodeConfig = {};
  await configure({ id: "w", root: project.dir }, config, clients()[kind]);
  expect(config.agent).toEqual({ a: { prompt: "Hi" } });
});

test.each<[string, Partial<WorkflowOptions>, string]>([
  ["a root that is not a file", { root: new URL("https://example.invalid/") }, "config"],
  ["hooks that throw", { hooks: () => Promise.reject(new Error("no")) }, "hooks"],
  [
    "a config hook that throws",
    {
      hooks: () => ({
        config: () => {
          throw "no";
        },
      }),
    },
    "config hook",
  ],
  ["MCP servers that are not a map", { mcp: 7 as never }, ""],
])("%s does not stop anything else", async (_, options, what) => {
  const config: OpencodeConfig = { agent: { mine: { prompt: "Hi" } } };
  const { diagnostics } = await configure({ id: "w", root: "/nowhere", ...options }, config, clients().ready);
  expect(config.agent).toEqual({ mine: { prompt: "Hi" } });
  const failed = diagnostics.filter(({ code }) => code === "workflow-failed").map(({ message }) => message);
  expect(failed).toEqual(what === "" ? [] : [expect.stringContaining(`This workflow's ${what} failed: `)]);
});

test("the author's hooks are passed on with their options, and their config hook sees the merged config", async () => {
  await using project = await workflowFolder({ "agents/a.md": "Hi" });
  const seen: unknown[] = [];
  const workflow = defineWorkflow({
    id: "w",
    root: project.dir,
    hooks: (_, options) => ({
      event: ({ event }) => seen.push(event.type),
      config: (config) => seen.push(options, Object.keys(config.agent ?? {})),
    }),
  });
  const hooks = await workflow.server(context(clients().ready), { strict: true });
  await hooks.event?.({ event: { type: "session.idle" } });
  await hooks.config?.({});
  expect(seen).toEqual(["session.idle", { strict: true }, ["a"]]);
});

test("workflows in one config know about each other, and leave nothing that OpenCode could trip over", async () => {
  await using project = await workflowFolder({ "agents/a.md": "Hi" });
  const config: OpencodeConfig = {};
  const first = await configure({ id: "first", root: project.dir }, config, clients().ready);
  const second = await configure({ id: "second", root: project.dir }, config, clients().ready);
  expect(first.diagnostics).toEqual([]);
  expect(second.diagnostics).toMatchObject([{ code: "name-taken", message: expect.stringContaining('"first"') }]);
  expect(Object.keys(config)).toEqual(["agent", "command", "mcp"]);
  expect(Object.getOwnPropertySymbols({ ...config })).toEqual([]);
  expect(structuredClone(config)).toEqual({ agent: { a: { prompt: "Hi" } }, command: {}, mcp: {} });
});

test.each([
  ".opencode/skills/tidy",
  ".opencode/skill/group/tidy",
  ".claude/skills/tidy",
  ".agents/skills/tidy",
  "extra/tidy",
])("a user's skill in %s replaces the workflow's", async (folder) => {
  const skill = markdown({ name: "tidy", description: "Tidies" }, "Sweep.");
  await using project = await workflowFolder({
    "w/skills/tidy/SKILL.md": skill,
    [`${folder}/SKILL.md`]: skill,
    "sub/x": "",
  });
  const workflow = defineWorkflow({ id: "w", root: project.path("w") });
  const hooks = await workflow.server({
    client: clients().ready,
    directory: project.path("sub"),
    worktree: project.dir,
  });
  const config: OpencodeConfig = { skills: { paths: ["../extra"] } };
  await hooks.config?.(config);
  expect(config.skills?.paths).toEqual(["../extra"]);
  expect(workflow.diagnostics).toMatchObject([{ code: "name-taken" }]);
});

test("a workflow with its own settings changes what was read; the user still wins", async () => {
  await using project = await workflowFolder({ "agents/a.md": "Hi", "agents/b.md": "Ho" });
  const { ready } = clients();
  const options: WorkflowOptions = {
    id: "w",
    root: project.dir,
    adapt: (workflow) => ({ ...workflow, agents: { a: { ...workflow.agents.a, temperature: 0.1, top_p: 0.5 } } }),
  };
  const config: OpencodeConfig = { agent: { a: { temperature: 0.9 } } };
  await configure(options, config, ready);
  expect(config.agent).toEqual({ a: { prompt: "Hi", temperature: 0.9, top_p: 0.5 } });
});

test("settings that make it fail disable the workflow, never OpenCode", async () => {
  await using project = await workflowFolder({ "agents/a.md": "Hi" });
  const { ready } = clients();
  const adapt = (): never => {
    throw new Error("no such setting");
  };
  const config: OpencodeConfig = {};
  const workflow = await configure({ id: "w", root: project.dir, adapt }, config, ready);
  expect(config).toEqual({});
  expect(workflow.diagnostics).toMatchObject([{ code: "workflow-failed" }]);
});
