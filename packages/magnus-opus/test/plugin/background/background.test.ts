// Background tasks on the real OpenCode, with a scripted model. No run is needed.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { OpencodeWithMagnus, pluginSource, projectFiles } from "../opencode-with-magnus.ts";

let opencode: OpencodeWithMagnus;
let model: ModelServer;
beforeAll(async () => {
  model = await modelServer({ models: ["model-1", "model-2"] });
  const settings = {
    background: { agents: ["build"], perModel: 60, perSession: 60, open: 60 },
    categories: {
      visual: { model: "scripted/model-2", temperature: 0.7, maxTokens: 99 },
      lost: { agent: "explorer", model: "scripted/model-9" },
    },
  };
  const project = await tmpProject({ files: { ...projectFiles, ".opencode/magnus-opus.json": settings } });
  // OpenCode's own background tasks are on, too: both have to work side by side.
  const env = { OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "true" };
  const server = await opencodeServe(project, { model, plugins: [pluginSource], env });
  opencode = new OpencodeWithMagnus(model, project, server);
}, 180_000);
afterEach(() => model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

const launching = (name: string) => ({ description: `look for ${name}`, prompt: `Find ${name}.`, agent: "explorer" });
const delegating = (name: string, more: object) => ({
  ...{ description: `look for ${name}`, prompt: `Find ${name}.`, run_in_background: false, skills: null },
  ...more,
});
const results = /<background_results/;

/** What OpenCode's screen shows of the finished calls in a session. */
async function titlesIn(session: string): Promise<string[]> {
  const parts = (await opencode.server.reopen(session).messages()).flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state.title] : []));
}

async function ask(session: string, text: string, agent = "orchestrator"): Promise<string> {
  return (await opencode.server.reopen(session).prompt(text, { agent })).text;
}

type Messages = Awaited<ReturnType<ReturnType<typeof opencode.server.reopen>["messages"]>>;

/** What the person and OpenCode have said in a session. */
async function userTexts(session: string): Promise<string[]> {
  return textsOf(await opencode.server.reopen(session).messages());
}

function textsOf(messages: Messages): string[] {
  const users = messages.filter(({ role }) => role === "user");
  return users.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
}

/** Until so many results have reached the session, and it has answered. */
async function delivered(session: string, count: number): Promise<void> {
  await answered(session, (texts) => taskIds(texts).length >= count);
}

/** Until the session has answered everything, and `isAll` of what it was told. */
async function answered(session: string, isAll: (texts: readonly string[]) => boolean): Promise<void> {
  const { server } = opencode;
  for (;;) {
    const after = server.events.length;
    const messages = await server.reopen(session).messages();
    const isAnswered = messages.at(-1)?.parts.some(({ type }) => type === "step-finish") === true;
    if (isAnswered && isAll(textsOf(messages))) return;
    await server.waitForEvent(({ sessionID }) => sessionID === session, { after });
  }
}

/** A person sees that a task has ended. */
async function toasted(text: string): Promise<void> {
  await opencode.server.waitForEvent(
    ({ type, properties }) => type === "tui.toast.show" && String(properties.message).startsWith(text),
  );
}

const idsIn = (text: string): string[] => [...text.matchAll(/ses_\w+/g)].map(([id]) => id);
const taskIds = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => [...text.matchAll(/<task id="(ses_\w+)"/g)].map(([, id = ""]) => id));

test("a task works in the background, and its result wakes the parent, which keeps its agent and its model", async () => {
  const { server } = opencode;
  const gate = model.gate();
  model.expect("Find the cat").wait(gate).reply("It is on the mat.");
  model.expect("Look around").tool("background_task", launching("the cat")).then.reply("I will wait.");
  model.expect({ user: results, model: "model-2" }).reply("The cat is on the mat.");
  const session = await opencode.session();
  const chosen = { providerID: "scripted", modelID: "model-2" };
  const parts = [{ type: "text", text: "Look around" } as const];
  await server.client.session.prompt({ sessionID: session, agent: "orchestrator", model: chosen, parts });
  gate.release();
  await delivered(session, 1);
  const [, told = ""] = await userTexts(session);
  expect(told).toContain("It is on the mat.");
  const { data } = await server.client.session.get({ sessionID: session });
  expect(data).toMatchObject({ agent: "orchestrator", model: { id: "model-2", providerID: "scripted" } });
  const [child = ""] = taskIds([told]);
  expect((await server.client.session.get({ sessionID: child })).data?.parentID).toBe(session);
}, 60_000);

