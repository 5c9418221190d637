import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { personAct } from "../../src/run/person-act.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { artifactHash } from "../../src/sessions/artifacts.ts";
import { questionOf } from "../../src/tui/phase-words.ts";
import { readShownFile } from "../../src/tui/shown-file.ts";
import { anna, folder, plugin, SimulatedRun } from "../run/simulated-run.ts";

const planFile = "implementation-plan.md";

/** A run that waits for the approval of its plan, whose files are in a project. */
async function planned(text: string) {
  const project = await tmpProject({ git: false });
  const run = new SimulatedRun({ options: { skipPlanReview: true } });
  while (run.step());
  const shown = (now = state) => {
    const file = readShownFile(now, questionOf(now)!);
    return file?.kind === "shown" ? file : undefined;
  };
  const hidden = () => {
    const file = readShownFile(state, questionOf(state)!);
    return file?.kind === "hidden" ? file.because : undefined;
  };
  const seen = (state: MagnusState, path: string, content: string): MagnusState => {
    const hash = artifactHash(Buffer.from(content));
    return reduce(state, { type: "artifact-seen", at: 1, by: plugin, path, hash, bytes: content.length });
  };
  const write = async (path: string, content: string) => await project.write(`${folder}/${path}`, content);
  await write(planFile, text);
  await write("quick-reference.md", "short");
  const state = seen(seen({ ...run.state, worktree: project.dir }, planFile, text), "quick-reference.md", "short");
  return {
    ...{ project, state, seen, write, shown, hidden },
    [Symbol.asyncDispose]: async () => await project[Symbol.asyncDispose](),
  };
}

const approve = (state: MagnusState, version: string | undefined) =>
  personAct("approve", `--shown=${version}`, state, { by: anna, at: 9_000 });

test("what was shown is approved", async () => {
  await using run = await planned("# Plan");
  expect(run.shown()).toMatchObject({ text: "# Plan" });
  expect(approve(run.state, run.shown()?.version)).toMatchObject({ ok: true, event: { type: "approved" } });
});

test.each([planFile, "quick-reference.md"])("a change to %s since then is not approved", async (path) => {
  await using run = await planned("# Plan");
  const version = run.shown()?.version;
  expect(approve(run.seen(run.state, path, "# Something else"), version)).toMatchObject({
    ok: false,
    because: `${planFile} or quick-reference.md has changed since it was shown to you`,
  });
});

test("a plan that was saved before it was shown is the one that is approved, although the journal has not seen it", async () => {
  await using run = await planned("# Plan");
  const before = run.shown()?.version;
  await run.write(planFile, "# Better plan");
  const shown = run.shown();
  expect(shown?.text).toBe("# Better plan");
  const later = run.seen(run.state, planFile, "# Better plan");
  expect(approve(later, shown?.version).ok).toBe(true);
  expect(approve(later, before).ok).toBe(false);
  // The dialog that is still open notices it, too.
  expect(shown?.version).not.toBe(before);
});

test("a version of nothing is never approved, nor is a link shown", async () => {
  await using run = await planned("# Plan");
  for (const version of [undefined, "", "0"]) expect(approve(run.state, version).ok).toBe(false);
  await run.project.run(["rm", run.project.path(`${folder}/${planFile}`)]);
  expect(run.shown()).toBeUndefined();
  expect(run.hidden()).toBe(`${planFile} cannot be shown: it does not exist.`);
  await run.project.write("elsewhere.md", "# Plan");
  symlinkSync(run.project.path("elsewhere.md"), run.project.path(`${folder}/${planFile}`));
  expect(run.shown()).toBeUndefined();
  expect(run.hidden()).toBe(`${planFile} cannot be shown: it is not a file.`);
});
