// Whole runs on the real OpenCode, with agents that do as they are told.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import * as cast from "./cast.ts";
import { Studio } from "./studio.ts";

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
}, 60_000);
afterEach(() => studio.model.verify());
afterAll(() => studio[Symbol.asyncDispose]());

const review = "reviews/code-review/one.md";
const planReview = "reviews/plan-review/one.md";

/** Types the command, and approves twice; agents and orchestrator are on the stage already. */
async function play(command: string, words: string): Promise<string> {
  const session = await studio.session();
  expect(await studio.type(session, command, words)).toBe("please approve the plan");
  expect(await studio.type(session, "approve")).toBe("please accept");
  expect(await studio.type(session, "approve")).toBe("all done");
  return session;
}

function stage(command: string, agents: readonly (string | readonly string[])[]): void {
  const { model } = studio;
  cast.orchestratorPlans(model, command);
  cast.architect(model);
  cast.orchestratorBuilds(model, agents);
  cast.judge(model, "plan-reviewer", planReview);
  cast.judge(model, "reviewer", review);
  cast.orchestratorEnds(model);
  cast.cleaner(model);
}

test("a feature for the UI goes through all phases to its summary, and nobody is refused", async () => {
  const { model } = studio;
  stage("implement", ["plan-reviewer", "developer", "designer", "reviewer", "tester"]);
  cast.builder(model, "developer", "src/profile.svelte");
  cast.judge(model, "designer", "design-validation.md");
  cast.tester(model);
  const session = await play("implement", "a profile page with a form --figma https://figma.test/file");
  const { status, workflow, refusals, ignored, folder, visits, artifacts } = studio.state(session);
  expect({ status, workflow, refusals, ignored }).toEqual({
    ...{ status: { kind: "done" }, workflow: "UI_FOCUSED", refusals: 0, ignored: 0 },
  });
  expect(visits.map(({ phase }) => phase)).toEqual([
    ...["requirements", "architecture", "plan-review", "implementation", "design-validation", "code-review"],
    ...["testing", "acceptance", "cleanup"],
  ]);
  expect(Object.keys(artifacts)).toContain("final-summary.md");
  expect(await studio.project.json(`${folder}/session-meta.json`)).toMatchObject({
    ...{ status: "completed", workflowType: "UI_FOCUSED", figmaUrl: "https://figma.test/file" },
  });
}, 60_000);

test("a feature for the API is built test first, without the phases for pages", async () => {
  stage("implement", ["plan-reviewer", "backend", "reviewer"]);
  cast.testFirst(studio.model);
  const session = await play("implement", "a Convex mutation that stores profiles, with an index");
  const { status, workflow, refusals, evidence, visits } = studio.state(session);
  expect([status.kind, workflow, refusals]).toEqual(["done", "API_FOCUSED", 0]);
  expect(evidence.map(({ counts }) => counts?.failed)).toEqual([1, 0]);
  expect(visits.map(({ phase }) => phase)).not.toContain("design-validation");
}, 60_000);
