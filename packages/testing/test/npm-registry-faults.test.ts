// Every fault switch, seen by a real client.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { RegistryFault } from "@atomic/testing/npm/faults";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

// Big and random enough that half of the tarball is not all of it.
const files = { "index.js": "1", "noise.bin": crypto.getRandomValues(new Uint8Array(40_000)) };
const wf = { name: "wf-a", version: "1.0.0", files };
const add = ["bun", "add", "wf-a"];

interface FailingCase {
  seen: string;
  fault: RegistryFault;
  said: RegExp;
}

const failing: FailingCase[] = [
  { seen: "a missing package", fault: { kind: "status", status: 404 }, said: /wf-a - 404/ },
  {
    seen: "a missing tarball",
    fault: { kind: "status", status: 404, on: "tarball" },
    said: /wf-a-1\.0\.0\.tgz - 404/,
  },
  { seen: "a server error", fault: { kind: "status", status: 500 }, said: /wf-a - 500/ },
  { seen: "a refused login", fault: { kind: "status", status: 401 }, said: /wf-a - 401/ },
  { seen: "a wrong hash", fault: { kind: "wrong-integrity" }, said: /IntegrityCheckFailed/ },
  { seen: "half a tarball", fault: { kind: "truncated" }, said: /IntegrityCheckFailed/ },
  {
    seen: "a broken packument",
    fault: { kind: "corrupt-json" },
    said: /PackageFailedToParse/,
  },
  {
    seen: "a connection closed before the answer",
    fault: { kind: "reset", at: "headers" },
    said: /ConnectionClosed downloading package manifest/,
  },
  {
    seen: "a connection closed in the middle of a tarball",
    fault: { kind: "reset", at: "body", on: "tarball" },
    said: /ConnectionClosed downloading tarball/,
  },
];

for (const { seen, fault, said } of failing) {
  test(`Bun sees ${seen}`, async () => {
    await using registry = await npmRegistry();
    registry.publish(wf);
    await using project = await tmpProject({ registry, git: false });
    const handle = registry.fault("wf-a", fault);
    const failed = await project.run(add);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(said);
    expect(await project.exists("node_modules/wf-a/index.js")).toBe(false);
    expect(handle.hits).toBeGreaterThan(0);
    if (seen !== failing[0]?.seen) return;
    // Every switch is turned off the same way.
    handle.remove();
    expect(await project.run(add)).toMatchObject({ code: 0 });
  });
}

test("Bun gets over a single server error by asking again", async () => {
  await using registry = await npmRegistry();
  registry.publish(wf);
  await using project = await tmpProject({ registry, git: false });
  const handle = registry.fault("wf-a", { kind: "status", status: 500, on: "packument", times: 1 });
  expect(await project.run(add)).toMatchObject({ code: 0 });
  expect(handle.hits).toBe(1);
  expect(registry.requests.slice(0, 2).map(({ outcome }) => outcome)).toEqual([500, 200]);
});

test("Bun waits for a slow answer until it is released", async () => {
  await using registry = await npmRegistry();
  registry.publish(wf);
  await using project = await tmpProject({ registry, git: false });
  const handle = registry.fault("wf-a", { kind: "slow", on: "tarball" });
  const installed = project.run(add);
  await handle.reached;
  expect(registry.requests.at(-1)).toMatchObject({ path: "/wf-a/-/wf-a-1.0.0.tgz", outcome: undefined });
  handle.release();
  expect(await installed).toMatchObject({ code: 0 });
});

test("a fault of one package leaves the others alone", async () => {
  await using registry = await npmRegistry();
  registry.publish(wf, { ...wf, name: "wf-b" });
  registry.fault("wf-a", { kind: "status", status: 500 });
  expect((await fetch(new URL("wf-a", registry.url))).status).toBe(500);
  expect((await fetch(new URL("wf-b", registry.url))).status).toBe(200);
});

test("a counted fault is over after its count, a disposed one at once", async () => {
  await using registry = await npmRegistry();
  registry.publish(wf);
  const status = async () => (await fetch(new URL("wf-a", registry.url))).status;
  registry.fault("wf-a", { kind: "status", status: 404, times: 2 });
  expect([await status(), await status(), await status()]).toEqual([404, 404, 200]);
  {
    using _ = registry.fault("*", { kind: "status", status: 502 });
    expect(await status()).toBe(502);
  }
  expect(await status()).toBe(200);
});

test("a registry that is disposed lets a held request go", async () => {
  const registry = await npmRegistry();
  registry.publish(wf);
  const handle = registry.fault("wf-a", { kind: "slow", times: 1 });
  const held = fetch(new URL("wf-a", registry.url)).then(
    ({ status }) => status,
    (error: Error) => error.name,
  );
  await handle.reached;
  await registry[Symbol.asyncDispose]();
  expect([200, "Error", "TypeError"]).toContain(await held);
});
