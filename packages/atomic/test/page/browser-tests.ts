import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { installedChromium, type LaunchedChromium, launchChromium } from "@atomic/testing/chromium";

/** For a file of tests that share one browser. Without a browser they are skipped, with the reason. */
export function browserTests(
  what: string,
  timeout = 120_000,
): { readonly inBrowser: typeof test; readonly browser: Pick<LaunchedChromium, "open"> } {
  setDefaultTimeout(timeout);
  const chromium = installedChromium();
  if (!chromium.available) console.warn(`skipped: ${what}: ${chromium.reason}`);
  let launched: LaunchedChromium | undefined;
  beforeAll(async () => {
    await bundlePackages("@atomic/cli");
    if (chromium.available) launched = await launchChromium();
  });
  afterAll(async () => await launched?.[Symbol.asyncDispose]());
  return {
    inBrowser: test.skipIf(!chromium.available) as typeof test,
    browser: {
      open: async (...page) => {
        if (launched === undefined) throw new Error("There is no browser.");
        return await launched.open(...page);
      },
    },
  };
}
