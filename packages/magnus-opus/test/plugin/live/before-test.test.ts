import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { decideRun } from "../../../src/plugin/commands/decide-run.ts";
import type { DrivenRun } from "../../../src/plugin/live/driven-run.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import { runPlace } from "../../../src/sessions/workplace.ts";
import { runId as id, opencodeClient, started } from "./opencode-client.ts";

const { XDG_STATE_HOME } = process.env;
afterEach(() => {
  if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
});

test("what a shell builds before a test has failed is found after a restart, too", async () => {
  await using project = await tmpProject({ git: false, files: { "src/old.ts": "1" } });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const first = new Magnus(opencodeClient(project.dir));
  const kept = `${runPlace(first.workplace, id).seal}.tree`;
  const run = await first.runs.start({ ...started(first), workflow: "API_FOCUSED" });
  const waive = async () => await decideRun(first, "ses_root", "waive", "phase a test");
  while (run.state.phase !== "implementation") await waive();
  expect(existsSync(kept)).toBe(true);
  await project.write("src/new.test.ts", "// a test");
  await first.runs.close();

  const reopen = async (): Promise<[Magnus, DrivenRun]> => {
    const magnus = new Magnus(opencodeClient(project.dir));
    const found = await magnus.runs.open(id);
    if (found.kind !== "driven") throw new Error(found.kind);
    return [magnus, found.run];
  };
  const [second, again] = await reopen();
  expect(await again.changedBeforeTest()).toEqual([]);
  await project.write("src/built.ts", "built");
  expect(await again.changedBeforeTest()).toEqual(["src/built.ts"]);
  await second.runs.close();

  // What is kept counts only if it is what the journal has seen.
  const text = await Bun.file(kept).text();
  for (const wrong of [text.replace("src/old.ts", "src/built.ts"), "no JSON", '{"a": 1}']) {
    await Bun.write(kept, wrong);
    const [third, other] = await reopen();
    expect(await other.changedBeforeTest()).toEqual([]);
    await third.runs.close();
  }
  await Bun.write(kept, text);
  const [last, ended] = await reopen();
  expect(await ended.changedBeforeTest()).toEqual(["src/built.ts"]);
  await decideRun(last, "ses_root", "cancel", "");
  expect(existsSync(kept)).toBe(false);
  await last.runs.close();
});
