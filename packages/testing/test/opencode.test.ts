import { expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { debugConfig, opencodeRun, opencodeServe } from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

/** All that a shell or OpenCode itself could take for something else. */
const count = `count "up" to 'me'\n  $HOME \\ and --agent nobody`;

test("opencode run takes a prompt, an agent, arguments and a folder as they are, through two turns", async () => {
  await using model = await modelServer({ models: ["small", "large"] });
  await using project = await tmpProject({
    files: { ".opencode/agent/poet.md": "---\nmode: primary\n---\nYou speak in verse.", "sub/x": "" },
  });
  model
    .expect({ where: (request) => request.user === count && request.model === "large", system: /speak in verse/ })
    .reason("easy")
    .tool("bash", { command: "pwd", description: "Where" })
    .then.reply((request) => `It is ${request.toolResults[0]?.trim()}.`);
  const args = ["--model", "scripted/large"];
  const result = await opencodeRun(project, { model, prompt: count, agent: "poet", args, cwd: "sub" });
  expect(result).toMatchObject({ code: 0, text: `It is ${project.path("sub")}.` });
  expect(result.events.map((event) => event.type)).toContain("tool_use");
});

test("a run that fails is a result", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({ files: { "opencode.json": '{ "model": 7 }' } });
  const { code, stderr, events } = await opencodeRun(project, { model, prompt: "hello" });
  expect({ code, events }).toEqual({ code: 1, events: [] });
  expect(stderr).toContain("opencode.json");
});

test("debug shows all of the config, however much it is; what the project says wins", async () => {
  await using model = await modelServer({ models: ["small", "large"] });
  const agent = { long: { prompt: "x".repeat(400_000) } };
  await using project = await tmpProject({
    files: { "opencode.json": { $schema: "https://opencode.ai/config.json", model: "scripted/large", agent } },
  });
  const before = await project.read("opencode.json");
  const config = await debugConfig(project, { model, config: { username: "Ada" } });
  expect(config).toMatchObject({ model: "scripted/large", small_model: "scripted/small", username: "Ada" });
  expect(config.agent?.long?.prompt).toHaveLength(agent.long.prompt.length);
  expect(await project.read("opencode.json")).toBe(before);
});

const plugin = `export default { id: "mine", server: async () => ({ config: async (config) => {
  config.agent = { ...config.agent, mine: { description: "Mine" } } } }) };`;

test("OpenCode installs nothing before it loads a plugin, thanks to the prepared config folders", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry, files: { ".opencode/plugin/mine.js": plugin } });
  expect((await debugConfig(project)).agent).toHaveProperty("mine");
  expect(registry.requests.map(({ path }) => path)).toEqual([]);
  for (const dir of [".opencode", "~/.config/opencode"]) await project.remove(`${dir}/package-lock.json`);
  await project.run([opencodeBinary, "debug", "config"]);
  expect(registry.requests.map(({ path }) => path)).toContain("/@opencode-ai/plugin");
});

test("a restarted server reads its config again and keeps its sessions; a disposed one is gone", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  await using server = await opencodeServe(project, { model });
  model.expect("before").reply("one");
  model.expect({ user: "after", system: /Speak softly/ }).reply((request) => `${request.messages.length} messages`);
  const session = await server.session({ title: "Kept" });
  await session.prompt("before");
  await project.write("AGENTS.md", "Speak softly.");
  const { url } = server;
  await server.restart();
  expect(server.url).not.toBe(url); // a kept connection would lead to the server that is gone
  const { data } = await server.client.session.list();
  expect(data?.map(({ id, title }) => ({ id, title }))).toEqual([{ id: session.id, title: "Kept" }]);
  expect((await server.reopen(session.id).prompt("after")).text).toBe("3 messages");
  // What the first one had not written yet when it was killed is lost.
  expect(await server.logWith(`session.id=${session.id}`)).toContain("message=loop");

  const { url: last } = server;
  expect((await fetch(`${last}/global/health`)).status).toBe(200);
  await server[Symbol.asyncDispose]();
  for (const gone of [url, last]) await expect(fetch(`${gone}/global/health`)).rejects.toThrow();
  expect(() => server.url).toThrow("has been stopped");
});

test("a server that cannot start says why", async () => {
  await using project = await tmpProject();
  await expect(opencodeServe(project, { env: { PATH: "", OPENCODE_DB: "/nowhere/at/all.db" } })).rejects.toThrow(
    /before it printed/,
  );
});
