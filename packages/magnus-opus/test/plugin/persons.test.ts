// What a person types, and what comes of it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type SlowDisposal, slowDisposal } from "@atomic/testing/opencode/slow-disposal";
import { OpencodeWithMagnus, pluginSource } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

const settings = {
  tests: { command: ["sh", "check.sh"] },
  budget: { phases: { architecture: { sessions: 1 } } },
  reviewModels: { autoUse: true, codeReview: ["scripted/model-1", "scripted/model-2"] },
  claim_builtin_commands: true,
  agents: { reviewer: { temperature: "hot" }, explorer: { model: "nobody/here" }, architect: { maxTokens: 1234 } },
  enabled_mcps: ["figma"],
};

let opencode: OpencodeWithMagnus;
let slow: SlowDisposal;

beforeAll(async () => {
  slow = await slowDisposal("slow");
  opencode = await OpencodeWithMagnus.open({ ".opencode/magnus-opus.json": settings }, [slow.plugin, pluginSource]);
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(async () => {
  await opencode[Symbol.asyncDispose]();
  await slow[Symbol.asyncDispose]();
});

test("nothing is written before a run starts, and commands still answer", async () => {
  const { model, project } = opencode;
  const files = async () => (await project.tree()).filter((path) => path !== ".opencode/.gitignore"); // OpenCode's own
  const before = await files();
  model.expect(/typed/).reply("shown").times(5);
  const session = await opencode.session();
  await opencode.type(session, "magnus-status");
  expect(opencode.lastPrompt("/magnus-status")).toContain("This project has no runs.");
  await opencode.type(session, "cleanup");
  expect(opencode.lastPrompt("/cleanup")).toContain("There are no sessions.");
  await opencode.type(session, "approve");
  expect(opencode.lastPrompt("/approve")).toContain("This project has no runs.");
  await opencode.type(session, "magnus-help", "config");
  const help = opencode.lastPrompt("/magnus-help");
  const lines = (await project.read(".opencode/magnus-opus.json")).split("\n");
  const wrong = lines.findIndex((line) => line.includes('"temperature": "hot"')) + 1;
  expect(help).toContain(`magnus-opus.json:${wrong}:22 `);
  expect(help).toContain("agents.reviewer.temperature is not a number, so it is ignored");
  expect(help).toContain("FIGMA_ACCESS_TOKEN is not set");
  await opencode.type(session, "help");
  for (const topic of ["## Commands", "## Agents", "## Workflow types", "## Settings"]) {
    expect(opencode.lastPrompt("/magnus-help")).toContain(topic);
  }
  expect(await files()).toEqual(before);
  expect(existsSync(project.path("~/.local/state/magnus-opus"))).toBe(false);
}, 180_000);

test("an agent whose model is not connected uses the session's model, and the user is informed", async () => {
  const { model, server } = opencode;
  model.expect("As explorer").reply("found it");
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("task", agents.task("explorer"))
    .then.reply("told");
  const session = await opencode.session();
  await opencode.type(session, "implement", "a page");
  const [begun, found] = await opencode.results(session);
  expect(begun).toContain("explorer's model nobody/here is not connected");
  expect(found).toContain("found it");
  const toasts = server.events
    .filter(({ type }) => type === "tui.toast.show")
    .map(({ properties }) => properties.message);
  expect(toasts.join("\n")).toContain("agents.reviewer.temperature is not a number");
  model.expect(/typed `\/magnus-cancel/).reply("ended");
  await opencode.type(session, "magnus-cancel", "only a try");
  expect(opencode.state(session).status).toEqual({ kind: "cancelled", why: "only a try" });
}, 180_000);

test("an unclear feature waits until the user says what it is", async () => {
  const { model } = opencode;
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.reply("what is it?");
  const session = await opencode.session();
  await opencode.type(session, "implement", "make it better");
  expect((await opencode.results(session)).at(-1)).toContain("/approve --type=<type>");
  model
    .expect(/typed `\/approve/)
    .reply("hm")
    .times(2);
  await opencode.type(session, "approve", "--type=ui_focsed");
  expect(opencode.lastPrompt("/approve")).toContain("Did you mean UI_FOCUSED?");
  await opencode.type(session, "approve", "--type=API_FOCUSED");
  expect(opencode.state(session)).toMatchObject({ workflow: "API_FOCUSED", phase: "architecture" });
}, 180_000);

test("every configured review model gets its own reviewer, and all of them must vote", async () => {
  const { model } = opencode;
  for (const name of ["model-1", "model-2"])
    model
      .expect({ user: "Review `src`", model: name })
      .tool("submit_review", { ...agents.approving, summary: `fine, says ${name}` })
      .then.reply("done");
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "magnus-review", arguments: "" })
    .then.tool("task", agents.task("reviewer"))
    .then.tool("magnus_review")
    .then.reply("judged");
  const session = await opencode.session();
  await opencode.type(session, "review", "src");
  const results = await opencode.results(session);
  expect(results[0]).toContain("it asks `reviewer-1` and `reviewer-2`");
  expect(results[1]).toContain("call `magnus_review`, which asks all of them");
  expect(results[2]).toContain("The run is done");
  expect(
    opencode
      .state(session)
      .votes.map((each) => each.model)
      .toSorted(),
  ).toEqual(["scripted/model-1", "scripted/model-2"]);
}, 180_000);

