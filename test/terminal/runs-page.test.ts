// The page `/runs` while its runs end, are removed, or ask several things.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { rm } from "node:fs/promises";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";
import { workflows } from "./workflows.ts";

setDefaultTimeout(240_000);

const both = `import { askUserNode, defineGraph, parallelNode } from "@atomic/workflows";
const ask = (id, question) => askUserNode({ id, question, options: [{ label: "yes" }, { label: "no" }] });
export default defineGraph({ name: "both" }, (graph) =>
  graph.start(parallelNode({ id: "fan", branches: [ask("one", "First thing?"), ask("two", "Second thing?")] })));
`;
const title = `import { askUserNode, defineGraph } from "@atomic/workflows";
export default defineGraph({ name: "title" }, (graph) => graph.start(askUserNode({ id: "name", question: "Which title?" })));
`;
const choosing = "enter answer · esc later";

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (!isHere) return;
  const files = { ...workflows, ".atomic/workflows/both.ts": both, ".atomic/workflows/title.ts": title };
  oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli"], files, cols: 140 });
  // What was asked before the plugin was there opens no dialog.
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  oc.term.press("ctrl+u");
  await oc.gone("┃  /");
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

/** Starts the workflow in another shell, leaves each question for later, and opens the page. Returns the run's id. */
async function asked(workflow: string, questions: number): Promise<string> {
  const { term } = oc;
  expect((await (await oc.shell("run", workflow, "--no-wait")).ended()).code).toBe(4);
  let id = "";
  for (let at = 0; at < questions; at += 1) {
    await oc.see("esc later");
    [id = ""] = new RegExp(`(?<=  ${workflow} )[a-z]+-[a-z]+`).exec(term.screen().join("\n")) ?? [];
    term.press("escape");
    await oc.gone("esc later");
  }
  await oc.type("/runs");
  await oc.see("What this project's workflows are doing");
  term.press("enter");
  await oc.see("Runs of this project");
  await oc.see(new RegExp(`❯ +${id} +${workflow} +waiting`));
  return id;
}

async function left(): Promise<void> {
  oc.term.press("escape");
  await oc.gone("Runs of this project");
}

test.if(isHere)(
  "a tree stays when its run ends and another one starts; if the run is removed, the list is back",
  async () => {
    const { term } = oc;
    const id = await asked("confirm", 1);
    term.press("enter");
    await oc.see("esc list");
    expect((await (await oc.shell("approve", id)).ended()).code).toBe(0);
    expect((await (await oc.shell("resume", id)).ended()).stdout).toBe("sure: true\n");
    await oc.see(/confirm \S+ +done/);
    const other = await oc.shell("run", "confirm", "--no-wait");
    expect((await other.ended()).code).toBe(4);
    await oc.see(choosing);
    term.press("escape");
    await oc.gone(choosing);
    await oc.see(/✓ say/);
    await oc.see(new RegExp(`confirm ${id} +done`));
    await rm(oc.project.path(`.atomic/runs/${id}`), { recursive: true });
    await oc.see(`${id}: the run was removed or can no longer be read`);
    await oc.see("esc back");
    expect(oc.term.screen().join("\n")).not.toMatch(new RegExp(`${id} +confirm`));
    await left();
  },
);

test.if(isHere)("a run that was removed is in the list no more", async () => {
  const id = await asked("confirm", 1);
  await rm(oc.project.path(`.atomic/runs/${id}`), { recursive: true });
  await oc.gone(id);
  await left();
});

test.if(isHere)("all questions of a run are counted, and reached one after the other", async () => {
  const { term } = oc;
  for (const id of oc.runIds()) await rm(oc.project.path(`.atomic/runs/${id}`), { recursive: true });
  await oc.gone("asks:");
  await asked("both", 2);
  await oc.see("asks: First thing? · 1 more · /runs");
  for (const question of ["First", "Second", "First", "Second"]) {
    term.press("a");
    await oc.see(choosing);
    await oc.see(`? ${question} thing?`);
    term.press("escape");
    await oc.gone(choosing);
  }
  await left();
});

test.if(isHere)("two questions opened at once are one dialog: the later one", async () => {
  const { term } = oc;
  for (const id of oc.runIds()) await rm(oc.project.path(`.atomic/runs/${id}`), { recursive: true });
  await oc.gone("asks:");
  await asked("both", 2);
  term.press("a", "a");
  await oc.see("? Second thing?");
  await oc.see(choosing);
  term.press("escape");
  await oc.gone(choosing);
  // Another dialog would be there by then.
  const closedAt = performance.now();
  while (performance.now() < closedAt + 2000) {
    term.resize(40, 36);
    await oc.gone("choose · enter tree · s session · a answer · c cancel");
    term.resize(140, 36);
    await oc.see("choose · enter tree · s session · a answer · c cancel");
  }
  expect(term.screen().join("\n")).not.toContain("esc later");
  await left();
});

test.if(isHere)(
  "when a dialog closes by itself while you type, no key does anything else, and your words stay",
  async () => {
    const { term } = oc;
    const id = await asked("title", 1);
    term.press("a");
    await oc.see("enter send");
    await oc.type("Half a th");
    await oc.see("Half a th");
    const before = oc.term.output.length;
    const approving = await oc.shell("approve", id, "Whole");
    // While you type: a second later, a key would be for the page.
    await oc.see("not sent: Half a th");
    const pressedAt = performance.now();
    term.press("c");
    expect((await approving.ended()).code).toBe(0);
    expect((await (await oc.shell("resume", id)).ended()).code).toBe(0);
    await oc.see(new RegExp(`${id} +title +done`));
    expect(oc.term.output.slice(before)).not.toContain("The run ends for good");
    const message = `To continue: atomic resume ${id}. What you typed was not sent: Half a th`;
    const isWhole = (): boolean => {
      const rows = term.screen().map((row) => row.slice(0, term.cols).trim());
      return rows.join(" ").includes(message);
    };
    // In one of these widths, the end of a row is in a word. Afterwards, keys are the page's again.
    for (let at = 0; at < 10 || performance.now() < pressedAt + 1500; at += 1) {
      term.resize(60 - (at % 10), 36);
      await term.waitFor(({ isInFrame }) => !isInFrame && isWhole(), { deadline: 20_000 });
    }
    term.press("a");
    await oc.see("has no question for you");
    await term.waitFor(({ isInFrame }) => !isInFrame && isWhole(), { deadline: 20_000 });
    term.resize(140, 36);
    term.press("escape");
    await oc.gone("Runs of this project");
  },
);
