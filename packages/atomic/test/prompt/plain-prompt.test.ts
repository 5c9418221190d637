import { afterEach, expect, setSystemTime, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { plainPrompt } from "../../src/prompt/plain-prompt.ts";
import { runsOf } from "../../src/runs/runs-folder.ts";
import { contextIn } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";

afterEach(() => void setSystemTime());

test("with TERM=dumb, the end of a run is shown before the prompt line is left", async () => {
  await using project = await tmpProject({ git: false });
  const asking = newGraph().start(waitNode({ id: "approval", prompt: "Publish?" }));
  await begin(project, asking);
  const { context, written } = contextIn(project, { columns: 80, env: { TERM: "dumb" } });
  const ends = async (): Promise<undefined> => {
    const { engine } = await runsOf(context, undefined);
    await engine.signal("calm-otter", "approval", true);
    await begin(project, asking);
  };
  const { stdin } = context;
  expect(await plainPrompt(Object.create(context, { stdin: { value: { ...stdin, line: ends } } }))).toBe(0);
  const printed = written.map(([, text]) => text).join("");
  expect(printed).toContain("? Publish?  /answer calm-otter");
  expect(printed).toMatch(/^release calm-otter {2}done/m);
});

test("with TERM=dumb, an open run is listed with its age, and not again as it gets older", async () => {
  await using project = await tmpProject({ git: false });
  // It has recorded something since.
  const build = toolNode({ id: "build", run: () => void setSystemTime(Date.now() + 2 * 3_600_000) });
  await begin(
    project,
    newGraph()
      .start(build)
      .wait(waitNode({ id: "approval", prompt: "Publish?" })),
  );
  let now = Date.now();
  const { context, written } = contextIn(project, {
    columns: 80,
    typed: ["/host", "/host", "/exit"],
    env: { TERM: "dumb" },
    now: () => {
      now += 60_000;
      return now;
    },
  });
  expect(await plainPrompt(context)).toBe(0);
  const printed = written.map(([, text]) => text).join("");
  expect(printed.match(/^release calm-otter.*$/gm)).toEqual([expect.stringMatching(/ {2}2h \d+m$/)]);
});

test("commands are named as they are typed in the prompt line", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish?" })));
  const typed = ["/answer x", "/attach x", "/resume x", "/exit"];
  const { context, written } = contextIn(project, { columns: 120, env: { TERM: "dumb" }, runner: "npx" });
  const stdin = { ...context.stdin, line: async () => typed.shift() };
  expect(await plainPrompt(Object.create(context, { stdin: { value: stdin } }))).toBe(0);
  const printed = written.map(([, text]) => text).join("");
  expect(printed.match(/No run matches "x"\. `\/runs --all` lists them\./g)).toHaveLength(3);
});

test("a history that cannot be read is said to be missing", async () => {
  await using project = await tmpProject({ git: false, files: { "state/atomic/prompt/history.jsonl/a": "" } });
  const env = { TERM: "dumb", XDG_STATE_HOME: project.path("state") };
  const { context, written } = contextIn(project, { columns: 400, typed: ["/exit"], env });
  expect(await plainPrompt(context)).toBe(0);
  expect(written.map(([, text]) => text).join("")).toContain(
    "The history cannot be read, so earlier lines are missing: ",
  );
});
