// A workflow on the real OpenCode, loaded from its TypeScript source, with a user who has wishes of their own.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import type { OpencodeServer } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";
import { below, entry, linkPackages, markdown } from "./workflow-folder.ts";

setDefaultTimeout(180_000);

const workflow = {
  "src/plugin.ts": entry(
    "team",
    `,
    mcp: {
      docs: { type: "local", command: ["docs"], enabled: false },
      far: { type: "remote", url: "https://example.invalid/{env:HOME}", enabled: false },
    },
    permission: { team_gate: "ask" },
    hooks: () => ({ tool: { team_gate: { description: "A gate", args: {}, async execute(_: object, { ask }: any) {
      await ask({ permission: "team_gate", patterns: ["*"], always: [], metadata: {} });
      return "the gate is open";
    } } } })`,
  ),
  "agents/reviewer.md": markdown(
    { description: "Reviews", mode: "primary", permission: { edit: { "*": "deny", "reports/**": "allow" } } },
    "You review strictly, {env:HOME}.",
  ),
  "agents/reader.md": markdown({ mode: "primary", tools: { write: false } }, "You only read."),
  "agents/writer.md": markdown(
    { description: "Writes", mode: "primary", color: "info", permission: { bash: "allow" } },
    "You write well.",
  ),
  "agents/retired.md": markdown({ mode: "primary" }, "You are done."),
  "agents/broken.md": markdown({ mode: "boss" }, "You rule."),
  "agents/loose.md": markdown({ mode: "primary", disallowedTools: "Write" }, "You may not write."),
  "commands/check.md": markdown({ description: "Checks", agent: "reviewer" }, "Check $1 against {env:HOME}."),
  "commands/greet.md": markdown({ description: "Greets" }, "Greet them."),
  "skills/tidy/SKILL.md": markdown({ name: "tidy", description: "Tidies up a room" }, "Sweep."),
  "skills/mine/SKILL.md": markdown({ name: "mine", description: "Of the workflow" }, "Theirs."),
  "skills/lost/SKILL.md": markdown({ description: "Has no name" }, "Lost."),
};

const user = {
  "opencode.json": {
    $schema: "https://opencode.ai/config.json",
    plugin: ["./workflow/src/plugin.ts"],
    permission: { bash: "deny" },
    agent: { writer: { color: "success" }, retired: { disable: true }, loose: { description: "An override" } },
    mcp: { docs: { enabled: false, type: "local", command: ["my-docs"] } },
  },
  ".opencode/agents/writer.md": markdown({ description: "Writes for me" }),
  ".opencode/commands/greet.md": "Greet me.",
  ".opencode/skills/mine/SKILL.md": markdown({ name: "mine", description: "Of the user" }, "Mine."),
};

const stack = new AsyncDisposableStack();
let model: ModelServer;
let project: Project;
let server: OpencodeServer;

beforeAll(async () => {
  model = stack.use(await modelServer());
  project = stack.use(await tmpProject({ files: { ...below("workflow", workflow), ...user } }));
  linkPackages(project, "workflow");
  server = stack.use(await opencodeServe(project, { model }));
});
afterEach(() => model.verify());
afterAll(() => stack.disposeAsync());

test("OpenCode's config has every valid entry, below the user's settings", async () => {
  const { agent, command, mcp, skills, permission } = (await server.client.config.get({}, { throwOnError: true })).data;
  expect(Object.keys(agent ?? {}).toSorted()).toEqual(["loose", "reader", "retired", "reviewer", "writer"]);
  expect(agent?.writer).toMatchObject({
    description: "Writes for me",
    color: "success",
    mode: "primary",
    prompt: "You write well.",
    permission: { bash: "deny" },
  });
  expect(agent?.retired).toMatchObject({ disable: true, prompt: "You are done." });
  expect(agent?.reader).toMatchObject({ permission: { edit: "deny" } });
  expect(command).toMatchObject({
    check: { template: "Check $1 against {env:HOME}.", agent: "reviewer" },
    greet: { template: "Greet me.", description: "Greets" },
  });
  expect(mcp).toEqual({
    docs: { type: "local", command: ["my-docs"], enabled: false },
    // What OpenCode expands in its files stays as it is here, which is why there is a warning about it.
    far: { type: "remote", url: "https://example.invalid/{env:HOME}", enabled: false },
  });
  expect(skills?.paths).toEqual([project.path("workflow/skills/tidy")]);
  expect(permission).toMatchObject({ team_gate: "ask", bash: "deny" });
});

test("the list of agents is complete: no file breaks it, and it has no disabled or invalid agents", async () => {
  const { data } = await server.client.app.agents({}, { throwOnError: true });
  const names = data.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["reader", "reviewer", "writer", "build", "plan"]));
  for (const name of ["broken", "loose", "retired"]) expect(names).not.toContain(name);
});

