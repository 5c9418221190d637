// What a person types on the page: long texts, and amounts as people write them.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { askUserNode } from "@atomic/workflows/internal/graph/action-nodes";
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
