// What a reader sees: right to left, with large letters, on paper, on a phone, and below many errors.
import { expect } from "bun:test";
import { renameSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { tmpProject } from "@atomic/testing/project";
import { askUserNode, toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { mapNode } from "@atomic/workflows/internal/graph/map-node";
import { atomic } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";
import { browserTests } from "./browser-tests.ts";
import { demoRuns, longRun } from "./demo-runs.ts";
import { serveUi, show } from "./opened.ts";

const { inBrowser, browser } = browserTests("what a reader sees in a browser");

const phone = { viewport: { width: 375, height: 700 }, isMobile: true, hasTouch: true };

inBrowser("after many errors, what the run asks is still near, and the other errors are a click away", async () => {
  await using project = await tmpProject({ git: false });
  const failing = mapNode({
    id: "files",
    over: () => Array.from({ length: 30 }, (_, at) => `file-${at}`),
    as: "file",
    onItemError: "continue",
    // biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
    nodes: (each: any) =>
      each.then(
        toolNode({
          id: "check",
          run: () => {
            throw new Error("line 3 is too long");
          },
        }),
      ),
  });
  await begin(
    project,
    newGraph()
      .start(failing)
      .then(waitNode({ id: "approval", prompt: "Ship it?" })),
  );
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link, phone);
  await page.locator(".asked").waitFor();
  expect(await page.locator(".problems li").filter({ visible: true }).count()).toBe(3);
  await page.getByText("27 more problems").tap();
  expect(await page.locator(".problems li").filter({ visible: true }).count()).toBe(20);
  await page.getByText("10 more are in the timeline.").waitFor();
});

inBrowser("on a phone, a closed node leads back to where the list was", async () => {
  await using project = await tmpProject({ git: false });
  await longRun(project, 500);
  const ui = await serveUi(project, "lucky-fern");
  const { page } = await browser.open(ui.link, phone);
  await page.locator(".tabs").waitFor();
  await show(page, "#/lucky-fern/timeline");
  await page.locator(".row").first().waitFor();
  await page.evaluate("scrollTo(0, 23200)");
  await page.locator(".row a", { hasText: "file-240/" }).tap();
  await page.locator("#node-title").waitFor();
  await page.waitForFunction("scrollY === 0");
  await page.getByRole("link", { name: "Close" }).tap();
  await page.locator(".row a", { hasText: "file-240/" }).waitFor();
  await page.waitForFunction("scrollY > 22_000");
});

inBrowser("on a narrow phone, the timeline shows whole what each step took and cost, and why one failed", async () => {
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project, runs.ids.asking);
  const { page } = await browser.open(ui.link, { ...phone, viewport: { width: 360, height: 740 } });
  await page.locator(".tabs").waitFor();
  await show(page, `#/${runs.ids.asking}/timeline`);
  await page.locator(".row .bad.rest").first().waitFor();
  const rows = (await page.evaluate(`[...document.querySelectorAll(".row:not(.moment)")].map((row) => {
    const facts = row.querySelector(".facts").getBoundingClientRect();
    const box = row.getBoundingClientRect();
    const why = row.querySelector(".bad.rest")?.clientWidth;
    return {
      text: row.querySelector(".facts").textContent,
      isWhole: facts.left >= 0 && facts.right <= box.right + 1 && facts.bottom <= box.bottom && row.scrollHeight <= row.clientHeight,
      why: why === undefined || why > 250,
    };
  })`)) as readonly { text: string; isWhole: boolean; why: boolean }[];
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ isWhole, why }) => !isWhole || !why)).toEqual([]);
  await show(page, `#/${runs.ids.asking}/log`);
  await page.locator(".log .row").first().waitFor();
  const cut = `[...document.querySelectorAll(".log .row .rest")].filter((each) => each.scrollWidth > each.clientWidth).length`;
  expect(await page.evaluate(cut)).toBe(0);
});

