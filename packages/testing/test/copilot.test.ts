import { expect, setDefaultTimeout, test } from "bun:test";
import { copilotClient } from "@atomic/testing/copilot";
import { heavyHost } from "@atomic/testing/heavy";
import { modelServer, wires } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

const host = heavyHost("copilot");
if (!host.available) console.warn(`skipped: tests of the Copilot SDK: ${host.reason}`);
const copilotTest = test.skipIf(!host.available);

for (const { name: wire } of wires) {
  copilotTest(`Copilot answers from the scripted model over ${wire} and reports its tokens`, async () => {
    await using model = await modelServer();
    await using project = await tmpProject();
    model.expect("say hello").reply("hello from the script").usage({ input: 111, output: 22 });
    await using copilot = await copilotClient(project, model);
    const session = await copilot.createSession({ wire });
    expect(await session.sendAndWait("say hello")).toBe("hello from the script");
    expect(model.requests.map((request) => request.wire)).toEqual([wire]);
    expect((await session.waitFor("assistant.usage")).data).toMatchObject({ inputTokens: 111, outputTokens: 22 });
  });

  copilotTest(`Copilot runs a tool for real over ${wire} and tells the model what came out`, async () => {
    await using model = await modelServer();
    await using project = await tmpProject();
    model
      .expect("make a file")
      .tool("bash", { command: "echo $((6 * 7)) > made.txt && cat made.txt", description: "Make a file" })
      .then.reply("made");
    await using copilot = await copilotClient(project, model);
    const session = await copilot.createSession({ wire });
    expect(await session.sendAndWait("make a file")).toBe("made");
    expect(await project.read("made.txt")).toBe("42\n");
    expect(model.requests.at(-1)?.toolResults[0]).toStartWith("42\n");
  });

  copilotTest(`the model sees that a hanging answer over ${wire} was given up`, async () => {
    await using model = await modelServer();
    await using project = await tmpProject();
    model.expect("think long").reply("hm").hang();
    await using copilot = await copilotClient(project, model);
    const session = await copilot.createSession({ wire });
    await session.send("think long");
    const request = await model.waitFor("think long");
    await session.abort();
    expect(await request.ended).toBe("aborted");
    await session.waitFor("abort");
  });
}

copilotTest("a tool of the test runs in the test", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model
    .expect("which ticket")
    .tool("next_ticket", { after: 41 })
    .then.reply((request) => request.toolResults[0] ?? "");
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession({
    tools: [
      {
        name: "next_ticket",
        description: "Gives the next ticket",
        parameters: { type: "object", properties: { after: { type: "number" } }, required: ["after"] },
        handler: ({ after }) => `ticket ${Number(after) + 1}`,
      },
    ],
  });
  expect(await session.sendAndWait("which ticket")).toBe("ticket 42");
  expect(session.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["tool.execution_start", "tool.execution_complete", "session.idle"]),
  );
});

copilotTest("the answer arrives word by word as events", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  const gate = model.gate();
  model.expect("count").slow(["one ", "two ", "three"], gate);
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  const answer = session.sendAndWait("count");
  const deltas = () => session.events.filter(({ type }) => type === "assistant.message_delta");
  for (const word of ["one ", "two ", "three"]) {
    gate.release();
    await session.waitFor("assistant.message_delta", ({ data }) => data.deltaContent === word);
  }
  expect(await answer).toBe("one two three");
  expect(deltas()).toHaveLength(3);
});

copilotTest("an agent and a system message given to a session reach the model", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect({ user: "hi", system: "You are a teapot." }).reply("short and stout");
  await using copilot = await copilotClient(project, model);
  const teapot = { name: "teapot", displayName: "Teapot", description: "Pours", prompt: "You are a teapot." };
  const session = await copilot.createSession({ sdk: { customAgents: [teapot], agent: "teapot" } });
  expect(await session.sendAndWait("hi")).toBe("short and stout");
});

copilotTest("instructions of the project reach the model", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({ files: { "AGENTS.md": "Project rule: speak Latin." } });
  model.expect("hi").reply("salve");
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  expect(await session.sendAndWait("hi")).toBe("salve");
  expect(JSON.stringify(model.requests[0]?.raw)).toContain("Project rule: speak Latin.");
});

copilotTest("an answer that does not come is given up at the deadline, and the session goes on", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  const gate = model.gate();
  model.expect("think long").wait(gate).reply("forty-two");
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  await expect(session.sendAndWait("think long", 1)).rejects.toThrow(/timeout/i);
  await gate.reached();
  gate.open();
  await session.waitFor("assistant.message", ({ data }) => data.content === "forty-two");
});

copilotTest("a disconnected session tells those who wait", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  const waiting = session.waitFor("session.idle");
  await session.disconnect();
  await expect(waiting).rejects.toThrow("No event session.idle: the session was disconnected");
});

copilotTest("a session lists skills and agents, and tells what a command would send", async () => {
  await using model = await modelServer();
  const skill = "---\nname: shipping\ndescription: How to ship\n---\nShip $ARGUMENTS.";
  const agent = "---\nname: reviewer\ndescription: Reviews changes\n---\nReview.";
  await using project = await tmpProject({
    files: { ".github/skills/shipping/SKILL.md": skill, ".github/agents/reviewer.agent.md": agent },
  });
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  expect(await session.skills()).toContainEqual(expect.objectContaining({ name: "shipping", userInvocable: true }));
  expect(await session.agents()).toContainEqual(
    expect.objectContaining({ name: "reviewer", description: "Reviews changes" }),
  );
  expect(await session.invokeCommand("shipping", "v2")).toContain("Ship v2.");
  expect(model.requests).toEqual([]);
});
