/**
 * Measures a page in the system's Chromium and prints a sample: `size` of what a browser has to load, `idle` while nothing happens,
 * or `scroll` through a long list.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { launchChromium, type OpenedPage } from "@atomic/testing/chromium";
import { tmpProject } from "@atomic/testing/project";
import { demoRuns, longRun } from "../../packages/atomic/test/page/demo-runs.ts";
import { serveUi, show } from "../../packages/atomic/test/page/opened.ts";

const [what = "", who = ""] = process.argv.slice(2);
const steps = 10_000;
const idleMs = 10_000;

interface Measured {
  readonly wallMs?: number;
  readonly cpuMs?: number;
  readonly rssBytes?: number;
}

function print({ wallMs = 0, cpuMs = 0, rssBytes = 0 }: Measured): void {
  console.log(JSON.stringify({ wallMs, cpuMs, rssBytes, rssAtMost: false, calls: 1 }));
}

/** Everything in a folder. */
function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size * Number(/\.\w+$/.test(name)), 0);
}

/** One line for each step, as a page without any script has them. */
function plainList(): string {
  const rows = Array.from({ length: steps }, (_, at) => `<li><b>files.file-${at}/check</b> tool done 0ms</li>`);
  return `<!doctype html><meta charset=utf-8><style>li { height: 3.25rem }</style><ol>${rows.join("")}</ol>`;
}

/** CPU time of all of the browser's processes, in milliseconds. */
async function browserCpu({ context }: OpenedPage): Promise<number> {
  const session = await context.browser()!.newBrowserCDPSession();
  const { processInfo } = (await session.send("SystemInfo.getProcessInfo")) as { processInfo: { cpuTime: number }[] };
  await session.detach();
  return 1000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** Of a process and its children: user and system time, in milliseconds. */
function processCpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12])); // 100 ticks a second
}

async function idle(opened: OpenedPage, pid: number | undefined): Promise<Measured> {
  const cpu = async (): Promise<number> => (await browserCpu(opened)) + (pid === undefined ? 0 : processCpu(pid));
  // A browser that has just started still has things to do of its own.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const before = await cpu();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return { wallMs: idleMs, cpuMs: (await cpu()) - before };
}

/** Frame by frame from top to bottom: the time of a slow frame (the 95th of 100), and the browser's CPU time for each. */
async function scroll(opened: OpenedPage): Promise<Measured> {
  const { page } = opened;
  const before = await browserCpu(opened);
  const frames = (await page.evaluate(`new Promise((done) => {
    const took = [];
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      took.push(now - last);
      last = now;
      scrollBy(0, 1500);
      if (took.length < 200) requestAnimationFrame(next);
      else done(took.slice(1));
    };
    requestAnimationFrame(next);
  })`)) as number[];
  const cpuMs = ((await browserCpu(opened)) - before) / frames.length;
  return { wallMs: frames.toSorted((one, other) => one - other)[Math.floor(frames.length * 0.95)]!, cpuMs };
}

async function measure(): Promise<Measured> {
  if (what === "size" && who === "playwright") {
    const viewer = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "lib/vite");
    return { rssBytes: bytesIn(join(viewer, "htmlReport")) };
  }
  await using browser = await launchChromium();
  if (who !== "ours") {
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(what === "scroll" ? plainList() : "", { headers: { "content-type": "text/html" } }),
    });
    const opened = await browser.open(`http://127.0.0.1:${server.port}/`);
    return what === "scroll" ? await scroll(opened) : await idle(opened, undefined);
  }
  await using project = await tmpProject();
  if (what === "scroll") await longRun(project, steps);
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project);
  const opened = await browser.open(ui.link);
  const { page } = opened;
  await page.locator(".runs li").first().waitFor();
  if (what === "size") return { rssBytes: (await (await opened.context.request.get(ui.address)).body()).byteLength };
  await show(page, what === "scroll" ? "#/lucky-fern/timeline" : "#/merry-crane/graph");
  await page
    .locator(what === "scroll" ? ".row" : ".node")
    .first()
    .waitFor();
  return what === "scroll" ? await scroll(opened) : await idle(opened, ui.pid);
}

print(await measure());
process.exit();
