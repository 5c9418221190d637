import { expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { first, ProjectWithRuns, second } from "./project-with-runs.ts";

test("a plan is approved without a running OpenCode, and the user's name is recorded", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  const { code, out, err } = await project.magnus("approve", first);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(
    [
      "Recorded: anna (shell) approved architecture.",
      "The run is running, in implementation.",
      "OpenCode is not working on it. Open the run's session in OpenCode and tell it to continue.\n",
    ].join("\n"),
  );
  expect(project.state().approvals).toMatchObject([
    { phase: "architecture", by: { kind: "person", how: "shell", name: "anna" } },
  ]);
});

test.each([
  `approve ${first}`,
  `reject ${first} smaller`,
  `waive ${first} phase x`,
  `resume ${first}`,
  `raise ${first} usd=5`,
  `cancel ${first}`,
])("an agent is refused: %s, and only its attempt is recorded", async (line) => {
  const argv = line.split(" ");
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  const before = readFileSync(project.place().journal, "utf8");
  const { code, out, err } = await project.magnusByAgent(...argv);
  expect([code, out]).toEqual([4, ""]);
  // Wrapped to the terminal.
  expect(err.replaceAll("\n  ", " ")).toBe(
    `magnus-opus: magnus-opus ${argv[0]} needs the user's decision, but OpenCode is running this command (the variable OPENCODE is set)\n` +
      `Nothing was changed. The user can run this in their own terminal: \`magnus-opus ${argv.join(" ")}\`\n`,
  );
  const [, ...added] = readFileSync(project.place().journal, "utf8").replace(before, "\n").trimEnd().split("\n");
  expect(added).toEqual([expect.stringContaining(`magnus-opus ${argv[0]} needs the user's decision`)]);
  expect(project.state().refusals).toBe(1);
  expect((await project.magnusByAgent("status", first)).code).toBe(0);
});

test("the user at OpenCode is warned of an attempt even if its output was hidden", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  await project.magnusByAgent("approve", first);
  await driver.refresh();
  expect(driver.state).toMatchObject({ refusals: 1, approvals: [], status: { kind: "running" } });
  expect(project.messages).toEqual([
    `OpenCode was refused bash in ${first}: magnus-opus approve needs the user's decision, but OpenCode is running this command.`,
  ]);
});

test("an agent that names an unknown run is also refused", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  expect((await project.magnusByAgent("approve", "nothing")).code).toBe(4);
});

test("an approval covers the files as they are, not as OpenCode last saw them", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  project.write(`ai-docs/sessions/${first}/implementation-plan.md`, "# Another plan\n");
  const seen = project.state().artifacts["implementation-plan.md"];
  expect((await project.magnus("approve", first)).code).toBe(0);
  const { artifacts, approvals } = project.state();
  expect(artifacts["implementation-plan.md"]).not.toBe(seen!);
  expect(approvals[0]!.subject).toContain(artifacts["implementation-plan.md"]!);
});

test("a plan is approved beside the OpenCode that drives the run, which then continues", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  const { code, out } = await project.magnus("approve", first);
  expect([code, out.split("\n")[2]]).toEqual([0, "OpenCode is working on it: tell the run's session to continue."]);
  expect(await driver.refresh()).toMatchObject({ phase: "implementation", status: { kind: "running" } });
  await driver.close();
});

test("a plan that changed since OpenCode saw it is not approved beside it", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  project.write(`ai-docs/sessions/${first}/implementation-plan.md`, "# Another plan\n");
  const { code, err } = await project.magnus("approve", first);
  expect(code).toBe(3);
  expect(err).toContain("Nothing was recorded: implementation-plan.md has changed since OpenCode looked at it.");
  expect(project.state().approvals).toEqual([]);
  await driver.close();
});

