// A project whose user has agents with our names, on the real OpenCode: in every place where OpenCode looks for agents.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type AgentInfo, opencodeServe } from "@atomic/testing/opencode";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

const yours = ["designer", "orchestrator", "reviewer", "tester"];
const markdown = (about: string, mode = "subagent"): string =>
  `---\ndescription: ${about}\nmode: ${mode}\ntemperature: 0.4\n---\n\nYou know all about ${about}.\n`;
const yourFiles = {
  ".opencode/agents/reviewer.md": markdown("wine"),
  ".opencode/agent/orchestrator.md": markdown("music", "primary"),
  "~/.config/opencode/agents/designer.md": markdown("hats"),
  "opencode.json": { agent: { tester: { prompt: "You test soil.", permission: { edit: "deny" } } } },
};
let opencode: OpencodeWithMagnus;
/** Begun before you had these agents. */
let begun: string;

beforeAll(async () => {
  opencode = await OpencodeWithMagnus.open();
  const { model, project, server } = opencode;
  agents.orchestratorPlans(model, "implement");
  agents.architect(model);
  begun = await opencode.session();
  await opencode.type(begun, "implement", "a profile page with a form --skip-plan-review");
  for (const [path, content] of Object.entries(yourFiles)) await project.write(path, content);
  await project.skipPluginInstall();
  await server.reload();
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

async function listed(server: { readonly client: OpencodeWithMagnus["server"]["client"] }) {
  const { data: found } = await server.client.app.agents({}, { throwOnError: true });
  const { data: config } = await server.client.config.get({}, { throwOnError: true });
  return { agents: found as unknown as readonly AgentInfo[], config };
}

/** From the plan's approval to the end, with our agents under their other names. */
function scriptBuilding(file: string): void {
  const { model } = opencode;
  agents.orchestratorBuilds(model, ["developer", "magnus-designer", "magnus-reviewer", "magnus-tester"]);
  agents.builder(model, "developer", file);
  agents.judge(model, "magnus-designer", "design-validation.md");
  agents.judge(model, "magnus-reviewer", "reviews/code-review/one.md");
  agents.tester(model, "magnus-tester");
  agents.orchestratorEnds(model);
  agents.cleaner(model);
}

test("what OpenCode lists of your agents is what it lists without Magnus Opus, byte for byte", async () => {
  const { project, server, model } = opencode;
  const now = await listed(server);
  await using other = await opencodeServe(project, { model });
  const without = await listed(other);
  // All agents, also OpenCode's own, are denied our tools and skills; OpenCode itself lets them read the skills' folders.
  const { agents: builtin } = without;
  const asBefore = ({ name, permission, ...agent }: AgentInfo) => {
    const before = builtin.find((each) => each.name === name)!.permission.map((rule) => JSON.stringify(rule));
    const added = permission.filter((rule) => !before.includes(JSON.stringify(rule)));
    const others = added.filter((rule) => rule.action !== "deny" && rule.permission !== "external_directory");
    expect(others).toEqual([]);
    return { name, permission: permission.filter((rule) => !added.includes(rule)), ...agent };
  };
  for (const name of yours) {
    const mine = now.agents.find((agent) => agent.name === name)!;
    expect(JSON.stringify(asBefore(mine))).toBe(JSON.stringify(asBefore(builtin.find((each) => each.name === name)!)));
    expect(JSON.stringify(now.config.agent?.[name])).toBe(JSON.stringify(without.config.agent?.[name]));
    expect(now.agents.map((agent) => agent.name)).toContain(`magnus-${name}`);
  }
  expect(now.agents.map((agent) => agent.name)).not.toContain("magnus-developer");
}, 180_000);

test("a run that began before goes on with our agents under their other names, to acceptance", async () => {
  scriptBuilding("src/profile.svelte");
  expect(await opencode.type(begun, "approve")).toBe("please accept");
  expect(await opencode.type(begun, "approve")).toBe("all done");
  const { status, refusals, ignored, votes, names } = opencode.state(begun);
  expect([status.kind, refusals, ignored]).toEqual(["done", 0, 0]);
  expect(votes.map(({ reviewer }) => reviewer)).toEqual(["magnus-designer", "magnus-reviewer"]);
  expect(Object.keys(names).toSorted()).toEqual(yours);
}, 180_000);

test("a new run refuses your agent, asks ours, and says in its steps, titles and status which is which", async () => {
  const { model } = opencode;
  const session = await opencode.session();
  agents.orchestratorPlans(model, "implement");
  agents.architect(model);
  await opencode.type(session, "implement", "a settings page with a form --skip-plan-review");
  const [started] = await opencode.results(session);
  expect(started).toContain("You have an agent `reviewer`, so ours is called `magnus-reviewer`.");
  scriptBuilding("src/settings.svelte");
  expect(await opencode.type(session, "approve")).toBe("please accept");
  const steps = (await opencode.results(session)).join("\n");
  expect(steps).toContain("Delegate to `magnus-tester`");
  const reviewing = Object.entries(opencode.state(session).sessions).find(
    ([, { agent }]) => agent === "magnus-reviewer",
  );
  const messages = await opencode.server.reopen(reviewing![0]).messages();
  const titles = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state.title] : [])),
  );
  expect(titles).toContain("Review by magnus-reviewer: APPROVED");
  expect(opencode.lastPrompt("As magnus-reviewer:")).toContain("do your part");
  model
    .expect("ask mine")
    .tool("task", { description: "taste", prompt: "Taste it.", subagent_type: "reviewer" })
    .then.reply("no");
  await opencode.server.reopen(session).prompt("ask mine", { agent: "magnus-orchestrator" });
  expect((await opencode.results(session)).at(-1)).toMatch(/may delegate to|prevents you from using/);
  expect(await opencode.type(session, "approve")).toBe("all done");
}, 180_000);

test("outside a run, a category of work goes to our agent, and yours keeps its prompt", async () => {
  const { model, server } = opencode;
  const delegation = { description: "look at it", prompt: "Compare the hats", category: "visual" };
  model
    .expect("delegate a look")
    .tool("delegate_task", { ...delegation, run_in_background: false, skills: null })
    .then.reply("done");
  model.expect("Compare the hats").reply("they differ");
  model.expect("which wine").reply("red");
  const session = await server.session();
  await session.prompt("delegate a look", { agent: "magnus-orchestrator" });
  expect((await opencode.results(session.id)).at(-1)).toContain("magnus-designer");
  await (await server.session()).prompt("which wine", { agent: "reviewer" });
  const asked = model.prompts.findLast(({ user }) => user.includes("which wine"))!;
  expect(asked.system).toContain("You know all about wine.");
  expect(asked.system).not.toContain("Magnus Opus");
}, 60_000);
