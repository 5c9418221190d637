import { expect, test } from "bun:test";
import { pauseAfterLook } from "../../src/live/pause-after-look.ts";

test.each([
  ["a quick look is repeated soon", 1, 250],
  ["a look that takes long leaves time for others", 400, 1200],
  ["a look that waited for a database is repeated soon, too", 29_900, 2000],
])("%s", (_what, tookMs, pauseMs) => {
  expect(pauseAfterLook(tookMs, 250)).toBe(pauseMs);
});
