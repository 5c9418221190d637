// What a dialog must never do: hide what it asks about, come over another question or between two keys, or let foreign text draw.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { atomicProgram, isHere, OpencodeTerminal } from "./opencode-terminal.ts";
import { workflows } from "./workflows.ts";

setDefaultTimeout(240_000);

const permission = `import { agentNode, defineGraph } from "@atomic/workflows";
export default defineGraph({ name: "tidy" }, (graph) =>
  graph.start(agentNode({ id: "tidy", prompt: "Tidy up.", permissions: { bash: "ask" } })));
`;

const many = `import { askUserNode, defineGraph, toolNode } from "@atomic/workflows";
const options = Array.from({ length: 60 }, (_, at) => ({ label: "option " + (at + 1) }));
export default defineGraph({ name: "many" }, (graph) =>
  graph
    .start(askUserNode({ id: "pick", question: "Which one?", options }))
    .then(toolNode({ id: "say", run: ({ outputs }) => outputs.pick })));
`;

const title = `import { askUserNode, defineGraph } from "@atomic/workflows";
export default defineGraph({ name: "title" }, (graph) => graph.start(askUserNode({ id: "name", question: "Which title?" })));
`;

/** Alike, but for their ends. */
const alike = `import { askUserNode, defineGraph, toolNode } from "@atomic/workflows";
const label = "Copy everything that has been written to the database so far to another machine, and ";
export default defineGraph({ name: "alike" }, (graph) =>
  graph
    .start(askUserNode({ id: "pick", question: "What now?\\n\\nIt is late.", options: [{ label: label + "keep it" }, { label: label + "delete it" }] }))
    .then(toolNode({ id: "say", run: ({ outputs }) => outputs.pick.slice(-9) })));
`;

/** A title for the window, an empty screen, a color, text from right to left, and no space to break a line at. */
const hostile = `import { askUserNode, defineGraph } from "@atomic/workflows";
const question = "\\u001b]0;owned\\u0007\\u001b[2J\\u001b[31mRed\\u202Egnp.exe " + "漢字".repeat(40) + "末?";
export default defineGraph({ name: "hostile", description: "\\u001b[31mred" }, (graph) =>
  graph.start(askUserNode({ id: "a", header: "\\u001b[41m", question, options: [{ label: "\\u001b[7mYes\\nNo" }, { label: "b" }] })));
`;

const files = {
  ...workflows,
  ".atomic/workflows/tidy.ts": permission,
  ".atomic/workflows/many.ts": many,
  ".atomic/workflows/alike.ts": alike,
  ".atomic/workflows/title.ts": title,
  ".atomic/workflows/hostile.ts": hostile,
  ".atomic/workflows/help.ts": (workflows[".atomic/workflows/confirm.ts"] ?? "").replace('"confirm"', '"help"'),
  "opencode.json": { permission: { bash: "ask" } },
};
const choosing = "enter answer · esc later";

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (isHere) oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli"], files, port: true, cols: 140 });
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

async function later(): Promise<void> {
  oc.term.press("escape");
  await oc.gone(choosing);
}

/** Ends the run that asks. */
async function cancel(workflow: string): Promise<void> {
  const [id = ""] = new RegExp(`(?<=atomic ${workflow} )[a-z]+-[a-z]+`).exec(oc.term.screen().join("\n")) ?? [];
  expect((await (await oc.shell("cancel", id)).ended()).code).toBe(0);
  await oc.gone(`atomic ${workflow} ${id}`);
}

test.if(isHere)("a permission shows the whole command, however it is written", async () => {
  const command = `echo harmless${" ".repeat(120)}; rm -rf everything`;
  oc.model.expect("Tidy up").tool("bash", { command, description: "tidies" }).then.reply("Denied, then.");
  const run = await oc.shell("run", "tidy");
  await oc.see(choosing);
  // In the dialog, which is two rows high for it; the status line has it, too.
  expect(oc.term.screen().join("\n")).toMatch(/echo harmless *\n *; rm -rf *\n *everything *\n/);
  oc.term.press("down", "down", "down", "enter");
  expect((await run.ended()).stdout).toBe("Denied, then.\n");
});

