// Atomic in OpenCode's own terminal: the real program on a pty with a scripted model, the plugin installed through Hugo.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { rm } from "node:fs/promises";
import { hugo } from "../journeys/hugo.ts";
import { inGuide } from "./guide-screens.ts";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";
import { workflows } from "./workflows.ts";

setDefaultTimeout(240_000);

const tuiJson = '{\n  // mine\n  "theme": "opencode",\n  "plugin": [["./own.js", { "x": 1 }]],\n}\n';
const twoWords = `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "two words" }, (graph) => graph.start(toolNode({ id: "say", run: () => "hi" })));
`;
const ownPlugin = 'export default { id: "own", tui: async () => {} };\n';
const files = {
  ...workflows,
  ".atomic/workflows/two words.ts": twoWords,
  "tui.json": tuiJson,
  "own.js": ownPlugin,
};
const choosing = "enter answer · esc later";

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (!isHere) return;
  oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli"], files, port: true, cols: 140 });
  // The registry is read after the first frame.
  await oc.type("/sh");
  await oc.see("Ships a version (workflow)");
  oc.term.press("escape");
  await oc.gone("Ships a version");
  await oc.see("Ask anything");
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

test.if(isHere)("a hint appears after Tab, vanishes with the first argument and returns on backspace", async () => {
  const { term } = oc;
  await oc.type("/sh");
  await oc.see("Ships a version (workflow)");
  expect(oc.screen()).toMatchSnapshot();
  await inGuide("suggestions", oc);
  term.press("tab");
  await oc.see("<version> | --times <n>");
  expect(oc.screen()).toMatchSnapshot();
  await inGuide("hint", oc);
  await oc.type("1");
  await oc.gone("<version>");
  term.press("backspace");
  await oc.see("<version>");
  term.press("ctrl+u");
  await oc.gone("<version>");
  // Commands of every tool have hints, too; a space does what Tab does.
  await oc.type("/fix ");
  await oc.see("<issue>");
  term.press("ctrl+u");
  await oc.type("/run ship ");
  await oc.see("<version>");
  term.press("ctrl+u");
  await oc.see("Ask anything");
});

test.if(isHere)("Enter starts the run; its question is a dialog, and Later keeps it in the status line", async () => {
  const { term, model } = oc;
  model.expect("Look around").reply("It is nice here.");
  await oc.type("/ship 1.4.0");
  await oc.see("/ship 1.4.0");
  term.press("enter");
  await oc.see(choosing);
  await oc.see("asks: Ship it?");
  await oc.toastsGone();
  expect(oc.screen()).toMatchSnapshot();
  await inGuide("dialog", oc);
  term.press("enter");
  await oc.gone(choosing);
  await oc.see("asks: Ship it?");
});

test.if(isHere)("/runs lists the runs, answers one, and opens its tree and its agent's session", async () => {
  const { term } = oc;
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  term.press("enter");
  await oc.see("Runs of this project");
  await oc.see("waiting");
  expect(oc.screen()).toMatchSnapshot();
  await inGuide("runs", oc);
  term.press("a");
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.gone(choosing);
  // No process was working on it, so OpenCode continues it.
  await oc.see(/ship +done/);
  // It was started here, and OpenCode draws no toasts on this page.
  await oc.see(/ship [a-z]+-[a-z]+ is done/);
  expect(oc.screen()).toMatchSnapshot();
  term.press("enter");
  await oc.see("✓ publish");
  expect(oc.screen()).toMatchSnapshot();
  await inGuide("tree", oc);
  term.press("s");
  await oc.see("It is nice here.");
  // The session has a sidebar, and the run is in it.
  await oc.see("✓ publish");
  if (process.env.UPDATE) await inGuide("session", oc); // how wide its columns are depends on how long everything took
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  term.press("enter");
  await oc.see("Runs of this project");
  term.press("escape");
  await oc.see("It is nice here.");
});

test.if(isHere)("every kind of question of a run in a shell is answered in a dialog", async () => {
  const { term, model } = oc;
  model.expect("Try it").tool("bash", { command: "echo tried", description: "tries" }).then.reply("It works.");
  const run = await oc.shell("run", "interview");
  // The status line has the question, too, and earlier: keys are pressed once the dialog has its own.
  await oc.see("SQLite");
  await oc.see(choosing);
  expect(await oc.dialog()).toMatchSnapshot();
  term.press("down", "down", "enter");
  await oc.see("❯ [ ] api");
  term.press("space", "down", "down", "space");
  await oc.see("[x] docs");
  await oc.see(choosing);
  expect(await oc.dialog()).toMatchSnapshot();
  term.press("enter");
  await oc.see("What should it be called?");
  await oc.see("Your answer");
  await oc.see("enter send");
  expect(await oc.dialog()).toMatchSnapshot();
  await oc.type("The Tower");
  await oc.see("The Tower");
  term.press("enter");
  await oc.see("Allow once");
  await oc.see(choosing);
  expect(await oc.dialog()).toMatchSnapshot();
  term.press("down", "enter");
  await oc.gone("Allow once");
  const { code, stdout } = await run.ended();
  expect({ code, stdout }).toEqual({ code: 0, stdout: '["Postgres",["api","docs"],"The Tower","It works."]\n' });
});

