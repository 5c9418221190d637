// What Magnus Opus's scripted agents do in the tour: one starts too early, the others follow the plan.
import type { ModelServer } from "@atomic/testing/model-server";

type Request = ModelServer["prompts"][number];

const plan = `# Plan

One mutation, \`saveProfile(name)\`, and one test.

1. \`convex/profiles.test.mjs\`: a profile without a name is rejected. It fails until step 2.
2. \`convex/profiles.mjs\`: the mutation.
`;

const test = `import assert from "node:assert/strict";
import { test } from "node:test";
import { saveProfile } from "./profiles.mjs";

test("a profile needs a name", () => {
  assert.throws(() => saveProfile(" "));
  assert.equal(saveProfile(" Ada ").name, "Ada");
});
`;

const code = `export function saveProfile(name) {
  if (name.trim() === "") throw new Error("A profile needs a name.");
  return { name: name.trim() };
}
`;

/** Up to the request for approval. */
export function expectPlan(model: ModelServer): void {
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("write", { filePath: "convex/profiles.mjs", content: code })
    .then.tool("task", task("architect", "plan"))
    .then.tool("magnus_next")
    .then.reply("I started too early. The plan is ready: please read it and type /approve.");
  model
    .expect("As architect")
    .tool("write", writing("implementation-plan.md", plan))
    .tool("write", writing("quick-reference.md", "- [ ] test\n- [ ] mutation\n"))
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
    .then.tool("write", writing("final-summary.md", "# Summary\n\nProfiles are saved, and a test proves it.\n"))
    .then.tool("magnus_next")
    .then.reply("Built, tested and reviewed. Type /approve to accept it.");
  model
    .expect("As backend")
    .tool("write", { filePath: "convex/profiles.test.mjs", content: test })
    .then.tool("run_tests")
    .then.tool("write", { filePath: "convex/profiles.mjs", content: code })
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