test("fifty tasks of one parent all deliver, each once", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `item-${index}.`);
  model
    .expect(/^Find item-\d+\./)
    .reply("found")
    .always();
  let turn = model.expect("Find everything");
  for (const name of names) turn = turn.tool("background_task", launching(name));
  turn.then.reply("launched");
  model.expect(results).reply("thanks").always();
  const session = await opencode.session();
  await ask(session, "Find everything");
  const launched = (await opencode.results(session)).flatMap((text) => idsIn(text).slice(0, 1));
  expect(launched).toHaveLength(50);
  await delivered(session, 50);
  const told = taskIds(await userTexts(session));
  expect(told.toSorted()).toEqual(launched.toSorted());
  expect((await userTexts(session)).filter((text) => results.test(text)).length).toBeLessThan(50);
}, 120_000);

test("siblings that end while the parent speaks are delivered together when it is idle", async () => {
  const [speaking, working] = [model.gate(), model.gate()];
  model.expect("Find one").wait(working).reply("one found");
  model.expect("Find two").wait(working).reply("two found");
  model
    .expect("Find both")
    .tool("background_task", launching("one"))
    .tool("background_task", launching("two"))
    .then.reply("Meanwhile")
    .wait(speaking)
    .reply(", I talk.");
  model.expect(results).reply("both");
  const session = await opencode.session();
  const said = ask(session, "Find both");
  await speaking.reached();
  working.open();
  for (const name of ["one", "two"]) await toasted(`look for ${name} (explorer): completed`);
  expect(await userTexts(session)).toHaveLength(1);
  speaking.open();
  expect(await said).toBe("Meanwhile, I talk.");
  await delivered(session, 2);
  const [, told = "", ...more] = await userTexts(session);
  // OpenCode starts the tools of one message at the same time, so either can be launched first.
  for (const found of ["one found", "two found"]) expect(told).toContain(found);
  expect(more).toEqual([]);
}, 60_000);

test("Esc stops every task, nothing wakes the parent, and the next message carries what became of them", async () => {
  const { server } = opencode;
  const gate = model.gate();
  model.expect("Find the dog").hang();
  model.expect("Find the bird").reply("in the tree");
  model
    .expect("Find pets")
    .tool("background_task", launching("the dog"))
    .tool("background_task", launching("the bird"))
    .then.reply("Waiting")
    .wait(gate)
    .reply("never said");
  const session = await opencode.session();
  const said = ask(session, "Find pets");
  await gate.reached();
  const [dog = ""] = (await opencode.results(session)).flatMap((text) => idsIn(text).slice(0, 1));
  await model.waitFor("Find the dog");
  await toasted("look for the bird (explorer): completed");
  const after = server.events.length;
  await server.reopen(session).abort();
  await said;
  await server.waitForEvent("session.idle", { sessionID: dog, after });
  await model.waitFor((request) => request.user.includes("Find the dog") && request.aborted);
  gate.open();
  expect(await userTexts(session)).toHaveLength(1);
  model.expect("What happened?").reply("I see");
  expect(await ask(session, "What happened?")).toBe("I see");
  const [, told = "", ...more] = await userTexts(session);
  expect(more).toEqual([]);
  expect(told).toMatch(/state="cancelled" description="look for the dog"/);
  expect(told).toMatch(/state="completed" description="look for the bird">\nin the tree/);
}, 60_000);

