// An agent that runs `atomic` looks and starts, and decides nothing.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { atomic } from "../atomic.ts";
import { begin, newGraph, projectWith } from "./begun.ts";

const agent = { agent: "Claude Code", sign: "the variable CLAUDECODE is set" };
const shipping = () => newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" }));

test.each([
  [["approve", "calm-otter"], "atomic approve"],
  [["approve", "calm-otter", "--deny"], "atomic approve"],
  [["approve", "calm-otter", "--json"], "atomic approve"],
  [["cancel", "calm-otter"], "atomic cancel"],
  [["resume", "calm-otter", "--budget-usd", "100"], "Changing a run's budget"],
  [["resume", "calm-otter", "--max-steps", "100"], "Changing a run's budget"],
  [["resume", "calm-otter", "--allow", "bash"], "--allow"],
  [["run", "release", "--resume", "calm-otter", "--max-time", "9h"], "Changing a run's budget"],
  [["run", "release", "--allow", "all"], "--allow"],
])("%j is refused with the command for the user, and the run is unchanged", async (argv, what) => {
  await using project = await tmpProject({ git: false });
  await begin(project, shipping());
  const before = await project.tree();
  const { code, stdout, stderr } = await atomic(project, argv, { agent });
  const { error } = argv.includes("--json") ? JSON.parse(stdout) : { error: undefined };
  const said = error === undefined ? stderr : `atomic: ${error.message}\n${error.hint}\n`;
  expect(said.replaceAll("\n", " ")).toBe(
    `atomic: ${what} needs the user's decision, but Claude Code is running this command (the variable CLAUDECODE is set) ` +
      `Nothing was changed. The user can run this in their own terminal: \`atomic ${argv.join(" ")}\` `,
  );
  expect(code).toBe(4);
  expect(await project.tree()).toEqual(before);
  expect((await atomic(project, ["show", "calm-otter"])).stdout).toContain("Ship it?");
});

test("an agent may view a run and continue one that the user started", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, shipping());
  for (const argv of [["runs"], ["show", "calm-otter"]]) expect((await atomic(project, argv, { agent })).code).toBe(0);
});

test("an agent in its own terminal is not asked: the run waits, and the output says what you have to type", async () => {
  const asking = `{ name: "asking" }, (graph) => graph.wait(waitNode({ id: "ship", prompt: "Ship it?" }))`;
  await using project = await projectWith({ asking });
  const surroundings = { columns: 80, typed: ["yes"], env: { TERM: "xterm" } };
  expect((await atomic(project, ["run", "asking"], surroundings)).code).toBe(0);
  const { code, stderr } = await atomic(project, ["run", "asking"], { ...surroundings, agent });
  expect(code).toBe(4);
  expect(stderr).toMatch(/is waiting for an answer[\s\S]*atomic approve [a-z]+-[a-z]+ /);
});