inBrowser("on a phone, what the page has to say is above the list and above an open node, too", async () => {
  await using project = await tmpProject({ git: false });
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link, phone);
  await page.getByText("There are no runs yet.").waitFor();
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })));
  await page.getByRole("link", { name: /calm-otter/ }).waitFor();
  expect(await page.getByText("Choose a run.").isVisible()).toBe(false);
  await show(page, "#/calm-otter/graph/approval");
  await page.locator("#node-title").waitFor();
  renameSync(project.path(".atomic/runs/calm-otter"), project.path("kept"));
  await page.getByText("There is no run calm-otter").filter({ visible: true }).waitFor();
  renameSync(project.path("kept"), project.path(".atomic/runs/calm-otter"));
  await page.locator("#node-title").waitFor();
  await ui.stop();
  const gone = page.getByText("If you have stopped atomic ui, start it again");
  await gone.waitFor();
  await show(page, "#/");
  await page.locator(".shows-list").waitFor();
  expect(await gone.isVisible()).toBe(true);
});

inBrowser("a language that is written from right to left is shown that way, next to one that is not", async () => {
  await using project = await tmpProject({ git: false });
  await begin(
    project,
    newGraph().start(
      askUserNode({
        id: "ask",
        question: "מוכן לפרסום?\n\nReady to ship?",
        options: [{ label: "כן!" }, { label: "No!" }],
      }),
    ),
  );
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.locator(".asked").waitFor();
  /** Whether the sign at a text's end is left of its first letter. */
  const endsLeft = (selector: string, text: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const walker = document.createTreeWalker(document.querySelector(${JSON.stringify(selector)}), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.data.indexOf(${JSON.stringify(text)});
        if (at < 0) continue;
        const leftOf = (offset) => {
          const range = document.createRange();
          range.setStart(node, offset);
          range.setEnd(node, offset + 1);
          return range.getBoundingClientRect().left;
        };
        return leftOf(at + ${text.length - 1}) < leftOf(at);
      }
    })()`);
  expect(await endsLeft(".asked", "מוכן לפרסום?")).toBe(true);
  expect(await endsLeft(".asked", "Ready to ship?")).toBe(false);
  expect(await endsLeft("fieldset", "כן!")).toBe(true);
  expect(await endsLeft("fieldset", "No!")).toBe(false);
  await page.emulateMedia({ media: "print" });
  expect(await page.locator("fieldset", { hasText: "No!" }).isVisible()).toBe(true);
  expect(await page.locator(".asked ~ form button, form button").first().isVisible()).toBe(false);
});

inBrowser("with large letters in the browser's settings, all text is larger, and no label breaks", async () => {
  await using project = await tmpProject({ git: false });
  const input = "word".repeat(60);
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })), { input });
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.locator(".asked").waitFor();
  const sizes = `[...document.querySelectorAll("#page *")].filter((each) => each.innerText?.trim())
    .map((each) => Number.parseFloat(getComputedStyle(each).fontSize))`;
  const before = (await page.evaluate(sizes)) as number[];
  await page.evaluate("document.documentElement.style.fontSize = '32px'");
  const after = (await page.evaluate(sizes)) as number[];
  expect(after.map((size, at) => size / (before[at] ?? 0)).filter((times) => times < 1.99)).toEqual([]);
  const lines = `[...document.querySelectorAll("dt")].map((each) => each.getClientRects().length > 0 && each.offsetHeight / 32 < 3)`;
  expect(new Set((await page.evaluate(lines)) as boolean[])).toEqual(new Set([true]));
});

inBrowser("on paper, a run in a file is whole: what is folded or scrolls on a screen is printed, too", async () => {
  await using project = await tmpProject({ git: false });
  const long = Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n");
  await begin(project, newGraph().start(toolNode({ id: "say", run: () => long })));
  await project.write("run.html", (await atomic(project, ["show", "calm-otter", "--html"])).stdout);
  const { page } = await browser.open(pathToFileURL(project.path("run.html")).href);
  expect(await page.getByText("line 199").isVisible()).toBe(false);
  await page.emulateMedia({ media: "print" });
  const output = page.locator(".long", { hasText: "line 199" });
  expect(await output.isVisible()).toBe(true);
  expect(await output.evaluate((each) => each.scrollHeight - each.clientHeight)).toBe(0);
});