test.if(isHere)("a long command cannot be allowed before its end was on the screen", async () => {
  const command = [...Array.from({ length: 60 }, (_, at) => `echo step ${at + 1}`), "echo the end"].join("\n");
  oc.model.expect("Tidy up").tool("bash", { command, description: "tidies" }).then.reply("Tidied.");
  const run = await oc.shell("run", "tidy");
  await oc.see(choosing);
  await oc.see(/line \d+ of 61 · pgdn shows more/);
  oc.term.press("down", "enter");
  await oc.see("Read the rest first: pgdn shows more.");
  await oc.see("❯ Allow once");
  expect(oc.term.screen().join("\n")).not.toContain("echo the end");
  // The mouse wheel, over the text.
  const [, before] = (/line (\d+) of 61/.exec(oc.term.screen().join("\n")) ?? []).map(Number);
  oc.term.type("\x1b[<65;60;14M");
  await oc.see(`line ${Number(before) + 1} of 61`);
  for (let line = 0; !oc.term.screen().join("\n").includes("line 61 of 61"); ) {
    [, line = 0] = (/line (\d+) of 61/.exec(oc.term.screen().join("\n")) ?? []).map(Number);
    // Nothing is left out between two pages.
    await oc.see(`echo step ${line}\n`.trimEnd());
    oc.term.press("pagedown");
    await oc.gone(`line ${line} of 61`);
  }
  await oc.see("echo the end");
  await oc.see(choosing);
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("Tidied.\n");
});

test.if(isHere)("long options are shown to their ends, also in a narrow terminal", async () => {
  const run = await oc.shell("run", "alike");
  await oc.see(choosing);
  expect(await oc.dialog()).toMatch(/\? What now\?\n.*It is late\.\n❯ Later/);
  await oc.see(/machine, *\n +and keep it/);
  await oc.see(/machine, *\n +and delete it/);
  oc.term.resize(40, 36);
  await oc.see(/ {5}to another machine, and keep it/);
  const narrow = oc.term.screen().map((row) => row.slice(0, 40).trimEnd());
  expect(narrow.join("\n")).toContain(
    "     to another machine, and delete\n     it\n\n   ↑↓ choose · enter answer · esc\n   later\n",
  );
  oc.term.resize(140, 36);
  await oc.see(choosing);
  oc.term.press("down", "down", "enter");
  expect((await run.ended()).stdout).toBe("delete it\n");
});

test.if(isHere)("a notice is gone once it is no longer true", async () => {
  const run = await oc.shell("run", "alike");
  await oc.see(choosing);
  oc.term.resize(40, 14);
  await oc.see("choose (1 of 3)");
  oc.term.press("down", "enter");
  await oc.see("This choice continues");
  oc.term.resize(140, 36);
  await oc.gone("This choice continues");
  await oc.see(choosing);
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("d keep it\n");
});

test.if(isHere)("a half-typed answer is there again, however its dialog was closed", async () => {
  const run = await oc.shell("run", "title");
  await oc.see("enter send · ctrl+j new line · esc later");
  await oc.type("Half a th");
  await oc.see("Half a th");
  oc.term.press("escape");
  await oc.gone("enter send");
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  oc.term.press("enter");
  await oc.see("Runs of this project");
  oc.term.press("a");
  await oc.see("Half a th");
  await oc.see("enter send");
  oc.term.press("ctrl+c");
  await oc.gone("enter send");
  oc.term.press("a");
  await oc.see("enter send");
  await oc.type("ought");
  await oc.see("Half a thought");
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("Half a thought\n");
  oc.term.press("escape");
  await oc.see("Ask anything");
});