test("an agent resolves with its rules after the general ones", async () => {
  const { data } = await server.client.app.agents({}, { throwOnError: true });
  const agent = data.find(({ name }) => name === "reviewer");
  expect(agent).toMatchObject({ description: "Reviews", mode: "primary" });
  const edits = agent?.permission.filter(({ permission }) => permission === "edit");
  expect(edits?.map(({ pattern, action }) => [pattern, action])).toEqual([
    ["*", "deny"],
    ["reports/**", "allow"],
  ]);
});

test("skills are listed, and of two with the same name the user's counts", async () => {
  const { data: skills } = await server.client.app.skills({}, { throwOnError: true });
  const found = skills.map(({ name, content }) => [name, content.trim()]);
  expect(found).toContainEqual(["tidy", "Sweep."]);
  expect(found).toContainEqual(["mine", "Mine."]);
  expect(skills.map(({ description }) => description)).not.toContain("Has no name");
});

test("an agent's prompt reaches the model unchanged, together with the skills", async () => {
  model.expect({ user: "hello", system: "You review strictly, {env:HOME}." }).reply("hello");
  expect((await server.ask("hello", { agent: "reviewer" })).text).toBe("hello");
  expect(model.prompts.at(-1)?.system).toContain("Tidies up a room");
});

test("a command reaches the model with its arguments, for the agent that it names", async () => {
  model.expect({ user: "Check it all against {env:HOME}.", system: /You review strictly/ }).reply("checked");
  const { id: sessionID } = await server.session();
  const sent = { sessionID, command: "check", arguments: '"it all"' };
  const { data } = await server.client.session.command(sent, { throwOnError: true });
  expect(data.parts).toContainEqual(expect.objectContaining({ type: "text", text: "checked" }));
});

test("a user's command has the user's text", async () => {
  model.expect("Greet me.").reply("hello");
  const { id: sessionID } = await server.session();
  await server.client.session.command({ sessionID, command: "greet", arguments: "" }, { throwOnError: true });
});

test("an agent can write only what it may edit", async () => {
  const write = (path: string) => ({ filePath: project.path(path), content: "made" });
  model
    .expect("write both")
    .tool("write", write("src/made.txt"))
    .then.tool("write", write("reports/made.txt"))
    .then.reply("done");
  await server.ask("write both", { agent: "reviewer" });
  const [refusal] = model.prompts.at(-2)?.toolResults ?? [];
  expect(refusal).toContain("prevents you from using this specific tool call");
  expect(await project.exists("src/made.txt")).toBe(false);
  expect(await project.read("reports/made.txt")).toBe("made");
});

test("a tool that is switched off is not even offered, and a call of it does nothing", async () => {
  model
    .expect("write it")
    .tool("write", { filePath: project.path("made.txt"), content: "made" })
    .then.reply("done");
  await server.ask("write it", { agent: "reader" });
  expect(model.prompts.at(-2)?.tools.map(({ name }) => name)).not.toContain("write");
  expect(await project.exists("made.txt")).toBe(false);
});

test("what the user denies to all agents stays denied for an agent that allows it to itself", async () => {
  model.expect("run it").tool("bash", { command: "touch ran.txt", description: "Runs" }).then.reply("done");
  await server.ask("run it", { agent: "writer" });
  expect(await project.exists("ran.txt")).toBe(false);
});

test("a workflow's tool asks the user, as the workflow has set it", async () => {
  model
    .expect("open up")
    .tool("team_gate", {})
    .then.reply((request) => `${request.toolResults}`);
  const session = await server.session();
  const answer = session.prompt("open up", { agent: "writer" });
  const { properties } = await server.waitForEvent("permission.asked", { sessionID: session.id });
  expect(properties.permission).toBe("team_gate");
  const reply = { requestID: properties.id as string, reply: "once" } as const;
  await server.client.permission.reply(reply, { throwOnError: true });
  expect((await answer).text).toBe("the gate is open");
});

test("what is left out is reported in the log and, when work begins, to the user", async () => {
  model.expect("hello").reply("hello");
  await server.ask("hello");
  const { properties } = await server.waitForEvent("tui.toast.show");
  expect(properties).toMatchObject({ title: "Workflow team", variant: "error" });
  expect(properties.message).toContain("agents/broken.md:2:1 OpenCode does not accept this value");
  expect(properties.message).toContain("2 more");
  for (const path of ["agents/broken.md", "agents/loose.md", "skills/lost/SKILL.md"])
    await server.logWith(`"workflow team: ${path}`);
});