test("once agents have had a shell, a decision in a shell is held and shown, with or without a running OpenCode", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  await project.magnus("approve", first);
  expect((await driver.refresh()).phase).toBe("implementation");
  const { code, out } = await project.magnus("waive", first, "phase", "built by hand");
  expect([code, out.split("\n")[0]]).toEqual([0, "Held as decision 1: waive phase of implementation: built by hand."]);
  expect(out).toContain("It counts once you type\n`/magnus-confirm 1` in OpenCode");
  expect(await driver.refresh()).toMatchObject({ phase: "implementation", status: { kind: "paused", reason: "held" } });
  const [held] = driver.state.held;
  expect(held).toMatchObject({
    from: expect.stringMatching(/^it claims to come from "anna in a shell, process \d+ \(.*bun.*\), started by \d+ \(/),
    why: "another process wrote it to the journal",
    decision: { type: "waived", why: "built by hand" },
  });
  const status = await project.magnus("status", first);
  expect(status.out).toContain("Waiting for you to confirm in OpenCode");
  expect(status.out).toMatch(
    /1\. waive phase of implementation: built by hand \(\d{4}-.* UTC, it claims to come from\s+"anna in a shell,/,
  );
  expect((await project.magnus("timeline", first)).out).toContain("held until you confirm it: waive phase of");
  await driver.close();
  // It has no driver now, and it is still unknown who decides.
  const alone = await project.magnus("cancel", first, "enough", "--json");
  expect(JSON.parse(alone.out)).toMatchObject({ held: 2, status: { kind: "paused" } });
});

test("the feature's type is chosen, and a misspelled one is refused", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun(first, "UNCLEAR");
  const wrong = await project.magnus("approve", first, "--type", "MIXD");
  expect(wrong).toEqual({
    code: 1,
    out: "",
    err: 'magnus-opus: Nothing was recorded: "MIXD" is not a workflow type.\nDid you mean MIXED?\n',
  });
  expect((await project.magnus("approve", first, "--type=mixed")).out).toStartWith(
    "Recorded: anna (shell) chose MIXED.",
  );
  expect(project.state()).toMatchObject({ workflow: "MIXED", phase: "architecture" });
});

test("work is sent back with notes, to the named phase", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  const { out } = await project.magnus("reject", first, "a", "smaller", "plan", "--to", "requirements");
  expect(out).toContain("anna (shell) rejected architecture, back to requirements: a smaller plan.");
  expect(project.state()).toMatchObject({ phase: "requirements", rejections: [{ notes: "a smaller plan" }] });
  expect((await project.magnus("reject", first, "x", "--to", "nowhere")).err).toContain('"nowhere" is not a phase');
});

test("a waiver needs a reason, which is recorded", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  expect((await project.magnus("waive", first, "user_approval", " ")).err).toContain("a waiver needs a reason");
  expect((await project.magnus("waive", first, "user_approval", "trusted plan")).code).toBe(0);
  expect(project.state().waivers).toMatchObject([{ gate: "user_approval", why: "trusted plan", by: { name: "anna" } }]);
});

test("waiving the planning phase in a shell warns that building can start", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  expect(project.state().phase).toBe("architecture");
  expect((await project.magnus("waive", first, "phase", "a small thing")).out).toContain("so building can start");
});

test("a run is paused, resumed, raised and cancelled", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  await driver.record({ type: "paused", reason: "abort", detail: "Esc" });
  await driver.close();
  expect((await project.magnus("raise", first, "usd=5", "phase.sessions=80", "iterations=6")).code).toBe(0);
  expect(project.state().options.maxIterations).toBe(6);
  expect((await project.magnus("resume", first)).out).toContain(
    "resumed the run.\nThe run is running, in architecture.",
  );
  const again = await project.magnus("resume", first);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("the run is not paused")]);
  expect((await project.magnus("cancel", first, "we", "buy", "it")).out).toBe(
    "Recorded: anna (shell) cancelled the run: we buy it.\nThe run is cancelled in architecture: we buy it.\n",
  );
  expect((await project.magnus("approve", first)).err).toContain(`the run ${first} is cancelled`);
});

test("a run is found by a unique prefix of its id", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun(first);
  await project.leftRun(second);
  expect((await project.magnus("cancel", "impl-20260119", "x")).code).toBe(0);
  expect([project.state(first).status.kind, project.state(second).status.kind]).toEqual(["running", "cancelled"]);
  expect(await project.magnus("cancel", "impl-")).toMatchObject({
    code: 1,
    err: expect.stringContaining('magnus-opus: several run ids start with "impl-"'),
  });
  expect(await project.magnus("cancel", first.replace("a1b2c3", "a1b2c4"))).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${first}?)\n\`magnus-opus list\` lists them.\n`),
  });
});

test("a changed journal is detected before anything is recorded in it", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  const { journal } = project.place();
  appendFileSync(journal, "not a line of ours\n");
  const { code, out } = await project.magnus("approve", first);
  expect([code, out]).toEqual([0, expect.stringContaining("The run is paused in")]);
  expect(readFileSync(`${journal}.changed-1`, "utf8")).toContain("not a line of ours");
});

test("programs get the event and the run's state, or the reason for a refusal", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  const yes = JSON.parse((await project.magnus("approve", first, "--json")).out);
  expect(yes).toMatchObject({
    run: first,
    recorded: { type: "approved", phase: "architecture" },
    phase: "implementation",
    isDriven: false,
  });
  const no = await project.magnus("approve", first, "--json");
  expect(JSON.parse(no.out)).toEqual({
    ok: false,
    error: {
      code: "not-now",
      message: "Nothing was recorded: nothing is waiting for approval.",
      hint: "The run is in the implementation phase.",
    },
  });
});
