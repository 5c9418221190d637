// What Magnus Opus's scripted agents do in the tour: one starts too early, the others follow the plan.
import type { ModelServer } from "@atomic/testing/model-server";

type Request = ModelServer["prompts"][number];

const plan = `# Plan

Delivery costs 3 dollars, and nothing from 10 dollars on.

1. \`test/delivery.test.js\`: what delivery costs below and from 10 dollars.
   It fails until step 2.
2. \`src/delivery.js\`: \`delivery(cart)\`.
`;

const test = `import assert from "node:assert/strict";
import { test } from "node:test";
import { delivery } from "../src/delivery.js";

test("delivery is free from 10 dollars on", () => {
  assert.equal(delivery(["lemonade"]), 300);
  assert.equal(delivery(Array(4).fill("lemonade")), 0);
});
`;

const code = `import { total } from "./till.js";

export function delivery(cart) {
  return total(cart) >= 1000 ? 0 : 300;
}
`;

/** Up to the request for approval. */
export function expectPlan(model: ModelServer): void {
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("write", { filePath: "src/delivery.js", content: code })
    .then.tool("task", task("architect", "plan"))
    .then.tool("magnus_next")
    .then.reply("I started too early. The plan is ready: please read it.");
  model
    .expect("As architect")
    .tool("write", writing("implementation-plan.md", plan))
    .tool("write", writing("quick-reference.md", "- [ ] test\n- [ ] delivery\n"))
    .then.reply("Planned.");
}

/** From the plan's approval to the request to accept the result. */
export function expectBuild(model: ModelServer): void {
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", task("backend", "build"))
    .then.tool("magnus_next")
    .then.tool("task", task("reviewer", "review"))
    .then.tool("magnus_next")
    .then.tool(
      "write",
      writing("final-summary.md", "# Summary\n\nDelivery is free from 10 dollars on, and a test proves it.\n"),
    )
    .then.tool("magnus_next")
    .then.reply("Built, tested and reviewed.");
  model
    .expect("As backend")
    .tool("write", { filePath: "test/delivery.test.js", content: test })
    .then.tool("run_tests")
    .then.tool("write", { filePath: "src/delivery.js", content: code })
    .then.tool("run_tests")
    .then.reply("Built, test first.");
  model
    .expect("As reviewer")
    .tool("write", writing("reviews/code-review/one.md", "Reads well.\n"))
    .then.tool("submit_review", { verdict: "APPROVED", summary: "Reads well.", findings: [] })
    .then.reply("Reviewed.");
}

export function expectEnd(model: ModelServer): void {
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", task("cleaner", "tidy up"))
    .then.tool("magnus_next")
    .then.reply("Done.");
  model.expect("As cleaner").tool("magnus_sessions", { action: "list" }).then.reply("Nothing to tidy up.");
}

export function expectCancellation(model: ModelServer): void {
  model.expect(/typed `\/magnus-cancel/).reply("The run is cancelled; the plan stays in its folder.");
}

const task =
  (agent: string, what: string) =>
  (request: Request): object => ({
    description: what,
    prompt: `As ${agent}: ${what}. Session folder: ${folderIn(request)}`,
    subagent_type: agent,
  });

const writing =
  (name: string, content: string) =>
  (request: Request): object => ({ filePath: `${folderIn(request)}/${name}`, content });

/** Finds the session folder in the conversation so far. */
function folderIn({ messages }: Pick<Request, "messages">): string {
  const found = /ai-docs\/sessions\/impl-[a-z0-9-]+/.exec(JSON.stringify(messages))?.[0];
  if (found === undefined) throw new Error("No message names a session folder.");
  return found;
}
