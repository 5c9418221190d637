// Two runs that wait at the same time, each in its own session, and what becomes of a dialog whose run goes wrong.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { projectFiles } from "../../packages/magnus-opus/test/plugin/opencode-with-magnus.ts";
import * as agents from "../../packages/magnus-opus/test/plugin/scripted-agents.ts";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";

setDefaultTimeout(240_000);

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (!isHere) return;
  oc = await OpencodeTerminal.open({ plugins: ["magnus-opus"], files: projectFiles, cols: 150, rows: 44 });
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

/** Until its plan was left for later. */
async function implement(feature: string): Promise<void> {
  const { term, model } = oc;
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("task", agents.task("architect", "plan"))
    .then.tool("magnus_next")
    .then.reply(`The ${feature} plan is ready.`);
  model
    .expect("As architect")
    .tool("write", agents.writing("implementation-plan.md", `# How ${feature} is built\n`))
    .tool("write", agents.writing("quick-reference.md"))
    .then.reply("planned");
  await oc.type(`/implement ${feature} feature --type=API_FOCUSED --skip-plan-review`);
  await oc.see(`/implement ${feature}`);
  term.press("enter");
  await oc.see(`How ${feature} is built`);
  await oc.gone("esc interrupt");
  await later();
}

async function later(): Promise<void> {
  oc.term.press("escape");
  await oc.gone("Is this the plan to build?");
}

async function command(name: string, description: string): Promise<void> {
  await oc.type(name);
  await oc.see(description);
  oc.term.press("enter");
}

const magnusPlan = async (): Promise<void> => await command("/magnus-plan", "Opens the plan or the result");

function folderOf(feature: string): string {
  const [run] = readdirSync(oc.project.path("ai-docs/sessions")).filter((name) => name.includes(feature));
  return `ai-docs/sessions/${run}`;
}

test.if(isHere)("/magnus-plan opens the plan of the session on screen, and typed again, the next one", async () => {
  await implement("alpha");
  await command("/new", "New session");
  await oc.see("Ask anything");
  await implement("beta");
  await oc.see(/magnus beta feature: .* · 1 more · \/magnus-plan/);
  for (const feature of ["beta", "alpha", "beta"]) {
    await magnusPlan();
    await oc.see(`How ${feature} is built`);
    await later();
  }
});

test.if(isHere)("what you have typed keeps back no plan that you open, and is there again afterwards", async () => {
  await oc.type("half a prompt");
  await oc.see("half a prompt");
  oc.term.press("ctrl+p");
  await oc.see("Search");
  await oc.type("what waits");
  await oc.see("Magnus Opus: what waits for you");
  await oc.gone("New session");
  oc.term.press("enter");
  await oc.see("Is this the plan to build?");
  await later();
  await oc.see("half a prompt");
  oc.term.press("ctrl+u");
  await oc.gone("half a prompt");
});

test.if(isHere)("in the session of an older run, the sidebar and the status line are about that run", async () => {
  await oc.toastsGone();
  expect(oc.sidebar()).toContain("beta feature");
  await command("/sessions", "Switch session");
  await oc.see("Search");
  oc.term.press("down", "enter");
  await oc.see("The alpha plan is ready.");
  await oc.see(/magnus alpha feature: .* · 1 more · \/magnus-plan/);
  expect(oc.sidebar()).toContain("alpha feature");
  expect(oc.sidebar()).not.toContain("beta");
});

test.if(isHere)("a decision about a run whose session is not on the screen says what was sent", async () => {
  const { term, model } = oc;
  model
    .expect(/typed `\/reject/)
    .tool("magnus_next")
    .then.tool("task", agents.task("architect", "plan, smaller"))
    .then.tool("magnus_next")
    .then.reply("The smaller plan is ready.");
  model
    .expect("As architect")
    .tool("write", agents.writing("implementation-plan.md", "# How beta is built smaller\n"))
    .tool("write", agents.writing("quick-reference.md"))
    .then.reply("planned");
  await magnusPlan();
  await oc.see("How alpha is built");
  await later();
  await magnusPlan();
  await oc.see("How beta is built");
  await oc.see("enter answer");
  term.press("down", "down", "enter");
  await oc.see("What should change?");
  await oc.type("a smaller one");
  await oc.see("a smaller one");
  term.press("enter");
  await oc.see("Sent to beta feature: rejected.");
  await oc.see("How beta is built smaller");
  await oc.toastsGone();
});

test.if(isHere)("a plan that is deleted while it is shown is not approved", async () => {
  const { term, project } = oc;
  const plan = `${folderOf("beta")}/implementation-plan.md`;
  const text = await project.read(plan);
  await oc.see("enter answer");
  await rm(project.path(plan));
  term.press("down", "enter");
  await oc.see("can no longer be read");
  await oc.see("implementation-plan.md cannot be shown: it does not exist.");
  expect(oc.screen()).not.toContain("This is the new version");
  await later();
  await project.write(plan, text);
  await oc.toastsGone();
  await magnusPlan();
  await oc.see("How beta is built smaller");
  await later();
});

test.if(isHere)("a damaged journal closes the dialog, and one message says why and what was not sent", async () => {
  await magnusPlan();
  await oc.see("How alpha is built");
  await oc.see("enter answer");
  oc.term.press("down", "down", "enter");
  await oc.see("What should change?");
  await oc.type("another table");
  await oc.see("another table");
  await oc.project.write(`${folderOf("alpha")}/journal.jsonl`, "garbage\n");
  await oc.see(/Cannot[\s┃]+show[\s┃]+the[\s┃]+run[\s┃]+impl-/);
  await oc.see(/not[\s┃]+sent:[\s┃]+another[\s┃]+table/);
  expect(oc.screen()).not.toContain("enter send");
  await oc.see(/magnus beta feature: .*approval · \/magnus-plan/);
  await oc.toastsGone();
});

test.if(isHere)("a plan that was deleted is not called something else", async () => {
  await rm(oc.project.path(`${folderOf("beta")}/implementation-plan.md`));
  await magnusPlan();
  await oc.see("implementation-plan.md cannot be shown: it does not exist.");
  await later();
});

test.if(isHere)("if nothing else waits, /magnus-plan names the damaged run", async () => {
  await rm(oc.project.path(folderOf("beta")), { recursive: true });
  await oc.gone("magnus beta");
  await magnusPlan();
  await oc.see("No plan or result is waiting for you");
  await oc.see(/Cannot[\s\S]*\/magnus-status/);
});
