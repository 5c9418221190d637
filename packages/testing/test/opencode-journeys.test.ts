import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import type { OpencodeServer } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

// What later tests need to drive on the real server: commands, questions, reloads, interruptions, crowds.
let model: ModelServer;
let project: Project;
let server: OpencodeServer;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  model = stack.use(await modelServer());
  project = stack.use(
    await tmpProject({
      files: { ".opencode/command/greet.md": "---\ndescription: Greets\n---\nGreet $1 in the tone of $2." },
    }),
  );
  server = stack.use(await opencodeServe(project, { model }));
});
afterEach(() => model.verify());
afterAll(() => stack.disposeAsync());

test("a command reaches the model as the prompt it stands for", async () => {
  model.expect("Greet Ada in the tone of a sailor.").reply("Ahoy Ada!");
  const { id: sessionID } = await server.session();
  const { data } = await server.client.session.command(
    { sessionID, command: "greet", arguments: 'Ada "a sailor"' },
    { throwOnError: true },
  );
  expect(data.parts).toContainEqual(expect.objectContaining({ type: "text", text: "Ahoy Ada!" }));
});

test("a question of the model is answered over the client", async () => {
  const options = [
    { label: "Tea", description: "Hot" },
    { label: "Water", description: "Cold" },
  ];
  model
    .expect("serve me")
    .tool("question", { questions: [{ question: "What to drink?", header: "Drink", options }] })
    .then.reply((request) => `Noted: ${request.toolResults}`);
  const session = await server.session();
  const answer = session.prompt("serve me");
  const { properties } = await server.waitForEvent("question.asked", { sessionID: session.id });
  const requestID = properties.id as string;
  await server.client.question.reply({ requestID, answers: [["Tea"]] }, { throwOnError: true });
  expect((await answer).text).toMatch(/Noted: .*Tea/);
});

test("a tool that runs is ended by an abort, and the next prompt is a fresh one", async () => {
  await project.run(["mkfifo", "alive"]);
  model.expect("wait for me").tool("bash", { command: "echo up > alive; exec sleep 1000", description: "Waits" });
  model.expect("never mind").reply("all right");
  const session = await server.session();
  const answer = session.prompt("wait for me");
  expect((await project.run(["cat", "alive"])).stdout).toBe("up\n");
  await session.abort();
  expect((await answer).error?.name).toBe("MessageAbortedError");
  expect((await session.prompt("never mind")).text).toBe("all right");
});

test("twenty sessions are under way at once, and each gets its own answer", async () => {
  const gate = model.gate();
  const names = Array.from({ length: 20 }, (_, index) => `guest ${index + 1}.`);
  for (const name of names) model.expect(name).wait(gate).reply(`welcome ${name}`);
  const answers = Promise.all(names.map((name) => server.ask(name, { title: name })));
  await Promise.all(names.map((name) => model.waitFor(name)));
  expect(model.prompts.filter((request) => request.outcome === undefined)).toHaveLength(20);
  gate.open();
  expect((await answers).map((answer) => answer.text)).toEqual(names.map((name) => `welcome ${name}`));
});

test("a disposed instance reads the project's files again", async () => {
  const agents = async () => (await server.client.app.agents({}, { throwOnError: true })).data.map(({ name }) => name);
  expect(await agents()).not.toContain("newcomer");
  await project.write(".opencode/agent/newcomer.md", "---\nmode: primary\n---\nYou are new here.");
  await server.reload();
  expect(await agents()).toContain("newcomer");
  model.expect({ user: "hello", system: /You are new here/ }).reply("hello");
  expect((await server.ask("hello", { agent: "newcomer" })).text).toBe("hello");
});

test("a long tool loop keeps its place to the end", async () => {
  let script = model.expect("count to ten");
  for (let number = 1; number <= 10; number++) {
    script = script.tool("bash", { command: `echo ${number}`, description: "Counts" }).then;
  }
  script.reply((request) =>
    request.messages.flatMap((message) => (message.role === "tool" ? [message.text.trim()] : [])).join(" "),
  );
  expect((await server.ask("count to ten")).text).toBe("1 2 3 4 5 6 7 8 9 10");
});
