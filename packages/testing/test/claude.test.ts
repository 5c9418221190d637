import { expect, setDefaultTimeout, test } from "bun:test";
import { claudeQuery, type ToolDecision } from "@atomic/testing/claude";
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

claudeTest("Claude runs a tool for real and tells the model what came out", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model
    .expect("make a file")
    .tool("Bash", { command: "echo $((6 * 7)) > made.txt && cat made.txt", description: "Make a file" })
    .then.reply("made");
  await using claude = await claudeQuery(project, model, "make a file");
  expect((await claude.answer()).text).toBe("made");
  expect(await project.read("made.txt")).toBe("42\n");
  expect(model.requests.at(-1)?.toolResults).toEqual(["42"]);
});

claudeTest("a tool that the policy denies does not run, and the model reads why", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  const asked: string[] = [];
  const canUseTool = (tool: string, input: Record<string, unknown>): ToolDecision => {
    asked.push(`${tool} ${input.command}`);
    return { behavior: "deny", message: "not before the review" };
  };
  model.expect("make a file").tool("Bash", { command: "touch made.txt", description: "x" }).then.reply("a pity");
  await using claude = await claudeQuery(project, model, "make a file", { canUseTool });
  expect((await claude.answer()).text).toBe("a pity");
  expect(asked).toEqual(["Bash touch made.txt"]);
  expect(await project.exists("made.txt")).toBe(false);
  expect(model.requests.at(-1)?.toolResults[0]).toContain("not before the review");
});

claudeTest("a session is resumed with what was said before", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect("my name is Ada").reply("hello Ada");
  await using first = await claudeQuery(project, model, "my name is Ada");
  const { sessionId } = await first.answer();
  model.expect("what is my name").reply("Ada");
  await using second = await claudeQuery(project, model, "what is my name", { resume: sessionId });
  expect(await second.answer()).toMatchObject({ text: "Ada", sessionId });
  expect(
    model.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("\n"),
  ).toContain("hello Ada");
});

claudeTest("Claude lists the project's commands and agents", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({
    files: {
      ".claude/commands/ship.md": "---\ndescription: Ships it\nargument-hint: '[version]'\n---\nShip $ARGUMENTS",
      ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews changes\n---\nReview.",
    },
  });
  model.expect("hi").reply("hi");
  await using claude = await claudeQuery(project, model, "hi");
  expect(await claude.supportedCommands()).toContainEqual(
    expect.objectContaining({ name: "ship", argumentHint: "[version]" }),
  );
  expect(await claude.supportedAgents()).toContainEqual(
    expect.objectContaining({ name: "reviewer", description: "Reviews changes" }),
  );
  await claude.answer();
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

claudeTest("the model sees that a hanging answer was given up", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect("think long").reply("hm").hang();
  await using claude = await claudeQuery(project, model, "think long");
  const request = await model.waitFor("think long");
  claude.abort();
  expect(await request.ended).toBe("aborted");
  await expect(claude.answer()).rejects.toThrow("No result of Claude");
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

claudeTest("a slash command is expanded before the model sees it", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({ files: { ".claude/commands/ship.md": "Ship version $0 for $1 now." } });
  model.expect(/Ship version 2 for "?Ada Lovelace"? now/).reply("shipped");
  await using claude = await claudeQuery(project, model, '/ship 2 "Ada Lovelace"');
  expect((await claude.answer()).text).toBe("shipped");
});

claudeTest("a model that fails makes an answer that is an error", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  // Claude asks again with fewer tools and features before it believes a 400.
  model.expect("hi").status(400, { message: "no such luck" }).always();
  await using claude = await claudeQuery(project, model, "hi");
  const { isError, text } = await claude.answer();
  expect(isError).toBe(true);
  expect(text).toContain("no such luck");
});

claudeTest("two queries at once do not disturb each other", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  const gate = model.gate();
  model.expect("first").wait(gate).reply("one");
  model.expect("second").reply("two");
  await using first = await claudeQuery(project, model, "first");
  await gate.reached();
  await using second = await claudeQuery(project, model, "second");
  expect((await second.answer()).text).toBe("two");
  gate.open();
  expect((await first.answer()).text).toBe("one");
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

claudeTest("Claude writes and edits files with its own tools", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  const file = project.path("notes.md");
  model
    .expect("take notes")
    .tool("Write", { file_path: file, content: "one\ntwo\n" })
    .then.tool("Edit", { file_path: file, old_string: "two", new_string: "2" })
    .then.reply("noted");
  await using claude = await claudeQuery(project, model, "take notes");
  expect((await claude.answer()).text).toBe("noted");
  expect(await project.read("notes.md")).toBe("one\n2\n");
});
