import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { unusedPort } from "../src/loopback.ts";

test("an unused port is another one at every call, outside those of outgoing connections", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, unusedPort));
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port).toBeWithin(20_000, 30_000);
});

test("a port that is listened on is passed over", async () => {
  let before = await unusedPort();
  while (before === 29_999) before = await unusedPort(); // the next one would be the first
  const server = createServer();
  await new Promise<void>((listening) => server.listen(before + 1, "127.0.0.1", listening));
  expect(await unusedPort()).toBeGreaterThan(before + 1);
  await new Promise((closed) => server.close(closed));
});
