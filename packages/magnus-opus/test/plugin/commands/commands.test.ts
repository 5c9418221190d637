import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { packageRoot } from "../../../src/package-root.ts";
import { answerCommand } from "../../../src/plugin/commands/commands.ts";
import { onMessage } from "../../../src/plugin/hooks/messages.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import { adaptWorkflow } from "../../../src/plugin/setup/adapt-workflow.ts";
import { nameCommands, ourCommand } from "../../../src/plugin/setup/name-commands.ts";
import { magnusStart } from "../../../src/plugin/tools/start.ts";
import { approvable, versionOf } from "../../../src/run/person-actions.ts";
import { type SessionSummary, Sessions } from "../../../src/sessions/sessions.ts";
import { opencodeClient, runId, started } from "../live/opencode-client.ts";

const { XDG_STATE_HOME } = process.env;
afterEach(() => {
  if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
});

async function setUp(files: Record<string, object> = {}) {
  const project = await tmpProject({ git: false, files });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const client = opencodeClient(project.dir);
  const magnus = new Magnus(client);
  return {
    ...{ project, magnus, shown: client.shown },
    say: (name: string, words = "", session = "ses_root") => answerCommand(magnus, session, { name, words }),
    start: (args: object, session = "ses_root") =>
      magnusStart.run(magnus, args, {
        ...{ id: "call_1", session, agent: "orchestrator", abort: new AbortController().signal },
        ask: () => Promise.reject(new Error("Unexpected question.")),
      }),
    async [Symbol.asyncDispose]() {
      await magnus.runs.close();
      await project[Symbol.asyncDispose]();
    },
  };
}

test("commands of others are left alone", async () => {
  await using here = await setUp();
  for (const command of ["init", "review", "help", "constructor"]) expect(await here.say(command)).toBeUndefined();
});

test("the short names are ours where the settings claim them", async () => {
  for (const claims of [true, false]) {
    await using here = await setUp({ ".opencode/magnus-opus.json": { claim_builtin_commands: claims } });
    const { settings } = here.magnus;
    nameCommands(adaptWorkflow(readWorkflow(packageRoot), here.magnus), settings, () => false);
    const text = (name: string) => settings.commands[name]?.template.replace("$99999", "");
    expect(ourCommand(settings, "help", text("help"))).toBe(claims ? "magnus-help" : undefined);
    expect(ourCommand(settings, "magnus-help", text("magnus-help"))).toBe("magnus-help");
  }
});

describe("what the user typed begins the run", () => {
  test("whatever the model makes of it", async () => {
    await using here = await setUp();
    await here.say("implement", "a page with a form --skip-plan-review");
    await here.start({ command: "implement-api", arguments: "something else" });
    const [id] = here.magnus.runs.ids();
    expect(here.magnus.runs.stateOf(id!)).toMatchObject({
      ...{ flow: "implement", description: "a page with a form", options: { skipPlanReview: true } },
    });
  });

  test("unless the user says something else before it starts", async () => {
    await using here = await setUp();
    const send = () => onMessage(here.magnus, { sessionID: "ses_root" }, { agent: "orchestrator" });
    await here.say("implement", "cats --skip-plan-review");
    await send();
    await send();
    await here.start({ command: "implement", arguments: "dogs" });
    expect(here.magnus.runs.stateOf(here.magnus.runs.ids()[0]!)).toMatchObject({ description: "dogs" });
  });

  test("and an answer to a question about it does not lose its options", async () => {
    await using here = await setUp();
    const send = () => onMessage(here.magnus, { sessionID: "ses_root" }, { agent: "orchestrator" });
    await here.say("implement", "cats --skip-plan-review");
    await send();
    await send();
    await here.start({ command: "implement", arguments: " cats --skip-plan-review" });
    expect(here.magnus.runs.stateOf(here.magnus.runs.ids()[0]!)).toMatchObject({
      ...{ description: "cats", options: { skipPlanReview: true } },
    });
  });

  test("a user who typed nothing is asked, and their answer counts", async () => {
    await using here = await setUp();
    await here.say("implement", " ");
    expect(await here.start({ command: "implement", arguments: "" })).toContain("The description is missing.");
    expect(await here.start({ command: "implement", arguments: "a page" })).toContain("has started");
  });

  test("a mistake in it is reported, and nothing starts", async () => {
    await using here = await setUp();
    await here.say("implement", "a page --tpye ui");
    expect(await here.start({ command: "implement", arguments: "a page" })).toContain("Did you mean --type?");
    expect(here.magnus.runs.ids()).toEqual([]);
  });

  test("only once in a session, and never in one that was delegated to", async () => {
    await using here = await setUp();
    await here.start({ command: "implement", arguments: "a page" });
    expect(await here.start({ command: "implement", arguments: "a page" })).toContain(
      "is already running in this session",
    );
    expect(await here.start({ command: "implement", arguments: "a page" }, "ses_child")).toContain(
      "is already running",
    );
    expect(await here.start({ command: "implement", arguments: "a page" }, "ses_other")).toContain("delegated one");
    expect(await here.start({ command: "nothing", arguments: 5 }, "ses_stranger")).toContain("needs a command");
    expect(here.magnus.runs.ids()).toHaveLength(1);
  });
});

