// Magnus Opus in a narrow terminal, where OpenCode has no sidebar, with a plan that is longer than the screen and wants to draw.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { projectFiles } from "../../packages/magnus-opus/test/plugin/opencode-with-magnus.ts";
import * as agents from "../../packages/magnus-opus/test/plugin/scripted-agents.ts";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";

setDefaultTimeout(240_000);

const steps = Array.from({ length: 300 }, (_, at) => `${at + 1}. Step ${at + 1} of many, which says what it does.`);
const plan = `# Save a profile \u001b]0;owned\u0007\u001b[2J\n\n${steps.join("\n")}\n`;

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (isHere) oc = await OpencodeTerminal.open({ plugins: ["magnus-opus"], files: projectFiles, cols: 60, rows: 30 });
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

test.if(isHere)("a refusal is below the prompt, with its reason", async () => {
  const { term, model } = oc;
  const refused = model.gate();
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("write", { filePath: "src/early.ts", content: "early\n" })
    .then.wait(refused)
    .tool("task", agents.task("architect", "plan"))
    .then.tool("magnus_next")
    .then.reply("The plan is ready.");
  model
    .expect("As architect")
    .tool("write", agents.writing("implementation-plan.md", plan))
    .tool("write", agents.writing("quick-reference.md"))
    .then.reply("planned");
  await oc.type("/implement a mutation --type=API_FOCUSED --skip-plan-review");
  await oc.see("/implement a mutation");
  term.press("enter");
  await oc.see(/magnus ✗ write was refused: the user's approval of\s+implementation-plan\.md/);
  refused.open();
});

test.if(isHere)("a long plan scrolls, below it is what you can answer, and it draws nothing", async () => {
  const { term } = oc;
  await oc.see("Is this the plan to build?");
  await oc.see("Save a profile \\x1b]0;owned\\x07\\x1b[2J");
  await oc.see("❯ Later  the status line keeps it");
  await oc.see("Approve  building starts");
  await oc.see(/line \d+ of \d{3} · pgdn shows more/);
  await oc.see("enter answer");
  term.press("pagedown");
  await oc.gone("Save a profile \\x1b");
  await oc.see("Step 9 of many");
  term.press("down", "enter");
  await oc.see("Read the rest first: pgdn shows more.");
  await oc.see("❯ Approve");
  expect(term.title).not.toContain("owned");
});

test.if(isHere)("a rejection without words is not sent", async () => {
  const { term, model } = oc;
  term.press("down");
  await oc.see("❯ Reject and say why");
  term.press("enter");
  await oc.see("What should change?");
  term.press("enter");
  await oc.see("Nothing is typed yet: type your answer first.");
  term.press("space");
  await oc.gone("Nothing is typed yet");
  term.press("enter");
  await oc.see("Nothing is typed yet: type your answer first.");
  await oc.type("smaller");
  await oc.see("smaller");
  term.press("escape");
  await oc.see("❯ Reject and say why");
  term.press("escape");
  await oc.gone("Is this the plan to build?");
  await oc.see(/magnus .*· \/magnus-plan/);
  await oc.type("/magnus-plan");
  await oc.see("Opens the plan");
  term.press("enter");
  await oc.see("❯ Later");
  await oc.see("enter answer");
  term.press("down", "down", "enter");
  await oc.see("smaller");
  model.verify();
});