test.if(isHere)(
  "a request to OpenCode's server answers no dialog; an answer that was given elsewhere closes it",
  async () => {
    const run = await oc.shell("run", "confirm");
    await oc.see("Are you sure?");
    await oc.see(choosing);
    // As an agent could: OpenCode runs the named command, but none of ours has a name.
    for (const command of ["dialog.select.submit", "dialog.prompt.submit", "prompt.submit", "input.submit"]) {
      const body = JSON.stringify({ type: "tui.command.execute", properties: { command } });
      const headers = { "content-type": "application/json" };
      expect((await fetch(`${oc.url}/tui/publish`, { method: "POST", headers, body })).status).toBe(200);
    }
    oc.term.press("down");
    await oc.see("❯ Yes");
    const [id = ""] = /(?<=confirm )[a-z]+-[a-z]+/.exec(oc.term.screen().join("\n")) ?? [];
    expect((await (await oc.shell("approve", id, "no")).ended()).code).toBe(0);
    await oc.gone(choosing);
    expect((await run.ended()).stdout).toBe("sure: false\n");
  },
);

test.if(isHere)("no dialog opens while you type, nor over another dialog", async () => {
  const { term } = oc;
  await oc.type("half a thought");
  await oc.see("half a thought");
  const run = await oc.shell("run", "confirm");
  await oc.see("asks: Are you sure?");
  // What is typed arrives in the prompt, so no dialog is open.
  await oc.type(",");
  await oc.see("half a thought,");
  // OpenCode's own dialog keeps its place, and what was typed is still there behind it.
  term.press("ctrl+p");
  await oc.see("Search");
  const other = await oc.shell("run", "confirm");
  await oc.see("· 1 more");
  await oc.type("zzz");
  await oc.see("No results found");
  term.press("escape");
  await oc.gone("No results found");
  await oc.type(" more");
  await oc.see("half a thought, more");
  term.press("ctrl+u");
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.see("asks: Are you sure? · /runs");
  // The second one, once the first is closed.
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.gone("asks:");
  expect([(await run.ended()).stdout, (await other.ended()).stdout]).toEqual(["sure: true\n", "sure: true\n"]);
});

test.if(isHere)("a run is cancelled after a question", async () => {
  const { term } = oc;
  const run = await oc.shell("run", "confirm");
  await oc.see(choosing);
  term.press("escape");
  await oc.gone(choosing);
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  term.press("enter");
  await oc.see("Runs of this project");
  await oc.see("waiting");
  term.press("c");
  await oc.see("No, let it run");
  await oc.see("enter answer · esc back");
  term.press("enter");
  await oc.gone("No, let it run");
  await oc.see("waiting");
  term.press("c");
  await oc.see("Yes, cancel it");
  await oc.see("enter answer · esc back");
  term.press("down", "enter");
  await oc.see("cancelled");
  expect((await run.ended()).code).toBe(8);
  // What happened, and what cannot be done, is said on the page: OpenCode draws no toasts there.
  await oc.see("is cancelled");
  term.press("s");
  await oc.see("has no agent session yet");
  term.press("c");
  await oc.see("has ended: cancelled");
  term.press("a");
  await oc.see("has no question for you");
  term.press("up");
  await oc.gone("has no question for you");
  term.press("escape");
  await oc.gone("Runs of this project");
});

test.if(isHere)("a run that ends while you are asked whether to cancel it is not called cancelled", async () => {
  const { term } = oc;
  const run = await oc.shell("run", "confirm");
  await oc.see(choosing);
  term.press("escape");
  await oc.gone(choosing);
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  term.press("enter");
  await oc.see("Runs of this project");
  await oc.see("waiting");
  term.press("c");
  await oc.see("Yes, cancel it");
  const [id = ""] = /(?<=Cancel )[a-z]+-[a-z]+/.exec(oc.term.screen().join("\n")) ?? [];
  expect((await (await oc.shell("approve", id)).ended()).code).toBe(0);
  expect((await run.ended()).stdout).toBe("sure: true\n");
  await oc.see("enter answer · esc back");
  term.press("down", "enter");
  await oc.see(`${id} has ended: done`);
  term.press("escape");
  await oc.gone("Runs of this project");
});