describe("one run, with interruptions", () => {
  let session: string;

  test("Esc pauses it until the user resumes", async () => {
    const { model, server } = opencode;
    const gate = model.gate();
    model
      .expect(/Start a run with `magnus_start`/)
      .tool("magnus_start", { command: "implement", arguments: "" })
      .then.wait(gate)
      .reply("never said");
    session = await opencode.session();
    const typed = opencode.type(session, "implement", "a page for profiles --skip-plan-review").catch(() => undefined);
    await gate.reached();
    await server.reopen(session).abort();
    await typed;
    model
      .expect("and now")
      .tool("magnus_next")
      .tool("task", { description: "x", prompt: "x", subagent_type: "architect" })
      .then.reply("paused");
    await server.reopen(session).prompt("and now", { agent: "orchestrator" });
    expect(opencode.state(session).status).toMatchObject({ kind: "paused", reason: "abort" });
    const [said, refused] = (await opencode.results(session)).slice(-2);
    expect(said).toContain("The run is paused (abort)");
    expect(refused).toContain("Magnus Opus refused task");
    agents.architect(model);
    model
      .expect(/typed `\/magnus-resume/)
      .tool("magnus_next")
      .then.tool("magnus_next")
      .then.tool("task", agents.task("architect"))
      .then.tool("magnus_next")
      .then.reply("please approve");
    expect(await opencode.type(session, "magnus-resume")).toBe("please approve");
    const planning = model.prompts.find(({ user }) => user.startsWith("As architect"));
    expect(planning!.raw).toMatchObject({ max_tokens: 1234 });
  }, 180_000);

  test("it continues when OpenCode reloads its plugins", async () => {
    const { model, server } = opencode;
    await server.reload();
    model.expect("still there?").tool("magnus_next").then.reply("yes");
    await server.reopen(session).prompt("still there?", { agent: "orchestrator" });
    expect((await opencode.results(session)).at(-1)).toContain("the user's approval");
  }, 180_000);

  test("its agents are known again after OpenCode lost them", async () => {
    const { model, server } = opencode;
    const after = server.events.length;
    const held = slow.hold();
    await server.client.instance.dispose({}, { throwOnError: true });
    await held.begun;
    // The answer comes from a config that no plugin has seen, and OpenCode keeps it.
    const agents = async () =>
      (await server.client.app.agents({}, { throwOnError: true })).data.map(({ name }) => name);
    expect(await agents()).not.toContain("orchestrator");
    held.end();
    const disposed = await server.waitForEvent("server.instance.disposed", { after, deadline: 60_000 });
    // The first prompt meets OpenCode without them, which is when Magnus notices.
    const { error } = await server.client.session.prompt({
      sessionID: session,
      agent: "orchestrator",
      parts: [{ type: "text", text: "where are you?" }],
    });
    expect(error).toMatchObject({ name: "UnknownError" });
    await server.waitForEvent("server.instance.disposed", {
      after: server.events.indexOf(disposed) + 1,
      deadline: 60_000,
    });
    model.expect("back again?").tool("magnus_next").then.reply("yes");
    await server.reopen(session).prompt("back again?", { agent: "orchestrator" });
    expect((await opencode.results(session)).at(-1)).toContain("the user's approval");
  }, 180_000);

  test("a rejected plan goes back with the user's notes", async () => {
    const { model } = opencode;
    model
      .expect(/typed `\/reject/)
      .tool("magnus_next")
      .then.reply("once more");
    await opencode.type(session, "reject", "smaller, please");
    expect(opencode.lastPrompt("/reject")).toContain("sent the work back to Architecture Planning: smaller, please");
    expect((await opencode.results(session)).at(-1)).toContain("> smaller, please");
  }, 180_000);

  test("over its budget it stops before the next delegation, and the user raises it", async () => {
    const { model, server } = opencode;
    model.expect("delegate").tool("task", agents.task("architect", "again")).then.reply("refused");
    await server.reopen(session).prompt("delegate", { agent: "orchestrator" });
    expect((await opencode.results(session)).at(-1)).toContain("the architecture phase has used 1 of 1 sessions");
    expect(opencode.state(session).status).toMatchObject({ kind: "paused", reason: "budget" });
    model
      .expect(/typed `\/magnus-(resume|raise)/)
      .reply("noted")
      .times(2);
    await opencode.type(session, "magnus-resume");
    expect(opencode.lastPrompt("/magnus-resume")).toContain(
      "Nothing was recorded: the architecture phase has used 1 of 1 sessions",
    );
    await opencode.type(session, "magnus-raise", "phase.sessions=20 usd=3");
    expect(opencode.state(session)).toMatchObject({
      status: { kind: "running" },
      budget: { phases: { architecture: { sessions: 20 } } },
    });
  }, 180_000);

  test("its status is one screen, and its costs are counted", async () => {
    opencode.model.expect(/typed `\/magnus-status/).reply("shown");
    await opencode.type(session, "magnus-status");
    const status = opencode.lastPrompt("/magnus-status");
    expect(status).toContain("- phase: Architecture Planning (2 of");
    expect(status).toMatch(/^- cost: \$0\.00, \d{2,} tokens, .* 1 of 60 sessions$/m);
    expect(status.split("\n").length).toBeLessThan(45);
    expect(opencode.state(session).spent.run.tokens).toBeGreaterThan(100);
  }, 180_000);

  test("its folder stays until it has ended, and the user can then remove it", async () => {
    const { model, project } = opencode;
    const { run, folder } = opencode.state(session);
    model
      .expect(/typed `\/(cleanup|magnus-cancel)/)
      .reply("done")
      .times(4);
    await opencode.type(session, "cleanup", run);
    expect(opencode.lastPrompt("/cleanup")).toContain("has not ended (running)");
    await opencode.type(session, "cleanup", "../../src");
    expect(opencode.lastPrompt("/cleanup")).toContain('There is no session "../../src".');
    await opencode.type(session, "magnus-cancel");
    await opencode.type(session, "cleanup", run);
    expect(opencode.lastPrompt("/cleanup")).toContain(`Removed the session ${run}.`);
    expect((await project.tree()).filter((path) => path.startsWith(folder))).toEqual([]);
  }, 180_000);
});
