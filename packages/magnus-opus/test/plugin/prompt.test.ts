// A person is asked by OpenCode itself, and answers there.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { opencodeRun } from "@atomic/testing/opencode";
import type { MagnusState } from "../../src/run/state.ts";
import { OpencodeWithMagnus, pluginSource } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

let opencode: OpencodeWithMagnus;
let session: string;

beforeAll(async () => {
  opencode = await OpencodeWithMagnus.open({ ".opencode/magnus-opus.json": { gates: { approvalPrompt: true } } });
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

type Reply = { readonly reply: "once" | "always" | "reject"; readonly message?: string };

/** The agents work until OpenCode asks; the person looks, does something else maybe, and answers. */
async function answer(working: Promise<unknown>, reply: Reply, meanwhile?: () => Promise<void>): Promise<object> {
  const { server } = opencode;
  const asked = await server.waitForEvent("permission.asked", { sessionID: session, after: prompts().after });
  await meanwhile?.();
  const requestID = asked.properties.id as string;
  await server.client.permission.reply({ requestID, ...reply }, { throwOnError: true });
  await working;
  return asked.properties;
}

let before = 0;
function prompts() {
  const all = opencode.server.events.filter(({ type }) => type === "permission.asked");
  return { after: before, count: all.length };
}

async function say(text: string): Promise<void> {
  before = opencode.server.events.length;
  await opencode.server.reopen(session).prompt(text, { agent: "orchestrator" });
}

const plan = (): string => `${opencode.state(session).folder}/implementation-plan.md`;
const decisions = ({ approvals, rejections, waivers }: MagnusState) => [
  approvals.length,
  rejections.length,
  waivers.length,
];
const lastResult = async (): Promise<string> => (await opencode.results(session)).at(-1)!;

test("closing the prompt decides nothing, and the same plan is not asked about again", async () => {
  const { model } = opencode;
  agents.architect(model);
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("task", agents.task("architect"))
    .then.tool("magnus_next")
    .then.tool("magnus_next")
    .then.reply("please approve the plan");
  session = await opencode.session();
  const asked = await answer(opencode.type(session, "implement", "a page for profiles --skip-plan-review"), {
    reply: "reject",
  });
  const { run, folder } = opencode.state(session);
  expect(asked).toMatchObject({
    permission: expect.stringContaining(
      `magnus_approve: implementation-plan.md and quick-reference.md in ${folder} (current version)`,
    ),
    patterns: [`implementation-plan.md and quick-reference.md in ${folder}`],
    always: [],
    metadata: {
      run,
      phase: "architecture",
      files: [`${folder}/implementation-plan.md`, `${folder}/quick-reference.md`],
    },
  });
  const [first, second] = (await opencode.results(session)).slice(-2);
  expect(first).toContain("has not approved; nothing was recorded");
  for (const words of [first, second]) expect(words).toContain("the user types `/approve`");
  expect(prompts().count).toBe(1);
  expect(decisions(opencode.state(session))).toEqual([0, 0, 0]);
}, 180_000);

test("a plan that changes while the prompt is open is not approved", async () => {
  const { model, project } = opencode;
  await project.write(plan(), "# A smaller plan\n");
  model.expect("look again").tool("magnus_next").then.reply("changed");
  await answer(say("look again"), { reply: "once" }, () => project.write(plan(), "# A much bigger plan\n"));
  expect(await lastResult()).toContain("changed while the prompt was open");
  expect(decisions(opencode.state(session))).toEqual([0, 0, 0]);
  expect(opencode.state(session).phase).toBe("architecture");
}, 180_000);

test("a no with notes sends the plan back with them", async () => {
  opencode.model.expect("and now").tool("magnus_next").then.reply("once more");
  await answer(say("and now"), { reply: "reject", message: "without the settings page" });
  expect(await lastResult()).toContain("> without the settings page");
  expect(opencode.state(session).rejections).toMatchObject([
    { notes: "without the settings page", by: { kind: "person", how: "permission" } },
  ]);
}, 180_000);

test("a yes approves what was shown, and work continues in the same turn", async () => {
  const { model } = opencode;
  agents.architect(model);
  model.expect("plan it anew").tool("task", agents.task("architect")).then.tool("magnus_next").then.reply("on with it");
  await answer(say("plan it anew"), { reply: "always" });
  expect(await lastResult()).toContain(
    "Recorded: the user approved the current version of implementation-plan.md and quick-reference.md",
  );
  expect(await lastResult()).toContain("Delegate to `developer`");
  const { phase, approvals } = opencode.state(session);
  expect(phase).toBe("implementation");
  expect(approvals).toMatchObject([{ phase: "architecture", by: { kind: "person", how: "permission" } }]);
}, 180_000);

test("rules that would answer for the user are detected, and no prompt is shown", async () => {
  const { model, server } = opencode;
  agents.architect(model);
  agents.orchestratorPlans(model, "implement");
  const permission = [{ permission: "magnus_*", pattern: "*", action: "allow" as const }];
  session = (await server.session({ permission })).id;
  const { count } = prompts();
  await opencode.type(session, "implement", "a page for settings --skip-plan-review");
  expect(await lastResult()).toContain(
    'needs the rule "ask" for `magnus_approve`, but "magnus_*" says "allow" for "*"',
  );
  expect(await lastResult()).toContain("the user types `/approve`");
  expect(prompts().count).toBe(count);
  expect(decisions(opencode.state(session))).toEqual([0, 0, 0]);
}, 180_000);

test("an OpenCode that answers prompts itself shows none", async () => {
  const { model, project } = opencode;
  agents.architect(model);
  agents.orchestratorPlans(model, "implement");
  const { stdout } = await opencodeRun(project, {
    ...{ model, plugins: [pluginSource], prompt: "a page for nobody --skip-plan-review", agent: "orchestrator" },
    args: ["--auto", "--command", "implement"],
  });
  expect(stdout).toContain("OpenCode was started with `--auto`, so it would answer the prompt itself");
  expect(decisions(opencode.state())).toEqual([0, 0, 0]);
}, 180_000);
