import { expect, test } from "bun:test";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

test("in a run, too, an empty argument of delegate_task is one that is not given", async () => {
  await using opencode = await OpencodeWithMagnus.open();
  const { model } = opencode;
  const delegation = {
    ...{ description: "plan it", run_in_background: false, skills: null },
    category: "",
    resume: "",
  };
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("delegate_task", (request) => ({ ...agents.task("architect")(request), ...delegation }))
    .then.tool("delegate_task", (request) => ({
      ...agents.task("explorer")(request),
      ...{ ...delegation, subagent_type: " ", category: "business-logic" },
    }))
    .then.reply("planned");
  agents.architect(model);
  const session = await opencode.session();
  await opencode.type(session, "implement", "a Convex mutation that saves a profile");
  const [, , planned = "", early = ""] = await opencode.results(session);
  expect(planned).toStartWith("delegate_task: ");
  expect(planned).toContain("planned");
  expect(Object.values(opencode.state(session).sessions).map(({ agent }) => agent)).toContain("architect");
  expect(early).toContain("(gate: user_approval)");
  model.verify();
}, 120_000);
