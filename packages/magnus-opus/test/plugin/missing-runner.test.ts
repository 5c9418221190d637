import { expect, test } from "bun:test";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

test("where the test runner is not installed, nothing can be built before a test has failed", async () => {
  await using opencode = await OpencodeWithMagnus.open({
    "convex/old.test.ts": "// from before\n",
    ".opencode/magnus-opus.json": { tests: { command: ["node", "node_modules/vitest/vitest.mjs", "run"] } },
  });
  const { model, project } = opencode;
  const session = await opencode.session();
  agents.orchestratorPlans(model, "implement-api");
  agents.architect(model);
  await opencode.type(session, "implement-api", "a mutation that saves a profile --skip-plan-review");
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", agents.task("backend"))
    .then.reply("stopped");
  model
    .expect("As backend:")
    .tool("run_tests")
    .then.tool("write", { filePath: "convex/made.ts", content: "export const made = true;\n" })
    .then.reply("refused");
  await opencode.type(session, "approve");
  const [child = ""] = Object.entries(opencode.state().sessions).find(([, { agent }]) => agent === "backend") ?? [];
  const [ran = "", wrote = ""] = await opencode.results(child);
  expect(ran).toContain("Evidence: the tests exited with code 1 and printed no summary, so no test ran.");
  expect(wrote).toContain("(gate: red_test)");
  await expect(project.read("convex/made.ts")).rejects.toThrow();
  model.verify();
}, 120_000);