describe("delegate_task", () => {
  test("waits for the result if asked to, and counts it as delivered", async () => {
    model.expect("Find the key").reply("under the pot");
    model
      .expect("Where?")
      .tool("delegate_task", delegating("the key", { subagent_type: "explorer", category: "", resume: "" }))
      .then.reply("there");
    const session = await opencode.session();
    expect(await ask(session, "Where?")).toBe("there");
    expect((await opencode.results(session)).at(-1)).toContain("under the pot");
    expect(await userTexts(session)).toHaveLength(1);
  }, 60_000);

  test("a category names the agent and the model; without its model the parent's is used", async () => {
    model.expect({ user: "Find a color", model: "model-2", system: /designer|design/i }).reply("teal");
    model.expect({ user: "Find a word", model: "model-1" }).reply("hello");
    model
      .expect("By category")
      .tool("delegate_task", delegating("a color", { category: "visual" }))
      .then.tool("delegate_task", delegating("a word", { category: "lost" }))
      .then.reply("done");
    const session = await opencode.session();
    expect(await ask(session, "By category")).toBe("done");
    expect((await opencode.results(session)).join("\n")).toMatch(/teal[\s\S]*hello/);
    const asked = model.prompts.findLast(({ user }) => user.includes("Find a color"))!;
    expect(asked.raw).toMatchObject({ temperature: 0.7, max_tokens: 99 });
  }, 60_000);

  test("checks its arguments, and says what is wrong", async () => {
    const refusals = [
      [{ run_in_background: undefined }, "run_in_background is required: boolean"],
      [{ skills: undefined }, "skills is required: array or null"],
      [{ category: "visual", subagent_type: "explorer" }, "name either a `category` or a `subagent_type`, not both"],
      [{}, "name a `subagent_type` or a `category`"],
      [{ subagent_type: "desiner" }, 'there is no agent "desiner". Did you mean designer?'],
      [{ category: "visuel" }, 'there is no category "visuel". Did you mean visual?'],
      [{ subagent_type: "orchestrator" }, "orchestrator is a primary agent"],
      [{ subagent_type: "explorer", skills: ["convx"] }, 'there is no skill "convx". Did you mean convex?'],
      [{ subagent_type: "general" }, "may not delegate to general"],
      [{ subagent_type: "explorer", resume: "ses_nobody" }, "ses_nobody is not a task that this session has launched"],
      [{ subagent_type: "explorer", wait: true }, "wait is not an argument"],
    ] as const;
    let turn = model.expect("Wrong");
    for (const [more] of refusals) turn = turn.tool("delegate_task", delegating("it", more));
    turn.then.reply("refused");
    const session = await opencode.session();
    await ask(session, "Wrong");
    const told = await opencode.results(session);
    expect(told).toEqual(refusals.map(([, why]) => expect.stringContaining(why)));
  }, 60_000);

  test("skills of a task are part of its prompt only", async () => {
    model.expect({ user: "Find a table", system: /<skill name="convex">/ }).reply("users");
    const more = { subagent_type: "explorer", skills: ["convex"] };
    model.expect("With a skill").tool("delegate_task", delegating("a table", more)).then.reply("ok");
    expect(await ask(await opencode.session(), "With a skill")).toBe("ok");
  }, 60_000);
});

test("results can be looked at, waited for, resumed and summarized; tasks can be listed and cancelled", async () => {
  const gate = model.gate();
  const session = await opencode.session();
  const id = (request: { messages: unknown }): string => idsIn(JSON.stringify(request.messages)).at(0)!;
  model
    .expect("Find the book")
    .wait(gate)
    .reply(`${"x".repeat(9_000)} on the shelf`);
  model.expect("Find the pen").hang().always(); // it may be cancelled before it is asked
  model.expect("Read on.").reply("chapter two");
  model.expect(/^Summarize your result/).reply("a book");
  model
    .expect("Library")
    .tool("background_task", launching("the book"))
    .then.tool("background_output", (request) => ({ task_id: id(request), wait: false }))
    .then.tool("background_output", (request) => ({ task_id: id(request), timeout_seconds: 3_000_000 }))
    .then.tool("background_output", (request) => ({ task_id: id(request), detail: "whole" }))
    .then.tool("delegate_task", (request) => ({
      ...delegating("more", { subagent_type: "explorer", resume: id(request) }),
      prompt: "Read on.",
    }))
    .then.tool("background_output", (request) => ({ task_id: id(request), detail: "summary" }))
    .then.tool("background_task", launching("the pen"))
    .then.tool("background_list")
    .then.tool("background_cancel", { all: true })
    .then.tool("background_list")
    .then.reply("read");
  const said = ask(session, "Library");
  await gate.reached();
  await opencode.server.waitForEvent(
    ({ type, properties }) =>
      type === "message.part.updated" && JSON.stringify(properties).includes("It has not ended yet"),
  );
  gate.open();
  expect(await said).toBe("read");
  const told = await opencode.results(session);
  expect(told[1]).toContain("It has not ended yet");
  expect(told[2]).toMatch(/x{3000}\n\[…\]\nx+ on the shelf[\s\S]*Shortened/);
  expect(told[3]).toMatch(/x{9000} on the shelf/);
  expect(told[4]).toContain("chapter two");
  expect(told[5]).toContain("a book");
  expect(told[7]).toMatch(/completed[\s\S]*working[\s\S]*look for the pen/);
  expect(told[8]).toMatch(/^background_cancel: Cancelled 1 task/);
  expect(told[9]).toMatch(/cancelled/);
  expect(await titlesIn(session)).toEqual([
    ...["look for the book (explorer)", "look for the book: working", "look for the book: completed"],
    ...["look for the book: completed", "look for more (explorer)", "look for more: completed"],
    ...[
      "look for the pen (explorer)",
      "Background tasks: 1 open",
      "Background tasks: 0 open",
      "Background tasks: 0 open",
    ],
  ]);
  expect(await userTexts(session)).toHaveLength(1);
}, 60_000);