test.if(isHere)("a run of a shell that no process works on continues when it is answered here", async () => {
  const { term } = oc;
  const run = await oc.shell("run", "confirm", "--no-wait");
  expect((await run.ended()).code).toBe(4);
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.gone(choosing);
  await oc.gone("asks:");
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  term.press("enter");
  await oc.see(/❯ +\S+ +confirm +done/);
  term.press("escape");
  await oc.gone("Runs of this project");
});

test.if(isHere)("a run that was answered elsewhere says how to continue, and counts as idle until then", async () => {
  const run = await oc.shell("run", "confirm", "--no-wait");
  expect((await run.ended()).code).toBe(4);
  await oc.see(choosing);
  const [id = ""] = /(?<=confirm )[a-z]+-[a-z]+/.exec(oc.term.screen().join("\n")) ?? [];
  expect((await (await oc.shell("approve", id)).ended()).code).toBe(0);
  await oc.gone(choosing);
  // The message is folded, in a frame.
  const words = ["No", "process", "is", "working", "on", "the", "run."];
  await oc.see(new RegExp(words.join("(?: |\\s*┃[^┃]*┃\\s*)")));
  await oc.see("atomic 1 idle run · /runs");
  expect((await (await oc.shell("resume", id)).ended()).stdout).toBe("sure: true\n");
  await oc.gone("1 idle run");
  await oc.toastsGone();
});

test.if(isHere)("a damaged run closes its dialog, and why it is gone stays on the screen", async () => {
  const run = await oc.shell("run", "interview", "--no-wait");
  expect((await run.ended()).code).toBe(4);
  await oc.see("SQLite");
  await oc.see(choosing);
  const [id = ""] = /(?<=interview )[a-z]+-[a-z]+/.exec(oc.term.screen().join("\n")) ?? [];
  await oc.project.write(`.atomic/runs/${id}/journal.jsonl`, '{"n":1,"event":{}}\n');
  await oc.gone(choosing);
  await oc.see(`Cannot show the run ${id}`);
  await rm(oc.project.path(`.atomic/runs/${id}`), { recursive: true });
  await oc.toastsGone();
});

test.if(isHere)("a workflow that cannot start says why, and the text stays", async () => {
  const { term } = oc;
  await oc.type("/run shi 1");
  await oc.see("/run shi 1");
  term.press("enter");
  await oc.see('did you mean "ship"?');
  await oc.see("/run shi 1");
  term.press("ctrl+u");
  await oc.toastsGone();
  // What you type in the meantime stays, too.
  await oc.type("/run shi 2");
  term.type("\rsomething else");
  await oc.see("You typed: /run shi 2");
  await oc.see(/┃ {2}something else/);
  term.press("ctrl+u");
});

test.if(isHere)("a workflow whose name has a space is not a command, and /run starts it", async () => {
  const { term } = oc;
  await oc.type("/two");
  await oc.see(/\/runs +What/);
  expect(oc.term.screen().join("\n")).not.toContain("/two words");
  term.press("ctrl+u");
  await oc.gone("/two");
  await oc.type('/run "two words"');
  await oc.see('/run "two words"');
  term.press("enter");
  await oc.see(/two words [a-z]+-[a-z]+ is done/);
  await oc.toastsGone();
});

test.if(isHere)("what you paste is one argument, with its lines", async () => {
  const { term, model } = oc;
  model.expect("Look around").reply("It is nice here.");
  await oc.type("/ship ");
  term.paste("one\n--times 'x'\nthree");
  await oc.see("[Pasted ~3 lines]");
  term.press("enter");
  await oc.see(choosing);
  term.press("down", "enter");
  await oc.gone(choosing);
  await oc.see(/ship [a-z]+-[a-z]+ is done/);
  const { runs } = JSON.parse((await (await oc.shell("runs", "--json")).ended()).stdout);
  const { stdout } = await (await oc.shell("show", runs[0].runId, "--json")).ended();
  await oc.toastsGone();
  expect(stdout).toContain(String.raw`one\n--times 'x'\nthree: true`);
});

test.if(isHere)("Hugo removes it, and tui.json is as it was", async () => {
  expect(await oc.project.read("tui.json")).toContain("@atomic/cli");
  await hugo(oc.project, "remove", "cli");
  expect(await oc.project.read("tui.json")).toBe(tuiJson);
  oc.model.verify();
});
