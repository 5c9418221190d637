// Whole runs on the real OpenCode, with agents that do as they are told. One for the API is a journey of its own.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

let opencode: OpencodeWithMagnus;

beforeAll(async () => {
  opencode = await OpencodeWithMagnus.open();
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

const review = "reviews/code-review/one.md";

/** Types the command and approves twice; the agents are scripted already. */
async function play(command: string, words: string): Promise<string> {
  const session = await opencode.session();
  expect(await opencode.type(session, command, words)).toBe("please approve the plan");
  expect(await opencode.type(session, "approve")).toBe("please accept");
  expect(await opencode.type(session, "approve")).toBe("all done");
  return session;
}

function scriptAgents(command: string, asked: readonly (string | readonly string[])[]): void {
  const { model } = opencode;
  agents.orchestratorPlans(model, command, ["magnus_review"]);
  agents.architect(model);
  agents.orchestratorBuilds(model, asked);
  agents.reviewer(model, /^Judge the plan/);
  agents.reviewer(model, /^Review the change that was made for this request: a profile page/);
  agents.orchestratorEnds(model);
  agents.cleaner(model);
}

test("a UI feature passes all phases up to its summary without a refusal", async () => {
  const { model } = opencode;
  scriptAgents("implement", ["developer", "designer", "magnus_review", "tester"]);
  agents.builder(model, "developer", "src/profile.svelte");
  agents.judge(model, "designer", "design-validation.md");
  agents.tester(model);
  const session = await play("implement", "a profile page with a form --figma https://figma.test/file");
  const { status, workflow, refusals, ignored, folder, visits, artifacts } = opencode.state(session);
  expect({ status, workflow, refusals, ignored }).toEqual({
    ...{ status: { kind: "done" }, workflow: "UI_FOCUSED", refusals: 0, ignored: 0 },
  });
  expect(visits.map(({ phase }) => phase as string)).toEqual([
    ...["requirements", "architecture", "plan-review", "implementation", "design-validation", "code-review"],
    ...["testing", "acceptance", "cleanup"],
  ]);
  expect(Object.keys(artifacts)).toEqual(
    expect.arrayContaining([
      ...["reviews/plan-review/consensus.md", "reviews/code-review/consensus.md", "final-summary.md"],
    ]),
  );
  expect(await opencode.project.json(`${folder}/session-meta.json`)).toMatchObject({
    ...{ status: "completed", workflowType: "UI_FOCUSED", figmaUrl: "https://figma.test/file" },
  });
}, 180_000);

test("a mixed feature is built by both agents in parallel; a review that wants changes sends it back", async () => {
  const { model } = opencode;
  agents.orchestratorPlans(model, "implement");
  agents.architect(model);
  const finding = { severity: "MAJOR", file: "src/both.svelte", line: 1, problem: "It is wrong.", fix: "Right it." };
  agents.judge(model, "reviewer", review, { verdict: "NEEDS_REVISION", summary: "one bug", findings: [finding] });
  agents.judge(model, "reviewer", "reviews/code-review/two.md");
  agents.builder(model, "developer", "src/both.svelte");
  agents.builder(model, "backend", "convex/both.ts");
  model
    .expect("As developer: mend")
    .tool("write", { filePath: "src/both.svelte", content: "<p>right</p>\n" })
    .then.reply("mended");
  agents.judge(model, "designer", "design-validation.md");
  agents.tester(model);
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", agents.task("developer"))
    .tool("task", agents.task("backend"))
    .then.tool("magnus_next")
    .then.tool("task", agents.task("designer"))
    .then.tool("magnus_next")
    .then.tool("task", agents.task("reviewer"))
    .then.tool("magnus_next")
    .then.tool("task", agents.task("developer", "mend"))
    .then.tool("magnus_next")
    .then.tool("task", agents.task("reviewer"))
    .then.tool("magnus_next")
    .then.tool("task", agents.task("tester"))
    .then.tool("magnus_next")
    .then.tool("write", agents.writing("final-summary.md"))
    .then.tool("magnus_next")
    .then.reply("please accept");
  agents.orchestratorEnds(model);
  agents.cleaner(model);
  const session = await play("implement", "settings --skip-plan-review --type mixed");
  const { status, workflow, refusals, visits } = opencode.state(session);
  expect([status.kind, workflow, refusals]).toEqual(["done", "MIXED", 0]);
  expect(visits.map(({ phase }) => phase as string)).toEqual([
    ...["requirements", "architecture", "implementation", "design-validation", "code-review", "review-fixes"],
    ...["code-review", "testing", "acceptance", "cleanup"],
  ]);
  const reviewFixes = (await opencode.results(session)).find((result) => result.includes("Review Fixes"));
  expect(reviewFixes).toContain("MAJOR src/both.svelte:1 It is wrong. Fix: Right it.");
}, 180_000);

test("/implement-api is an API run whatever the description says", async () => {
  agents.orchestratorPlans(opencode.model, "implement-api");
  agents.architect(opencode.model);
  const session = await opencode.session();
  await opencode.type(session, "implement-api", "a button on the page --skip-plan-review");
  expect(opencode.state(session)).toMatchObject({
    flow: "implement-api",
    workflow: "API_FOCUSED",
    phase: "architecture",
  });
  expect(opencode.state(session).run).toStartWith("api-");
}, 180_000);

test.each([
  ["validate-ui", "src/app.html --figma https://figma.test/f", "designer", "design-validation.md"],
  ["magnus-review", "", "reviewer", review],
] as const)(
  "/%s reports what it finds, and changes nothing",
  async (command, words, agent, report) => {
    const { model } = opencode;
    const finding = { severity: "MINOR", file: "src/app.html", line: 1, problem: "No title.", fix: "Add one." };
    agents.judge(model, agent, report, { verdict: "NEEDS_REVISION", summary: "small things", findings: [finding] });
    model
      .expect(/Start a run with `magnus_start`/)
      .tool("magnus_start", { command, arguments: "" })
      .then.tool("task", agents.task(agent))
      .then.tool("magnus_next")
      .then.reply("reported");
    const session = await opencode.session();
    expect(await opencode.type(session, command, words)).toBe("reported");
    const { status, votes, refusals, artifacts } = opencode.state(session);
    expect([status.kind, refusals, Object.keys(artifacts)]).toEqual(["done", 0, [report]]);
    expect(votes).toMatchObject([{ submission: { findings: [finding] } }]);
    expect((await opencode.results(session)).at(-1)).toContain(`See \`${opencode.state(session).folder}/${report}\``);
  },
  60_000,
);
