// The page in a real browser, on runs with journals of their own.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { seriousProblems } from "@atomic/testing/axe";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { installedChromium, type LaunchedChromium, launchChromium } from "@atomic/testing/chromium";
import { tmpProject } from "@atomic/testing/project";
import { atomic } from "../atomic.ts";
import { demoRuns } from "./demo-runs.ts";
import { serveUi, show } from "./opened.ts";

setDefaultTimeout(120_000);
const chromium = installedChromium();
if (!chromium.available) console.warn(`skipped: the page in a browser: ${chromium.reason}`);
const inBrowser = test.skipIf(!chromium.available);

let launched: LaunchedChromium;

beforeAll(async () => {
  if (!chromium.available) return;
  await bundlePackages("@atomic/cli");
  launched = await launchChromium();
});
afterAll(async () => await launched?.[Symbol.asyncDispose]());

inBrowser("every run is listed with its state, cost and age, those that ask you first", async () => {
  await using project = await tmpProject();
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page, complaints, requests } = await launched.open(await ui.link(1));
  await page.waitForSelector(".runs li:nth-child(4)");
  const lines = await page.locator(".runs li").allInnerTexts();
  expect(lines.map((line) => line.replace(/\d+[smh] ago/, "AGE ago").split(/\s*\n\s*/))).toEqual([
    ["release", "calm-otter", "asks you", "AGE ago · $1.05", "… Publish 1.4.0 with these notes?"],
    ["fix-flaky", "brave-lark", "running", "AGE ago · $0.12"],
    ["migrate", "quiet-heron", "failed", "AGE ago", expect.stringMatching(/^failed: rewrite: .*no such column/)],
    ["nightly", "merry-crane", "done", "AGE ago · $0.07"],
  ]);
  expect(complaints).toEqual([]);
  expect(requests.every((url) => url.startsWith(ui.origin) || url.startsWith("data:"))).toBe(true);
  expect(page.url()).toBe(`${ui.origin}/`);
});

inBrowser("a question is answered on the page, and the run continues there", async () => {
  await using project = await tmpProject();
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project, "calm-otter");
  const { page } = await launched.open(await ui.link(1));
  expect(await page.locator(".asked").textContent()).toContain("- Dark mode in the editor\n- No more crash at night");
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByLabel("GitHub").check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.waitForSelector(".status.good");
  const { stdout } = await atomic(project, ["show", "calm-otter", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: { kind: "done" } });
  expect(stdout).toContain('"answer": "GitHub"');
  await show(page, "#/calm-otter/timeline");
  expect(await page.locator(".row", { hasText: "channel" }).textContent()).toContain("answered GitHub");
});

inBrowser("axe finds nothing serious, on light and on dark, on a desk and on a phone", async () => {
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page } = await launched.open(await ui.link(1));
  await page.waitForSelector(".runs li:nth-child(4)");
  const { asking, running, failed } = runs.ids;
  const places = ["#/", `#/${asking}/graph`, `#/${running}/timeline`, `#/${failed}/log`, `#/${asking}/graph/fix`];
  const problems: string[] = [];
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    for (const place of places) {
      await show(page, place);
      await page.waitForSelector(place.endsWith("fix") ? ".panel .long" : place === "#/" ? ".shows-list" : ".tabs", {
        state: "attached",
      });
      for (const each of await seriousProblems(page)) problems.push(`${colorScheme} ${width} ${place}: ${each}`);
    }
  }
  expect(problems).toEqual([]);
});
