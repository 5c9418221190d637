import { afterEach, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { answerCommand } from "../../../src/plugin/commands/commands.ts";
import { OpenCalls } from "../../../src/plugin/live/calls.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import { runId as id, opencodeClient, started } from "./opencode-client.ts";

const { XDG_STATE_HOME } = process.env;
afterEach(() => {
  if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
});

const call = (run: string, session = "ses_child") => ({ run, session, agent: "developer", tool: "bash" });

test("a call is open until it or its session ends", () => {
  const calls = new OpenCalls();
  expect(calls.find("one")).toBeUndefined();
  calls.begin("call_1", call("one"));
  calls.begin("call_1", call("two", "ses_other"));
  expect([calls.find("one")?.run, calls.find("two")?.run, calls.find("three")?.run]).toEqual(["one", "two", "one"]);
  calls.end("ses_other", "call_2");
  calls.end("ses_child", "call_1");
  expect(calls.find("one")?.run).toBe("two");
  calls.endAll("ses_other");
  expect(calls.find("one")).toBeUndefined();
});

test("a decision typed while an agent has the shell is held, and can be confirmed afterwards", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const context = opencodeClient(project.dir);
  const magnus = new Magnus(context);
  const run = await magnus.runs.start(started(magnus));
  const type = (name: string, words = "") => answerCommand(magnus, "ses_root", { name, words });
  magnus.calls.begin("call_1", call("another"));
  expect(await type("waive", "phase because")).toContain(
    "typed while developer was using the shell for the run another",
  );
  magnus.calls.endAll("ses_child");
  magnus.calls.begin("call_1", call(id));
  expect(await type("magnus-cancel", "enough")).toMatch(
    /^Not counted yet\. 2 decisions are waiting .* 2\. cancel the run: enough/s,
  );
  expect(run.state).toMatchObject({ waivers: [], held: { length: 2 }, status: { kind: "paused", reason: "held" } });
  expect(await type("magnus-resume")).toContain("2 decisions are waiting for your confirmation");
  expect(await type("magnus-confirm")).toContain(
    "None of them counts until you confirm it:\n\n1. waive phase of requirements",
  );
  expect(await type("magnus-confirm", "1")).toStartWith(
    "Nothing was recorded: this was typed while developer was using the",
  );
  expect(await type("magnus-dismiss", "all")).toStartWith(
    "Nothing was recorded: this was typed while developer was using the",
  );
  magnus.calls.endAll("ses_child");
  expect(await type("magnus-dismiss", "2")).toContain("dismissed the held decision 2. (cancel the run: enough)");
  expect(await type("magnus-confirm", "7")).toContain("decision 7 is not waiting for confirmation. There are 1.");
  expect(await type("magnus-confirm", "all")).toContain("confirmed the held decision 1.");
  expect(run.state).toMatchObject({ waivers: [{ gate: "phase", by: { how: "command" } }], held: [] });
  expect(run.state.status.kind).toBe("running");
  expect(await type("magnus-confirm")).toBe("No decision is waiting for your confirmation.");
  expect(context.shown.join("\n")).toContain("2. cancel the run: enough");
  await magnus.runs.close();
});