test.if(isHere)("Esc in a field goes back to the choices, and keeps what was typed", async () => {
  oc.model.expect("Tidy up").tool("bash", { command: "echo a", description: "tidies" }).then.reply("Denied, then.");
  const run = await oc.shell("run", "tidy");
  await oc.see(choosing);
  oc.term.press("down", "down", "down", "down", "enter");
  await oc.see("What should the agent do instead?");
  await oc.see("enter send · ctrl+j new line · esc choices");
  await oc.type("Use git");
  await oc.see("Use git");
  oc.term.press("escape");
  await oc.see("❯ Deny and say why");
  await oc.see(choosing);
  oc.term.press("enter");
  await oc.see("Use git");
  await oc.type(" instead");
  await oc.see("Use git instead");
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("Denied, then.\n");
});

test.if(isHere)("Enter that was meant for what was there before answers nothing", async () => {
  // On a busy machine the keys can come when the dialog takes answers already; then another one is asked.
  for (let tries = 1; ; tries += 1) {
    const run = await oc.shell("run", "confirm");
    await oc.see("↑↓ choose");
    // Held down, too.
    oc.term.press("down", "enter", "enter", "enter");
    const ended = run.ended();
    let isOver = false;
    const end = ended.then(() => {
      isOver = true;
      return false;
    });
    const waits = oc.term
      .waitFor(({ screen }) => isOver || /❯ Yes[\s\S]*enter answer/.test(screen().join("\n")))
      .then(() => !isOver);
    if ((await Promise.race([end, waits])) || tries === 5) {
      oc.term.press("down", "enter");
      expect((await ended).stdout).toBe("sure: false\n");
      return;
    }
    await waits;
  }
});

test.if(isHere)("an answer without a choice or a word is not sent", async () => {
  const run = await oc.shell("run", "interview");
  await oc.see("SQLite");
  await oc.see(choosing);
  oc.term.press("down", "enter");
  await oc.see("❯ [ ] api");
  await oc.see(choosing);
  oc.term.press("down", "enter");
  await oc.see("Nothing is marked yet: press space to mark a choice.");
  oc.term.press("space");
  await oc.see("❯ [x] page");
  await oc.see(choosing);
  oc.term.press("enter");
  await oc.see("Your answer");
  await oc.see("enter send");
  oc.term.press("enter");
  await oc.see("Nothing is typed yet: type your answer first.");
  await oc.type("The");
  await oc.see("enter send");
  oc.term.press("ctrl+j");
  await oc.type("Tower");
  await oc.see(/The +\n *Tower/);
  oc.model.expect("Try it").reply("It works.");
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe('["SQLite",["page"],"The\\nTower","It works."]\n');
});

test.if(isHere)("a dialog that is answered elsewhere while you type says so, and shows what was not sent", async () => {
  const run = await oc.shell("run", "title");
  await oc.see("enter send");
  await oc.type("Half a th");
  await oc.see("Half a th");
  const [id = ""] = /(?<=atomic title )[a-z]+-[a-z]+/.exec(oc.term.screen().join("\n")) ?? [];
  expect((await (await oc.shell("approve", id, "Whole")).ended()).code).toBe(0);
  await oc.see("answered elsewhere");
  await oc.see(/not[\s┃]+sent: .*Half a th|not sent:[\s┃]+Half a th/);
  expect(oc.term.screen().join("\n")).not.toContain("enter send");
  expect((await run.ended()).code).toBe(0);
  await oc.toastsGone();
});

test.if(isHere)("the selected one of many options is on the screen", async () => {
  const run = await oc.shell("run", "many");
  await oc.see(choosing);
  for (let down = 0; down < 41; down += 1) oc.term.press("down");
  await oc.see("❯ option 41");
  await oc.see("choose (42 of 61)");
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("option 41\n");
});

test.if(isHere)("foreign text is shown as it is, whole, and draws nothing", async () => {
  void oc.shell("run", "hostile");
  await oc.see("\\x1b]0;owned");
  const dialog = await oc.dialog();
  expect(dialog).toContain("\\x1b[2J\\x1b[31mRed\\u{202e}gnp.exe");
  expect(dialog).toMatch(/末\?/);
  expect(dialog).toContain("\n  \\x1b[7mYes No\n");
  expect(oc.term.title).not.toContain("owned");
  await later();
  await cancel("hostile");
});

