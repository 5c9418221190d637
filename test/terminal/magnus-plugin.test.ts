// Magnus Opus in OpenCode's own terminal: a waiting plan is a dialog, phases and refusals are in the sidebar.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { ModelServer } from "@atomic/testing/model-server";
import { projectFiles } from "../../packages/magnus-opus/test/plugin/opencode-with-magnus.ts";
import * as agents from "../../packages/magnus-opus/test/plugin/scripted-agents.ts";
import { hugo } from "../journeys/hugo.ts";
import { inGuide } from "./guide-screens.ts";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";

setDefaultTimeout(240_000);

const plan = `# Save a profile

A mutation that stores the user's name and picture.

1. **Schema**: a table \`profiles\` with an index by user.
2. **Mutation**: \`saveProfile\`, which refuses names over 80 characters.
3. **Tests** first: an unknown user, a long name, a second save.
`;

function architect(model: ModelServer, added = ""): void {
  model
    .expect("As architect")
    .tool("write", agents.writing("implementation-plan.md", plan + added))
    .tool("write", agents.writing("quick-reference.md"))
    .then.reply("planned");
}

const choosing = "enter answer · esc later";
const tuiJson = '{ "theme": "opencode" } // mine\n';
let oc: OpencodeTerminal;
beforeAll(async () => {
  if (!isHere) return;
  const files = { ...projectFiles, "tui.json": tuiJson };
  oc = await OpencodeTerminal.open({ plugins: ["magnus-opus"], files, cols: 150, rows: 44 });
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

test.if(isHere)("a refusal is in the sidebar with its reason, and the plan opens as a dialog", async () => {
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
  architect(model);
  await oc.type("/implement a mutation that saves a profile --type=API_FOCUSED --skip-plan-review");
  await oc.see("/implement a mutation");
  term.press("enter");
  await oc.see("✗ write was refused:");
  await oc.see("▶ Architecture Planning");
  await oc.toastsGone();
  expect(oc.sidebar()).toMatchSnapshot();
  // Shown once: without the sidebar it would be below the prompt.
  expect(oc.screen()).not.toContain("magnus ✗");
  await inGuide("phases", oc);
  refused.open();
  await oc.see("Is this the plan to build?");
  await oc.see(choosing);
  await oc.see(/magnus .*waiting for the user's approval/);
  await oc.gone("esc interrupt");
  await oc.toastsGone();
  expect(await oc.dialog()).toMatchSnapshot();
  await inGuide("plan", oc);
});

test.if(isHere)(
  "Later keeps it in the status line, and it can be opened again; a changed plan is asked about again and can be rejected",
  async () => {
    const { term, model } = oc;
    term.press("escape");
    await oc.gone("Is this the plan to build?");
    await oc.see(/magnus .*waiting for the user's approval.* · \/magnus-plan/);
    await oc.type("/magnus-plan");
    await oc.see("Opens the plan or the result that waits for you");
    term.press("enter");
    await oc.see("Is this the plan to build?");
    term.press("escape");
    await oc.gone("Is this the plan to build?");
    model
      .expect(/typed `\/reject/)
      .tool("magnus_next")
      .then.tool("task", agents.task("architect", "plan, smaller"))
      .then.tool("magnus_next")
      .then.reply("The smaller plan is ready.");
    architect(model);
    await oc.type("/reject a smaller one");
    await oc.see("/reject a smaller one");
    term.press("enter");
    await oc.see("Is this the plan to build?");
    model
      .expect(/typed `\/reject/)
      .tool("magnus_next")
      .then.tool("task", agents.task("architect", "plan, with tests"))
      .then.tool("magnus_next")
      .then.reply("The plan with tests is ready.");
    architect(model);
    await oc.see(choosing);
    term.press("down", "down", "enter");
    await oc.see("What should change?");
    await oc.type("--watch: say how it is tested");
    await oc.see("--watch: say how it is tested");
    term.press("enter");
    await oc.see("The plan with tests is ready.");
  },
);

test.if(isHere)("a plan that changes while it is shown is not approved, and the new one is shown", async () => {
  const { term, project } = oc;
  await oc.see("Is this the plan to build?");
  await oc.toastsGone();
  const [run] = readdirSync(project.path("ai-docs/sessions")).filter((name) => name.startsWith("impl-"));
  await project.write(`ai-docs/sessions/${run}/implementation-plan.md`, "# Save a profile\n\nAnd delete all others.\n");
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.see("so nothing was approved");
  await oc.see("And delete all others.");
  await oc.see("Is this the plan to build?");
  await oc.see("▶ Architecture Planning");
});

test.if(isHere)("Approve lets the agents build", async () => {
  const { term, model } = oc;
  const building = model.gate();
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.wait(building)
    .reply("building");
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.gone("Is this the plan to build?");
  await oc.see("▶ Implementation");
  await oc.see("✓ Architecture Planning");
  building.open();
  await oc.see("building");
  model.verify();
});

test.if(isHere)("a run whose folder was removed is no longer shown", async () => {
  const sessions = oc.project.path("ai-docs/sessions");
  const [run] = readdirSync(sessions).filter((name) => name.startsWith("impl-"));
  await rm(`${sessions}/${run}`, { recursive: true });
  await oc.gone("▶ Implementation");
});

test.if(isHere)("Hugo removes it, and tui.json is as it was", async () => {
  expect(await oc.project.read("tui.json")).toContain("magnus-opus");
  await hugo(oc.project, "remove", "magnus-opus");
  expect(await oc.project.read("tui.json")).toBe(tuiJson);
});
