// What counts as an answer. With a scripted OpenCode client: on the real one all prompts are shown.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import type { Call } from "../../../src/plugin/approval/ask-person.ts";
import { askPerson } from "../../../src/plugin/approval/ask-person.ts";
import type { DrivenRun } from "../../../src/plugin/live/driven-run.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import { opencodeClient, runId, started } from "../live/opencode-client.ts";

const { XDG_STATE_HOME } = process.env;
let project: Project;
let magnus: Magnus;
let run: DrivenRun;
let plans = 0;

beforeAll(async () => {
  project = await tmpProject({
    git: false,
    files: { ".opencode/magnus-opus.json": { gates: { approvalPrompt: true } } },
  });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const context = opencodeClient(project.dir);
  const permission = [{ permission: "magnus_approve*", pattern: "*", action: "ask" }];
  Object.assign(context.client.app, { agents: async () => ({ data: [{ name: "orchestrator", permission }] }) });
  magnus = new Magnus(context);
  run = await magnus.runs.start(started(magnus));
  await isReady("requirements");
});
afterAll(async () => {
  if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
  await magnus.runs.close();
  await project[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const name of ["implementation-plan.md", "quick-reference.md"]) {
    await project.write(`${run.state.folder}/${name}`, `# Plan ${++plans}\n`);
  }
  await run.refreshWithFiles();
  await isReady("architecture");
});

async function isReady(phase: "requirements" | "architecture"): Promise<void> {
  const by = { kind: "agent", agent: "orchestrator", session: "ses_root" } as const;
  await run.append({ type: "phase-ready", at: Date.now(), by, phase });
}

const callOf = (id: string, ask: Call["ask"]): Call => ({
  ...{ id, session: "ses_root", agent: "orchestrator", abort: new AbortController().signal },
  ask,
});

test("a description of a prompt is not a prompt", async () => {
  const call = callOf("call_1", () => ({ pipe: () => undefined }));
  expect(await askPerson(magnus, run, call)).toContain("nothing was recorded");
  expect(run.state.approvals).toEqual([]);
});

test("two calls at once ask once, and ending the turn is not an answer", async () => {
  const turn = new AbortController();
  let prompts = 0;
  const ask = () => {
    prompts++;
    turn.abort();
    return new Promise(() => undefined);
  };
  const calls = ["call_2", "call_3"].map((id) => ({ ...callOf(id, ask), abort: turn.signal }));
  const answers = await Promise.all(calls.map((call) => askPerson(magnus, run, call)));
  expect(answers.toSorted()).toEqual(["", expect.stringContaining("nothing was recorded")]);
  expect(prompts).toBe(1);
});

test("an answer that comes while an agent has the shell is held", async () => {
  magnus.calls.begin("call_9", { run: runId, session: "ses_child", agent: "developer", tool: "bash" });
  const yes = callOf("call_4", async () => magnus.prompts.add("call_4"));
  expect(await askPerson(magnus, run, yes)).toMatch(/^Not counted yet\..* while developer was using the shell/);
  expect(run.state).toMatchObject({ approvals: [], held: [{ decision: { type: "approved" } }] });
});
