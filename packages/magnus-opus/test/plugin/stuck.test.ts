// A reviewer that is wrong, and an orchestrator that does what it is told, on the real OpenCode.
import { expect, test } from "bun:test";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

test("a false alarm ends in a question to the user, not in more and more sessions", async () => {
  await using opencode = await OpencodeWithMagnus.open();
  const { model, server } = opencode;
  const alarm = { severity: "CRITICAL", file: "convex/made.ts", line: 1, problem: "A leak.", fix: "Close it." };
  agents.orchestratorPlans(model, "implement-api");
  agents.architect(model);
  agents.testFirst(model);
  agents.judge(model, "reviewer", "reviews/code-review/one.md", {
    ...{ verdict: "MAJOR_CONCERNS", summary: "it leaks", findings: [alarm] },
  });
  for (let times = 0; times < 2; times++) model.expect("As backend: mend").reply("there is nothing to mend");
  let turn = model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", agents.task("backend"))
    .then.tool("magnus_next")
    .then.tool("task", agents.task("reviewer"))
    .then.tool("magnus_next");
  // As often as the run has sessions.
  for (let times = 0; times < 4; times++)
    turn = turn.then.tool("task", agents.task("backend", "mend")).then.tool("magnus_next");
  turn.then.reply("the review and the developer disagree");
  const session = await opencode.session();
  await opencode.type(session, "implement-api", "save a profile --skip-plan-review");
  await opencode.type(session, "approve");
  const { status, spent, refusals } = opencode.state(session);
  expect(status).toMatchObject({ kind: "paused", reason: "stuck" });
  expect([spent.run.sessions, refusals]).toEqual([5, 2]);
  const results = await opencode.results(session);
  expect(results.at(-2)).toContain("the run is paused (stuck): Review Fixes still lacks a change");
  expect(results.at(-1)).toContain("CRITICAL convex/made.ts:1 A leak.");
  expect(results.at(-1)).toContain("`/waive pass_or_fix <reason>`");
  const toasts = server.events.filter(({ type }) => type === "tui.toast.show");
  expect(JSON.stringify(toasts)).toContain("needs you: Review Fixes still lacks");

  model
    .expect(/typed `\/waive/)
    .tool("magnus_next")
    .then.tool("write", agents.writing("final-summary.md"))
    .then.tool("magnus_next")
    .then.reply("please accept");
  expect(await opencode.type(session, "waive", "pass_or_fix the line only prints a name")).toBe("please accept");
  expect(opencode.state(session)).toMatchObject({ phase: "acceptance", isReady: true });
  expect((await opencode.results(session)).at(-1)).toContain("pass_or_fix was waived in review-fixes");
  model.verify();
}, 180_000);