test("a run settles what runs as the tests when it begins", async () => {
  await using here = await setUp({ "package.json": { scripts: { test: "vitest run" } } });
  await here.start({ command: "implement", arguments: "a page with a form" });
  expect(here.magnus.runs.stateOf(here.magnus.runs.ids()[0]!)?.options.testCommand).toEqual({
    ...{ argv: ["npm", "test"], script: "test: vitest run", setBy: "stack" },
  });
});

describe("which run the user means", () => {
  const other = "impl-20260119-143052-a1b2c4-settings";

  test("the session's own, the only unfinished one, or the one they name", async () => {
    await using here = await setUp();
    await here.magnus.runs.start(started(here.magnus));
    expect(await here.say("magnus-cancel", "no more", "ses_elsewhere")).toContain(
      "The run continues in its own session, ses_root",
    );
    await here.magnus.runs.start(started(here.magnus, other, "ses_second"));
    expect(await here.say("reject", "smaller", "ses_elsewhere")).toContain("the user sent the work back");
    expect(here.magnus.runs.stateOf(other)?.rejections).toHaveLength(1);
    expect(await here.say("approve", "", "ses_root")).toContain(`the run ${runId} is cancelled`);
    expect(await here.say("approve", "", "ses_second")).toContain("nothing is waiting for approval");
    expect(await here.say("magnus-cancel", `${other} enough`)).toContain("the user cancelled the run");
    expect(await here.say("magnus-cancel", "", "ses_elsewhere")).toContain("This project has no runs");
    expect(await here.say("approve", "impl-20200101-000000-aaaaaa")).toContain(
      "This project has no run impl-20200101-000000-aaaaaa",
    );
  });

  test("with several runs, the user must name one", async () => {
    await using here = await setUp();
    await here.magnus.runs.start(started(here.magnus));
    await here.magnus.runs.start(started(here.magnus, other, "ses_second"));
    expect(await here.say("approve", "", "ses_elsewhere")).toContain("Several runs are still open");
    expect(await here.say("magnus-status", "", "ses_elsewhere")).toContain(`# ${other}`);
    expect(await here.say("magnus-status", "impl-20260118", "ses_second")).toContain(`# ${runId}`);
    expect(await here.say("magnus-status", "impl-2026")).toContain('Several runs start with "impl-2026".');
    expect(await here.say("magnus-status", "nothing")).toContain('There is no run "nothing".');
  });
});

