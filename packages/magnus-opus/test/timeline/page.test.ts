// The page in a real browser: what it measures is what a person would see.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BrowserPage, browser, openBrowser, type PageView } from "@atomic/testing/browser";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import type { MagnusEvent } from "../../src/run/event.ts";
import { timelineHtml } from "../../src/timeline/html.ts";
import { eventfulRun, runWithOddEvents } from "./eventful-run.ts";

const chromium = browser();
if (!chromium.available) console.warn(`skipped: the timeline in a browser: ${chromium.reason}`);

const phone: PageView = { width: 360, height: 740, mobile: true };
const desktopView: PageView = { width: 1200, height: 800 };

let page: BrowserPage;
let folder: TemporaryFolder;

beforeAll(async () => {
  if (!chromium.available) return;
  folder = await temporaryFolder("timeline-");
  page = await openBrowser();
}, 180_000);

afterAll(async () => {
  await page?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function show(events: readonly MagnusEvent[], view: PageView): Promise<void> {
  const file = join(folder.path, "timeline.html");
  await Bun.write(file, timelineHtml(events));
  await page.show(view);
  await page.open(pathToFileURL(file).href);
}

const tooWide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** Elements with text of their own that reach over the edge of the screen, or that nobody can see. */
const outside = `[...document.querySelectorAll("body *")].filter((element) => {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const { left, right, width, height } = element.getBoundingClientRect();
  return hasText && element.checkVisibility() && (left < 0 || right > innerWidth + 0.5 || width === 0 || height === 0);
}).map((element) => element.outerHTML.slice(0, 200))`;

for (const [name, view] of Object.entries({ phone, desk: desktopView })) {
  test.skipIf(!chromium.available)(
    `on a ${name} nothing has to be scrolled sideways, and all text is on the screen`,
    async () => {
      for (const events of [eventfulRun(), runWithOddEvents()]) {
        await show(events, view);
        expect(await page.evaluate<number>(tooWide)).toBe(0);
        expect(await page.evaluate<string[]>(outside)).toEqual([]);
        await page.evaluate("document.querySelector('details').open = true");
        expect(await page.evaluate<number>(tooWide)).toBe(0);
        expect(
          await page.evaluate<number>("document.querySelectorAll('#events tbody tr').length"),
        ).toBeGreaterThanOrEqual(10);
      }
    },
  );
}

test.skipIf(!chromium.available)("text on a phone is as large as text should be", async () => {
  await show(eventfulRun(), phone);
  const sizes = await page.evaluate<number[]>(
    `[...document.querySelectorAll("body *")].map((element) => parseFloat(getComputedStyle(element).fontSize))`,
  );
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(13);
});

test.skipIf(!chromium.available)(
  "the page asks for nothing, complains of nothing, and runs nothing of what models wrote",
  async () => {
    await show(eventfulRun(), desktopView);
    expect(page.requests).toEqual([pathToFileURL(join(folder.path, "timeline.html")).href]);
    expect(page.complaints).toEqual([]);
    expect(await page.evaluate<string>("document.title")).toBe("impl-1");
    expect(await page.evaluate<number>("document.querySelectorAll('script, img, [onmouseover]').length")).toBe(0);
    expect(await page.evaluate<string>("document.querySelector('.notes').innerText")).toContain(
      "<script>document.title =",
    );
  },
);

test.skipIf(!chromium.available)("bars stand where their phases were, one after the other", async () => {
  await show(eventfulRun(), desktopView);
  const bars = await page.evaluate<{ left: number; right: number; width: number }[]>(
    `[...document.querySelectorAll("#phase-rows .bar")].map((bar) => bar.getBoundingClientRect().toJSON())`,
  );
  expect(bars).toHaveLength(21);
  expect(bars.every(({ width }) => width >= 3)).toBe(true);
  for (const [at, bar] of bars.entries()) if (at > 0) expect(bar.left).toBeGreaterThanOrEqual(bars[at - 1]!.left);
  const { right } = await page.evaluate<{ right: number }>(
    `document.querySelector("#phase-rows").getBoundingClientRect().toJSON()`,
  );
  expect(bars.at(-1)!.right).toBeLessThanOrEqual(right + 0.5);
  expect(await page.evaluate<number>(`document.querySelectorAll("#phase-rows li:first-child .break").length`)).toBe(1);
});

test.skipIf(!chromium.available)("the curve of the cost is drawn from corner to corner", async () => {
  await show(eventfulRun(), desktopView);
  const [chart, curve] = await page.evaluate<{ x: number; y: number; width: number; height: number }[]>(
    `["#cost ~ .chart", "#cost ~ .chart .curve"].map((each) => document.querySelector(each).getBoundingClientRect().toJSON())`,
  );
  expect(curve!.width).toBeGreaterThan(chart!.width * 0.98);
  expect(curve!.height).toBeGreaterThan(chart!.height * 0.9);
});

/** The worst ratio between a text and what is behind it, after WCAG 2. */
const contrast = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  return Math.min(...[...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""))
    .map((element) => [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a))
    .map(([more, less]) => (more + 0.05) / (less + 0.05)));
})()`;

test.skipIf(!chromium.available)("text can be read on light and on dark", async () => {
  const backs: string[] = [];
  for (const dark of [false, true]) {
    await show(eventfulRun(), { ...phone, dark });
    expect(await page.evaluate<number>(contrast)).toBeGreaterThanOrEqual(4.5);
    backs.push(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor"));
  }
  expect(backs[0]).not.toBe(backs[1]);
});

test.skipIf(!chromium.available)("a picture of it is made of more than one colour", async () => {
  await show(runWithOddEvents(), phone);
  const bytes = await page.screenshot();
  expect(new TextDecoder().decode(bytes.slice(1, 4))).toBe("PNG");
  expect(bytes.length).toBeGreaterThan(20_000);
});
