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
  await oc.see("Allow once");
  // In the dialog, which is two rows high for it; the status line has it, too.
  expect(oc.term.screen().join("\n")).toMatch(/echo harmless *\n *; rm -rf *\n *everything *\n/);
  oc.term.press("down", "down", "enter");
  expect((await run.ended()).stdout).toBe("Denied, then.\n");
});

test.if(isHere)("the selected one of many options is on the screen", async () => {
  const run = await oc.shell("run", "many");
  await oc.see(choosing);
  for (let down = 0; down < 40; down += 1) oc.term.press("down");
  await oc.see("❯ option 41");
  await oc.see("choose (41 of 61)");
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("option 41\n");
});

test.if(isHere)("foreign text is shown as it is, whole, and draws nothing", async () => {
  void oc.shell("run", "hostile");
  await oc.see("\\x1b]0;owned");
  const dialog = await oc.dialog();
  expect(dialog).toContain("\\x1b[2J\\x1b[31mRed\\u{202e}gnp.exe");
  expect(dialog).toMatch(/末\?/);
  expect(dialog).toContain("❯ \\x1b[7mYes No");
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
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("sure: true\n");
});

test.if(isHere)("a run of another project is not shown", async () => {
  await using other = await tmpProject({ files: workflows });
  expect((await other.run(["node", atomicProgram, "run", "confirm", "--no-wait"])).code).toBe(4);
  const run = await oc.shell("run", "confirm");
  await oc.see(choosing);
  await oc.see("asks: Are you sure? · /runs");
  oc.term.press("enter");
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
  await oc.see("This does not start a run.");
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
