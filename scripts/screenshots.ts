// `bun scripts/screenshots.ts`: makes the pictures of `atomic ui` in docs/images again, from runs that need no model.
// `bun scripts/screenshots.ts terminal`: those of OpenCode's own terminal, and the screens in its guide, from the real program.
// Under an agent: `node scripts/apart.mjs bun scripts/screenshots.ts`.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { installedChromium, launchChromium } from "@atomic/testing/chromium";
import { tmpProject } from "@atomic/testing/project";
import { demoRuns } from "../packages/atomic/test/page/demo-runs.ts";
import { serveUi, show } from "../packages/atomic/test/page/opened.ts";

const folder = join(import.meta.dirname, "../docs/images");

async function takePictures(): Promise<void> {
  await bundlePackages("@atomic/cli");
  await mkdir(folder, { recursive: true });
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project);
  await using browser = await launchChromium();
  const { asking } = runs.ids;
  const { page } = await browser.open(ui.link, {
    viewport: { width: 1280, height: 860 },
    reducedMotion: "reduce",
  });
  const settled = (): Promise<unknown> =>
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await show(page, `#/${asking}/graph`);
  await page.locator(".questions").waitFor();
  await settled();
  await page.screenshot({ path: join(folder, "ui-run.png") });
  await show(page, `#/${asking}/graph/fix`);
  await page.locator(".panel .diff").waitFor();
  await page.screenshot({ path: join(folder, "ui-node.png") });
  await show(page, `#/${asking}/timeline`);
  await page.locator(".row").first().waitFor();
  await page.locator(".tabs").evaluate((tabs) => tabs.scrollIntoView());
  await page.emulateMedia({ colorScheme: "dark" });
  await settled();
  await page.screenshot({ path: join(folder, "ui-timeline-dark.png") });
  const phone = await browser.open(ui.address, {
    storageState: await page.context().storageState(),
    viewport: { width: 390, height: 760 },
    isMobile: true,
    hasTouch: true,
    reducedMotion: "reduce",
  });
  await show(phone.page, `#/${asking}/graph`);
  await phone.page.locator(".question").waitFor();
  await phone.page.locator(".problems").evaluate((part) => part.scrollIntoView());
  await phone.page.screenshot({ path: join(folder, "ui-phone.png") });
}

/** The tests that drive OpenCode's terminal take them on their way. */
async function takeTerminalPictures(): Promise<void> {
  const tests = ["atomic", "magnus"].map((name) => `test/terminal/${name}-plugin.test.ts`);
  const argv = [process.execPath, "test", ...tests, "--timeout", "240000", "--update-snapshots"];
  const env = { ...process.env, JOURNEYS: "full", UPDATE: "1" };
  const child = Bun.spawn(argv, { cwd: join(import.meta.dirname, ".."), env, stdio: ["ignore", "inherit", "inherit"] });
  process.exitCode = await child.exited;
}

const chromium = installedChromium();
if (chromium.available) await (process.argv[2] === "terminal" ? takeTerminalPictures() : takePictures());
else {
  console.error(`No pictures were taken: ${chromium.reason}`);
  process.exitCode = 1;
}
