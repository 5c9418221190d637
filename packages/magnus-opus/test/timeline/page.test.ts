// The page in a real browser: what it measures is what a person would see.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedChromium, type LaunchedChromium, launchChromium, type OpenedPage } from "@atomic/testing/chromium";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import type { MagnusEvent } from "../../src/run/event.ts";
import { timelineHtml } from "../../src/timeline/html.ts";
import { eventfulRun, runWithOddEvents } from "./eventful-run.ts";

const chromium = installedChromium();
if (!chromium.available) console.warn(`skipped: the timeline in a browser: ${chromium.reason}`);

const phone = { viewport: { width: 360, height: 740 }, isMobile: true };
const desk = { viewport: { width: 1200, height: 800 } };

let launched: LaunchedChromium;
let folder: TemporaryFolder;

beforeAll(async () => {
  if (!chromium.available) return;
  folder = await temporaryFolder("timeline-");
  launched = await launchChromium();
}, 180_000);

afterAll(async () => {
  await launched?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

interface ShownTimeline extends OpenedPage {
  /** The value of an expression in the page. */
  readonly value: <Value>(expression: string) => Promise<Value>;
}

async function show(
  events: readonly MagnusEvent[],
  view: NonNullable<Parameters<LaunchedChromium["open"]>[1]>,
): Promise<ShownTimeline> {
  const file = join(folder.path, "timeline.html");
  await Bun.write(file, timelineHtml(events));
  const opened = await launched.open(pathToFileURL(file).href, view);
  return { ...opened, value: async (expression) => (await opened.page.evaluate(expression)) as never };
}

const tooWide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** Elements with text of their own that extend beyond the edge of the screen or have no size. */
const outside = `[...document.querySelectorAll("body *")].filter((element) => {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const { left, right, width, height } = element.getBoundingClientRect();
  return hasText && element.checkVisibility() && (left < 0 || right > innerWidth + 0.5 || width === 0 || height === 0);
}).map((element) => element.outerHTML.slice(0, 200))`;

for (const [name, view] of Object.entries({ phone, desk })) {
  test.skipIf(!chromium.available)(
    `on a ${name} nothing has to be scrolled sideways, and all text is on the screen`,
    async () => {
      for (const events of [eventfulRun(), runWithOddEvents()]) {
        const { value } = await show(events, view);
        expect(await value<number>(tooWide)).toBe(0);
        expect(await value<string[]>(outside)).toEqual([]);
        await value("document.querySelector('details').open = true");
        expect(await value<number>(tooWide)).toBe(0);
        expect(await value<number>("document.querySelectorAll('#events tbody tr').length")).toBeGreaterThanOrEqual(10);
      }
    },
  );
}

test.skipIf(!chromium.available)("text on a phone is as large as text should be", async () => {
  const { value } = await show(eventfulRun(), phone);
  const sizes = await value<number[]>(
    `[...document.querySelectorAll("body *")].map((element) => parseFloat(getComputedStyle(element).fontSize))`,
  );
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(13);
});

test.skipIf(!chromium.available)(
  "the page asks for nothing, complains of nothing, and runs nothing of what models wrote",
  async () => {
    const { value, requests, complaints } = await show(eventfulRun(), desk);
    expect(requests).toEqual([pathToFileURL(join(folder.path, "timeline.html")).href]);
    expect(complaints).toEqual([]);
    expect(await value<string>("document.title")).toBe("impl-1");
    expect(await value<number>("document.querySelectorAll('script, img, [onmouseover]').length")).toBe(0);
    expect(await value<string>("document.querySelector('.notes').innerText")).toContain("<script>document.title =");
  },
);

test.skipIf(!chromium.available)("bars stand where their phases were, one after the other", async () => {
  const { value } = await show(eventfulRun(), desk);
  const bars = await value<{ left: number; right: number; width: number }[]>(
    `[...document.querySelectorAll("#phase-rows .bar")].map((bar) => bar.getBoundingClientRect().toJSON())`,
  );
  expect(bars).toHaveLength(21);
  expect(bars.every(({ width }) => width >= 3)).toBe(true);
  for (const [at, bar] of bars.entries()) if (at > 0) expect(bar.left).toBeGreaterThanOrEqual(bars[at - 1]!.left);
  const { right } = await value<{ right: number }>(
    `document.querySelector("#phase-rows").getBoundingClientRect().toJSON()`,
  );
  expect(bars.at(-1)!.right).toBeLessThanOrEqual(right + 0.5);
  expect(await value<number>(`document.querySelectorAll("#phase-rows li:first-child .break").length`)).toBe(1);
});

test.skipIf(!chromium.available)("the curve of the cost is drawn from corner to corner", async () => {
  const { value } = await show(eventfulRun(), desk);
  const [chart, curve] = await value<{ x: number; y: number; width: number; height: number }[]>(
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
  for (const colorScheme of ["light", "dark"] as const) {
    const { value } = await show(eventfulRun(), { ...phone, colorScheme });
    expect(await value<number>(contrast)).toBeGreaterThanOrEqual(4.5);
    backs.push(await value<string>("getComputedStyle(document.body).backgroundColor"));
  }
  expect(backs[0]).not.toBe(backs[1]);
});

test.skipIf(!chromium.available)("a picture of it is made of more than one colour", async () => {
  const { page } = await show(runWithOddEvents(), phone);
  const bytes = await page.screenshot({ fullPage: true });
  expect(new TextDecoder().decode(bytes.slice(1, 4))).toBe("PNG");
  expect(bytes.length).toBeGreaterThan(20_000);
});