test("words that `opencode run` has put into quotes are understood", async () => {
  await using here = await setUp();
  await here.say("implement", "a page --type=UI_FOCUSED --skip-plan-review");
  await here.start({ command: "implement", arguments: "" });
  const [id] = here.magnus.runs.ids();
  expect(await here.say("waive", `"${id} phase a \\"small\\" thing"`)).toContain(': a "small" thing');
});

test("waiving the planning phase warns that building can start", async () => {
  await using here = await setUp();
  await here.say("implement", "a page with a form --skip-plan-review");
  await here.start({});
  const run = here.magnus.runs.driven(here.magnus.runs.ids()[0]!)!;
  const by = { kind: "agent", agent: "orchestrator", session: "ses_root" } as const;
  await run.append({ type: "phase-ready", at: Date.now(), by, phase: "requirements" });
  expect(run.state.phase).toBe("architecture");
  expect(await here.say("waive", "phase a small thing")).toContain(
    "the user waived phase in Architecture Planning: a small thing. This also waives the plan's approval, so building can start.",
  );
});

test("a plan that changed after a dialog showed it is not approved, and you see why", async () => {
  await using here = await setUp();
  await here.say("implement", "a page with a form --skip-plan-review");
  await here.start({});
  const run = here.magnus.runs.driven(here.magnus.runs.ids()[0]!)!;
  const write = async (name: string, text: string) => await here.project.write(`${run.state.folder}/${name}`, text);
  for (const name of ["implementation-plan.md", "quick-reference.md"]) await write(name, "# Plan");
  await run.refreshWithFiles();
  const by = { kind: "agent", agent: "orchestrator", session: "ses_root" } as const;
  for (const phase of ["requirements", "architecture"] as const)
    await run.append({ type: "phase-ready", at: Date.now(), by, phase });
  const version = (): string => versionOf(approvable(run.state)!);
  const before = version();
  await write("implementation-plan.md", "# Another plan");
  expect(await here.say("approve", `--shown=${before}`)).toContain("Nothing was recorded");
  expect(here.shown.at(-1)).toBe(
    "Nothing was approved: implementation-plan.md or quick-reference.md has changed since it was shown to you.",
  );
  expect(run.state.approvals).toEqual([]);
  expect(await here.say("approve", `--shown=${version()}`)).toContain("the user approved the current version");
});

test("a meta file that says that a run is over removes nothing of it", async () => {
  const sessionSettings = { autoCleanup: true, retentionDays: 7 };
  await using here = await setUp({ ".opencode/magnus-opus.json": { sessionSettings } });
  await here.magnus.runs.start(started(here.magnus));
  const sessions = new Sessions(here.magnus.workplace.directory);
  const [{ folder, meta }] = sessions.list() as [SessionSummary];
  const old = { ...meta, status: "completed", updatedAt: "2020-01-01T00:00:00.000Z" };
  writeFileSync(`${folder}/session-meta.json`, JSON.stringify(old));
  await here.start({ command: "implement", arguments: "another page" }, "ses_stranger");
  expect(sessions.list().map(({ id }) => id)).toContain(runId);
});

test("a decision typed in another OpenCode is shown in the one that drives the run", async () => {
  await using here = await setUp();
  const run = await here.magnus.runs.start(started(here.magnus));
  const second = new Magnus(opencodeClient(here.magnus.workplace.directory));
  const typeThere = (words: string) => answerCommand(second, "ses_root", { name: "waive", words });
  expect(await typeThere("phase trust me")).not.toContain("held:");
  for (let phases = 0; phases < 2; phases++) await here.say("waive", "phase a test");
  expect(run.state.phase).toBe("implementation");
  expect(await typeThere("phase trust me")).toContain("The decision is held:");
  expect(await run.refresh()).toMatchObject({
    phase: "implementation",
    held: [
      {
        why: "another process wrote it to the journal",
        from: expect.stringContaining("in another OpenCode"),
        decision: { why: "trust me" },
      },
    ],
  });
  await second.runs.close();
});
