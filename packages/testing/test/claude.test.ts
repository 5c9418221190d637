import { expect, setDefaultTimeout, test } from "bun:test";
import { claudeQuery } from "@atomic/testing/claude";
import { heavyHost } from "@atomic/testing/heavy";
import { latch } from "@atomic/testing/latch";
import { modelServer } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

const host = heavyHost("claude");
if (!host.available) console.warn(`skipped: tests of the Claude Agent SDK: ${host.reason}`);
const claudeTest = test.skipIf(!host.available);

claudeTest("Claude answers from the scripted model and reports its tokens", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect("say hello").reply("hello from the script").usage({ input: 111, output: 22 });
  await using claude = await claudeQuery(project, model, "say hello");
  expect(await claude.answer()).toMatchObject({
    text: "hello from the script",
    isError: false,
    usage: { input: 111, output: 22 },
  });
  expect(claude.messages[0]).toMatchObject({ type: "system", subtype: "init", cwd: project.dir });
  expect(model.requests.map(({ wire }) => wire)).toEqual(["messages"]);
});

claudeTest("a command says whose it is, and by which other names it goes", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({ files: { ".claude/commands/ship.md": "Ship it." } });
  model.expect("hi").reply("hi");
  await using claude = await claudeQuery(project, model, "hi");
  const commands = await claude.supportedCommands();
  expect(commands.find(({ name }) => name === "ship")?.builtin).toBeUndefined();
  expect(commands.filter(({ builtin }) => builtin).flatMap(({ aliases = [] }) => aliases)).not.toEqual([]);
  await claude.answer();
});

claudeTest("prompts can be given one after the other, and the scope ends those that are still to come", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect("one").reply("first");
  model.expect("two").reply((request) => `second of ${request.messages.length} messages`);
  const answered = latch();
  async function* prompts(): AsyncGenerator<string> {
    yield "one";
    await answered.opened;
    yield "two";
    await new Promise(() => undefined);
  }
  await using claude = await claudeQuery(project, model, prompts());
  expect((await claude.answer()).text).toBe("first");
  const after = claude.messages.length;
  answered.open();
  expect((await claude.answer({ after })).text).toBe("second of 3 messages");
});

claudeTest("an interrupted turn ends with a result and no more words", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect("think long").reply("hm").hang();
  await using claude = await claudeQuery(project, model, "think long");
  const request = await model.waitFor("think long");
  await claude.interrupt();
  expect(await request.ended).toBe("aborted");
  expect(await claude.answer()).toMatchObject({ isError: true });
});

claudeTest("instructions of the project and of the private home reach the model", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({
    files: { "CLAUDE.md": "Project rule: speak Latin.", "~/.claude/CLAUDE.md": "Home rule: be brief." },
  });
  model.expect("hi").reply("salve");
  await using claude = await claudeQuery(project, model, "hi");
  expect((await claude.answer()).text).toBe("salve");
  const sent = JSON.stringify(model.requests[0]?.raw);
  expect(sent).toContain("Project rule: speak Latin.");
  expect(sent).toContain("Home rule: be brief.");
});

claudeTest("options of the SDK are put on top of ours", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect({ user: "hi", system: "You are a teapot." }).reply("short and stout");
  const sdk = { systemPrompt: "You are a teapot.", tools: [], includePartialMessages: true };
  await using claude = await claudeQuery(project, model, "hi", { sdk });
  expect((await claude.answer()).text).toBe("short and stout");
  expect(model.requests[0]?.tools).toEqual([]);
  expect(claude.messages.map(({ type }) => type)).toContain("stream_event");
});
