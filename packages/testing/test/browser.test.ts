import { expect, test } from "bun:test";
import { browser, openBrowser } from "@atomic/testing/browser";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

const chromium = browser();
if (!chromium.available) console.warn(`skipped: the real browser: ${chromium.reason}`);

test("SKIP_HEAVY_HOSTS=1 means no browser, installed or not", () => {
  expect(browser({ env: { SKIP_HEAVY_HOSTS: "1" } })).toEqual({ available: false, reason: "SKIP_HEAVY_HOSTS=1" });
});

test("a browser that is not installed says how to install it, one for another machine that there is none", async () => {
  await using folder = await temporaryFolder();
  const empty = { folder: folder.path, env: {} };
  expect(browser({ ...empty, platform: "linux-x64" })).toMatchObject({
    available: false,
    reason: expect.stringContaining("@sparticuz/chromium is not installed: run `npm test` without SKIP_HEAVY_HOSTS"),
  });
  expect(browser({ ...empty, platform: "darwin-arm64" })).toMatchObject({
    reason: expect.stringContaining("darwin-arm64"),
  });
});

test.skipIf(!chromium.available)("a page is laid out, runs its scripts, and cannot reach the network", async () => {
  await using page = await openBrowser();
  await page.show({ width: 360, height: 640, mobile: true });
  const html = `<meta name="viewport" content="width=device-width"><h1>hello</h1><img src="http://images.invalid/x.png">`;
  await page.open(`data:text/html,${encodeURIComponent(html)}`);
  expect(await page.evaluate<number>("innerWidth")).toBe(360);
  expect(await page.evaluate<number>("document.querySelector('h1').offsetHeight")).toBeGreaterThan(20);
  expect(await page.evaluate<number>("Promise.resolve(41).then((n) => n + 1)")).toBe(42);
  expect(page.requests).toContain("http://images.invalid/x.png");
  expect(page.complaints.join()).toContain("ERR_PROXY_CONNECTION_FAILED");
  await expect(page.evaluate("nobody.there")).rejects.toThrow("nobody is not defined");
  await expect(page.open("https://example.com/")).rejects.toThrow("Only files and data");
});

test.skipIf(!chromium.available)("a browser ends with its page, and later calls fail", async () => {
  const page = await openBrowser();
  const asked = page.evaluate("new Promise(() => {})").catch((error: Error) => error.message);
  await page[Symbol.asyncDispose]();
  expect(await asked).toBe("The browser has ended (SIGKILL).");
  await expect(page.evaluate("1 + 1")).rejects.toThrow("The browser has ended");
});