test("a task that ends without a word, or fails, is reported as such", async () => {
  model.expect("Find nothing").reply("");
  model.expect("Find trouble").status(400, { message: "no such luck" });
  model
    .expect("Oddities")
    .tool("delegate_task", delegating("nothing", { subagent_type: "explorer" }))
    .then.tool("delegate_task", delegating("trouble", { subagent_type: "explorer" }))
    .then.reply("odd");
  const session = await opencode.session();
  await ask(session, "Oddities");
  const [silent = "", failed = ""] = await opencode.results(session);
  expect(silent).toMatch(/state="completed"[\s\S]*without saying anything/);
  expect(failed).toMatch(/state="failed"[\s\S]*no such luck/);
}, 60_000);

test("an agent that is not ours has the tools if the settings say so; OpenCode's own background tasks work beside them", async () => {
  model.expect("Find ours").reply("ours");
  model.expect("Find theirs").reply("theirs");
  model
    .expect("Both kinds")
    .tool("background_task", { ...launching("ours"), agent: "general" })
    .tool("task", { description: "theirs", prompt: "Find theirs.", subagent_type: "general", background: true })
    .then.reply("launched");
  model
    .expect(/^<(background_results|task )/)
    .reply("seen")
    .always();
  const session = await opencode.session();
  await ask(session, "Both kinds", "build");
  const told = [/<background_results[\s\S]*\bours/, /<task_result>\s*theirs/];
  await answered(session, (texts) => told.every((each) => each.test(texts.join("\n"))));
}, 60_000);

test("kill -9 in the middle: after the restart nothing is lost, nothing comes twice, and nothing starts by itself", async () => {
  const { project } = opencode;
  const gate = model.gate();
  model.expect("Find the moon").reply("in the sky");
  model.expect("Find the sun").hang();
  model
    .expect("Find lights")
    .tool("background_task", launching("the moon"))
    .tool("background_task", launching("the sun"))
    .then.reply("Looking")
    .wait(gate);
  const session = await opencode.session();
  const said = ask(session, "Find lights").catch((error: unknown) => error);
  await gate.reached();
  await model.waitFor("Find the sun");
  await toasted("look for the moon (explorer): completed");
  const folder = project.path("~/.local/state/magnus-opus/background");
  const [name = ""] = readdirSync(folder);
  const journal = `${folder}/${name}/${session}.jsonl`;
  expect(existsSync(journal)).toBe(true);
  await opencode.server.restart();
  await said;
  model.expect("And now?").reply("I see");
  expect(await ask(session, "And now?")).toBe("I see");
  const [, told = "", ...more] = await userTexts(session);
  expect(more).toEqual([]);
  expect(told).toMatch(/state="completed" description="look for the moon">\nin the sky/);
  expect(told).toMatch(/state="interrupted" description="look for the sun"/);
  await opencode.server.restart();
  model.expect("Anything else?").reply("no");
  await ask(session, "Anything else?");
  expect((await userTexts(session)).filter((text) => results.test(text))).toHaveLength(1);
}, 120_000);

test("inside a run every gate applies: what may not be delegated now is refused, and the phase waits for its tasks", async () => {
  const gate = model.gate();
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("delegate_task", delegating("a shortcut", { subagent_type: "developer", run_in_background: true }))
    .then.tool("delegate_task", delegating("a design", { category: "business-logic", run_in_background: true }))
    .then.tool("background_task", { description: "plan", prompt: "Plan it in the background.", agent: "architect" })
    .then.tool("magnus_next")
    .then.reply("planning");
  model.expect("Plan it in the background").wait(gate).reply("planned nothing");
  model.expect(results).reply("no plan yet");
  const session = await opencode.session();
  await opencode.type(session, "implement", "a mutation --type=API_FOCUSED --skip-plan-review");
  const [, , shortcut = "", design = "", launched = "", next = ""] = await opencode.results(session);
  for (const refused of [shortcut, design]) expect(refused).toContain("(gate: user_approval)");
  const [child = ""] = idsIn(launched);
  expect(opencode.state(session).sessions[child]).toMatchObject({ agent: "architect", parent: session, isOpen: true });
  expect(next).toContain(child);
  expect(opencode.state(session).spent.run.sessions).toBe(1);
  gate.open();
  await delivered(session, 1);
  expect(opencode.state(session).sessions[child]?.isOpen).toBe(false);
}, 60_000);
