// What there is no room for gives way to OpenCode's own.
import { expect, setDefaultTimeout, test } from "bun:test";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";

setDefaultTimeout(240_000);

const flags = Array.from({ length: 9 }, (_, at) => `"option-number-${at}": { type: "string" }`).join(", ");
const long = `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "long", arguments: { ${flags} } as const }, (graph) =>
  graph.start(toolNode({ id: "say", run: () => "hi" })));
`;
const quick = `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "quick" }, (graph) => graph.start(toolNode({ id: "say", run: () => "hi" })));
`;

test.if(isHere)("a long hint is cut to what the prompt has room for, and pushes nothing", async () => {
  const files = { ".atomic/workflows/long.ts": long };
  await using oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli"], files, cols: 64 });
  const model = "Build · model-1 Scripted";
  const line = (): string => oc.term.screen().find((row) => row.includes(model)) ?? "";
  const rowsOfPrompt = (): number => oc.term.screen().filter((row) => /^ *[┃╹]/.test(row)).length;
  await oc.type("/lo");
  await oc.see("(workflow)");
  oc.term.press("tab");
  await oc.see(/Scripted +--option/);
  const rows = rowsOfPrompt();
  expect(line()).toMatch(/ {2}--option-\S*.*…\s*$/);
  expect(oc.screen()).toMatchSnapshot();
  await oc.type("x");
  await oc.gone("--option");
  expect(rowsOfPrompt()).toBe(rows);
  // Another width, another room.
  oc.term.press("backspace");
  await oc.see(/Scripted +--option/);
  oc.term.resize(90, 36);
  await oc.type(" ");
  await oc.see(/Scripted +--option-number-0 <text> \S.*…/);
  expect(line().length).toBeLessThanOrEqual(90);
});

test.if(isHere)("all keys of /runs are shown in a narrow terminal", async () => {
  const files = { ".atomic/workflows/quick.ts": quick };
  await using oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli"], files, cols: 40 });
  const { term } = oc;
  expect((await (await oc.shell("run", "quick")).ended()).code).toBe(0);
  await oc.type("/runs");
  // The list, too: the command is there a moment after the prompt is.
  await oc.see(/\/runs[\s\S]*\/runs/);
  term.press("enter");
  await oc.see(/❯ +\S+ +quick/);
  await oc.see(/↑↓ choose · enter tree · s session · *\n +a answer · c cancel · esc back/);
  term.press("enter");
  await oc.see(/↑↓ agent · s session · a answer · *\n +c cancel · esc list/);
});
