import { expect, test } from "bun:test";
import { installedChromium, launchChromium } from "@atomic/testing/chromium";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

const chromium = installedChromium();
if (!chromium.available) console.warn(`skipped: the real browser: ${chromium.reason}`);

test("a machine without a browser says how to install one", async () => {
  await using folder = await temporaryFolder();
  expect(installedChromium(folder.path)).toMatchObject({
    available: false,
    reason: expect.stringContaining("apt-get install chromium"),
  });
});

test.skipIf(!chromium.available)("a page is laid out, runs its scripts, and cannot reach the network", async () => {
  await using browser = await launchChromium();
  const html = `<meta name="viewport" content="width=device-width"><h1>hello</h1><img src="http://images.invalid/x.png">`;
  const address = `data:text/html,${encodeURIComponent(html)}`;
  const { page, requests, complaints } = await browser.open(address, {
    viewport: { width: 360, height: 640 },
    isMobile: true,
  });
  expect(await page.evaluate("[innerWidth, document.querySelector('h1').offsetHeight > 20]")).toEqual([360, true]);
  expect(requests).toContain("http://images.invalid/x.png");
  expect(complaints.join()).toContain("ERR_PROXY_CONNECTION_FAILED");
});

test.skipIf(!chromium.available)("names that end in .test are this machine", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
  await using browser = await launchChromium();
  const { page } = await browser.open(`http://anything.test:${server.port}/`);
  expect(await page.textContent("body")).toBe("here");
});
