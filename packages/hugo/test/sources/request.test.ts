import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { get } from "../../src/sources/registry/request.ts";

/** Node prints a warning about a leak when a signal has more listeners than this. */
const MOST_LISTENERS = 10;

test("many requests at once share one Ctrl-C, without a warning about a leak", async () => {
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const server = createServer(() => {
    requests += 1;
    if (requests === 2 * MOST_LISTENERS) asked.resolve();
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/x`;
  const stop = new AbortController();
  const settings = { values: new Map<string, string>(), notices: [] };
  const context = { env: {}, signal: stop.signal };
  const all = Array.from({ length: 2 * MOST_LISTENERS }, () => get({ url, settings, context }, async () => "answered"));
  await asked.promise;
  expect(getEventListeners(stop.signal, "abort").length).toBeLessThanOrEqual(MOST_LISTENERS);
  stop.abort(new Error("stopped"));
  const ends = await Promise.allSettled(all);
  expect(new Set(ends.map((end) => (end.status === "rejected" ? String(end.reason) : end.value)))).toEqual(
    new Set(["Error: stopped"]),
  );
  server.closeAllConnections();
  server.close();
});
