// What a person types on the page: long texts, and amounts as people write them.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { askUserNode, toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import { atomic } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";
import { browserTests } from "./browser-tests.ts";
import { serveUi } from "./opened.ts";

const { inBrowser, browser } = browserTests("what a person types in a browser");

const noting = () => newGraph().start(askUserNode({ id: "notes", question: "What is new?" }));

inBrowser("a text of 1 MB is an answer; a longer one is refused, and stays in its field", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, noting());
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link, { viewport: { width: 360, height: 740 } });
  const field = page.getByPlaceholder("Your answer");
  /** At once, as from the clipboard. */
  const paste = (text: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const field = document.querySelector("textarea");
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
  const line = `${"Straße ".repeat(12)}\n`;
  for (const times of [15_000, 25_000]) {
    const length = line.length * times;
    await paste(line.repeat(times));
    await page.getByRole("button", { name: "Answer" }).click();
    await page.locator(".notice.bad", { hasText: /1 MB.* [Ww]rite it to a file and send the file's name/ }).waitFor();
    expect((await field.inputValue()).length).toBe(length);
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  const notes = line.repeat(10_300);
  expect(Buffer.byteLength(notes)).toBeGreaterThan(990_000);
  await paste(notes);
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator(".notice.good", { hasText: "You answered “Straße Straße" }).waitFor();
  // What was answered is not repeated whole.
  expect(await page.locator(".notice").evaluate((each) => each.clientHeight)).toBeLessThan(300);
  const [sent = ""] = readFileSync(project.path(".atomic/runs/calm-otter/inbox.jsonl"), "utf8").split("\n");
  expect(JSON.parse(sent).event.value).toBe(notes);
});

inBrowser("an amount may have a comma; what is not an amount, or does not raise the budget, is refused", async () => {
  await using project = await tmpProject({ git: false });
  const graph = newGraph()
    .start(toolNode({ id: "work", run: () => "done" }))
    .then(askUserNode({ id: "notes", question: "What is new?" }));
  await begin(project, graph);
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.locator(".raise summary").click();
  const set = async (label: string, typed: string, notice: string): Promise<void> => {
    await page.getByLabel(label).fill(typed);
    await page.getByRole("button", { name: "Set" }).click();
    await page.locator(".notice", { hasText: notice }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByLabel(label).fill("");
  };
  await set("Dollars", "7,5", "The budget is now $7.50.");
  for (const typed of ["1,000", "7.5.1", "1e308", "-3", "ten", "0x10"]) {
    await set("Dollars", typed, `“${typed}” is not an amount. Write it like 1000 or 7.5.`);
  }
  await set("Dollars", "0", "A limit of $0.00 is not above what the run has used: $0.00.");
  await set("Steps", "1", "A limit of 1 step is not above what the run has used: 1 step.");
  await set("Tokens", "9".repeat(15), "is too large to be a limit; leave the field empty for no limit.");
  await set("Tokens", "20.5", "Tokens and steps are whole numbers.");
  const { budget } = JSON.parse((await atomic(project, ["show", "calm-otter", "--json"])).stdout);
  expect(budget).toEqual({ usd: 7.5 });
});