test.if(isHere)("a dialog does not open with a key that empties the prompt", async () => {
  await oc.type("x");
  await oc.see(/┃ {2}x/);
  const run = await oc.shell("run", "confirm");
  await oc.see("asks: Are you sure?");
  // The prompt is empty now, but you may be about to type something else: it is seen before the dialog covers it.
  const before = oc.term.output.length;
  oc.term.press("backspace");
  await oc.see(choosing);
  expect(oc.term.output.slice(before)).toContain("Ask anything");
  oc.term.press("down", "enter");
  expect((await run.ended()).stdout).toBe("sure: true\n");
});

test.if(isHere)("a dialog waits until OpenCode's palette is closed, and does not take the next key", async () => {
  oc.term.press("ctrl+p");
  await oc.see("Search");
  const run = await oc.shell("run", "confirm");
  await oc.see("asks: Are you sure?");
  expect(oc.term.screen().join("\n")).not.toContain(choosing);
  // You may press the next key at once. This only fails if the dialog comes too early, however slow the machine is.
  const pressedAt = performance.now();
  oc.term.press("escape");
  await oc.see(choosing);
  expect(performance.now() - pressedAt).toBeGreaterThanOrEqual(1000);
  oc.term.press("down", "enter");
  expect((await run.ended()).stdout).toBe("sure: true\n");
});

test.if(isHere)("a run of another project is not shown", async () => {
  await using other = await tmpProject({ files: workflows });
  expect((await other.run(["node", atomicProgram, "run", "confirm", "--no-wait"])).code).toBe(4);
  const run = await oc.shell("run", "confirm");
  await oc.see(choosing);
  await oc.see("asks: Are you sure? · /runs");
  oc.term.press("down", "enter");
  expect((await run.ended()).stdout).toBe("sure: true\n");
});

test.if(isHere)("a workflow with the name of an OpenCode command is started by /run only", async () => {
  await oc.type("/help");
  await oc.see(/\/help +Help/);
  expect(oc.term.screen().join("\n")).not.toContain("(workflow)");
  oc.term.press("ctrl+u");
  await oc.see("Ask anything");
  await oc.type("/run --help");
  await oc.see("/run --help");
  oc.term.press("enter");
  await oc.see("--help only prints something.");
  oc.term.press("ctrl+u");
  await oc.see("Ask anything");
  await oc.type("/run help");
  await oc.see("/run help");
  oc.term.press("enter");
  await oc.see(choosing);
  await later();
  await cancel("help");
});

test.if(isHere)("a question waits until OpenCode's own is answered, and no key counts twice afterwards", async () => {
  oc.model.expect("Say hello").tool("bash", { command: "echo hello", description: "says it" }).then.reply("Said.");
  await oc.type("Say hello");
  await oc.see("Say hello");
  oc.term.press("enter");
  await oc.see("Permission required");
  const run = await oc.shell("run", "confirm");
  await oc.see("asks: Are you sure?");
  // It would answer our dialog if there were one.
  oc.term.press("right");
  await oc.see(/Allow always/);
  expect(oc.term.screen().join("\n")).not.toContain(choosing);
  // Answered elsewhere, so no key was pressed when the prompt gets the focus.
  const server = `${oc.url}/permission`;
  const where = `?directory=${encodeURIComponent(oc.project.dir)}`;
  const [asked] = (await (await fetch(server + where)).json()) as { readonly id: string }[];
  const body = JSON.stringify({ reply: "once" });
  const headers = { "content-type": "application/json" };
  expect((await fetch(`${server}/${asked?.id}/reply${where}`, { method: "POST", headers, body })).status).toBe(200);
  await oc.see(choosing);
  await later();
  await oc.type("once");
  await oc.see(/┃ {2}once/);
  oc.term.press("ctrl+u");
  await oc.gone("once");
  await cancel("confirm");
  expect((await run.ended()).code).toBe(8);
  oc.model.verify();
});
