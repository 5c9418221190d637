import { expect, setDefaultTimeout, test } from "bun:test";
import { modelServer, wires } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import {
  debugAgent,
  debugAll,
  debugConfig,
  debugSkills,
  opencode,
  opencodeRun,
  opencodeServe,
} from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(60_000);

/** All that a shell or OpenCode itself could take for something else. */
const count = `count "up" to 'me'\n  $HOME \\ and --agent nobody`;

test.each(wires.map((wire) => wire.name))(
  "opencode run takes a prompt as it is through two turns over %s",
  async (wire) => {
    await using model = await modelServer();
    await using project = await tmpProject();
    model
      .expect({ where: (request) => request.user === count })
      .reason("easy")
      .tool("bash", { command: "echo $((40 + 2))", description: "Adds" })
      .then.reply((request) => `It is ${request.toolResults[0]?.trim()}.`);
    const result = await opencodeRun(project, { model, prompt: count, wire });
    expect(result).toMatchObject({ code: 0, text: "It is 42." });
    expect(result.events.map((event) => event.type)).toContain("tool_use");
    expect(new Set(model.requests.map((request) => request.wire))).toEqual(new Set([wire]));
  },
);

test("an agent, arguments and a folder can be chosen", async () => {
  await using model = await modelServer({ models: ["small", "large"] });
  await using project = await tmpProject({
    files: { ".opencode/agent/poet.md": "---\nmode: primary\n---\nYou speak in verse.", "sub/x": "" },
  });
  model
    .expect({ system: /speak in verse/, model: "large" })
    .tool("bash", { command: "pwd", description: "Where" })
    .then.reply((request) => `${request.toolResults}`);
  const args = ["--model", "scripted/large"];
  const { text } = await opencodeRun(project, { model, prompt: "where", agent: "poet", args, cwd: "sub" });
  expect(text.trim()).toBe(project.path("sub"));
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

test("debug shows agents and skills as OpenCode resolved them", async () => {
  await using project = await tmpProject({
    files: {
      ".opencode/agent/reviewer.md": "---\ndescription: Reviews\npermission:\n  edit: deny\n---\nBe strict.",
      ".opencode/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up\n---\nSweep.",
    },
  });
  const agent = await debugAgent(project, "reviewer");
  expect(agent).toMatchObject({ name: "reviewer", description: "Reviews", mode: "all", prompt: "Be strict." });
  expect(agent.permission).toContainEqual({ permission: "edit", pattern: "*", action: "deny" });
  const skills = await debugSkills(project);
  expect(skills.find((skill) => skill.name === "tidy")).toMatchObject({
    ...{ description: "Tidies up", location: project.path(".opencode/skills/tidy/SKILL.md"), content: "Sweep." },
  });
  const all = await debugAll(project);
  expect(all.config.agent?.reviewer).toMatchObject({ description: "Reviews", prompt: "Be strict." });
  expect(all.agents.find(({ name }) => name === "reviewer")).toMatchObject({
    ...{ description: "Reviews", mode: "all", prompt: "Be strict.", permission: agent.permission },
  });
  expect(all.skills).toEqual(skills);
});

test("an agent that is not there is an error with OpenCode's own words", async () => {
  await using project = await tmpProject();
  await expect(debugAgent(project, "nobody")).rejects.toThrow(/opencode debug agent nobody ended with 1[\s\S]*nobody/);
});

/** Source of a plugin that adds one agent, whose description shows the options it was given. */
function plugin(agent: string): string {
  return `export default { id: "${agent}", server: async (_, options) => ({ config: async (config) => {
    config.agent = { ...config.agent, ${agent}: { description: JSON.stringify(options ?? null) } } } }) };`;
}

test("a plugin is loaded from source, from a folder and from an installed package, with its options", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({
    files: {
      "source.ts": plugin("fromsource").replace("config) =>", "config: { agent?: object }) =>"),
      "folder/index.js": plugin("fromfolder"),
      "node_modules/installed/package.json": { name: "installed", version: "1.0.0", type: "module", main: "main.js" },
      "node_modules/installed/main.js": plugin("frompackage"),
    },
  });
  const plugins = [
    `file://${project.path("source.ts")}`,
    project.path("folder"),
    [project.path("node_modules/installed"), { strict: true }] satisfies [string, object],
  ];
  const { agent } = await debugConfig(project, { model, plugins });
  expect(agent).toMatchObject({
    fromsource: { description: "null" },
    fromfolder: { description: "null" },
    frompackage: { description: '{"strict":true}' },
  });
});

test("OpenCode installs nothing before it loads a plugin, thanks to the prepared config folders", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry, files: { ".opencode/plugin/mine.js": plugin("mine") } });
  expect((await debugConfig(project)).agent).toHaveProperty("mine");
  expect(registry.requests.map(({ path }) => path)).toEqual([]);
  for (const dir of [".opencode", "~/.config/opencode"]) await project.remove(`${dir}/package-lock.json`);
  await project.run([opencodeBinary, "debug", "config"]);
  expect(registry.requests.map(({ path }) => path)).toContain("/@opencode-ai/plugin");
});

test("any other command line can be run", async () => {
  await using project = await tmpProject();
  expect((await opencode(project, ["--version"])).stdout.trim()).toBe("1.18.33");
});

test("a restarted server reads its config anew and still has its sessions; a disposed one is gone", async () => {
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
  expect(await server.log()).toContain("opencode");

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
