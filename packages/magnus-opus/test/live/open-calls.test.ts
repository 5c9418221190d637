import { afterEach, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { decideRun } from "../../src/commands/decide-run.ts";
import { Magnus } from "../../src/live/magnus.ts";
import { OpenCalls } from "../../src/live/open-calls.ts";
import { runId as id, opencode, started } from "./stand-in.ts";

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

test("no command decides anything while an agent has the shell, and that of its own run pauses it", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const magnus = new Magnus(opencode(project.dir));
  const run = await magnus.runs.start(started(magnus));
  const type = (name: "waive" | "resume" | "cancel", words = "") => decideRun(magnus, "ses_root", name, words);
  magnus.calls.begin("call_1", call("another"));
  expect(await type("waive", "phase because")).toContain("for the run another. Do it again");
  expect(run.state).toMatchObject({ waivers: [], status: { kind: "running" } });
  magnus.calls.begin("call_1", call(id));
  expect(await type("waive", "phase because")).toStartWith(
    "Nothing was recorded: /waive came while developer had the shell (bash in ses_child), and",
  );
  const paused = { kind: "paused", reason: "command" };
  expect(run.state).toMatchObject({ waivers: [], status: paused });
  await type("resume");
  await type("cancel");
  expect(run.state.status).toMatchObject(paused);
  magnus.calls.endAll("ses_child");
  await type("resume");
  await type("waive", "phase because");
  expect(run.state).toMatchObject({ waivers: [{ gate: "phase" }], status: { kind: "running" } });
  await magnus.runs.close();
});
