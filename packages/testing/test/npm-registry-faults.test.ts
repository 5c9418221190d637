// Every fault switch, seen by the real clients.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Fault } from "@atomic/testing/npm/faults";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

// Big and random enough that half of the tarball is not all of it.
const files = { "index.js": "1", "noise.bin": crypto.getRandomValues(new Uint8Array(40_000)) };
const wf = { name: "wf-a", version: "1.0.0", files };
const install = { bun: "add", npm: "install" } as const;
const clients = ["bun", "npm"] as const;

interface FailingCase {
  seen: string;
  fault: Fault;
  bun: RegExp;
  /** npm takes ten times as long, so that it sees one fault of each sort: an answer, a body and a connection. */
  npm?: RegExp;
}

const failing: FailingCase[] = [
  { seen: "a missing package", fault: { kind: "status", status: 404 }, bun: /wf-a - 404/, npm: /E404/ },
  {
    seen: "a missing tarball",
    fault: { kind: "status", status: 404, on: "tarball" },
    bun: /wf-a-1\.0\.0\.tgz - 404/,
  },
  { seen: "a server error", fault: { kind: "status", status: 500 }, bun: /wf-a - 500/ },
  { seen: "a refused login", fault: { kind: "status", status: 401 }, bun: /wf-a - 401/ },
  { seen: "a wrong hash", fault: { kind: "wrong-integrity" }, bun: /IntegrityCheckFailed/, npm: /EINTEGRITY/ },
  { seen: "half a tarball", fault: { kind: "truncated" }, bun: /IntegrityCheckFailed/ },
  {
    seen: "a broken packument",
    fault: { kind: "corrupt-json" },
    bun: /PackageFailedToParse/,
  },
  {
    seen: "a connection closed before the answer",
    fault: { kind: "reset", at: "headers" },
    bun: /ConnectionClosed downloading package manifest/,
  },
  {
    seen: "a connection closed in the middle of a tarball",
    fault: { kind: "reset", at: "body", on: "tarball" },
    bun: /ConnectionClosed downloading tarball/,
    npm: /ECONNRESET/,
  },
];

for (const client of clients) {
  for (const { seen, fault, ...said } of failing.filter((each) => each[client] !== undefined)) {
    test(`${client} sees ${seen}`, async () => {
      await using registry = await npmRegistry();
      registry.publish(wf);
      await using project = await tmpProject({ registry, git: false });
      const handle = registry.fault("wf-a", fault);
      const failed = await project.run([client, install[client], "wf-a"]);
      expect(failed.code).toBe(1);
      expect(failed.stderr).toMatch(said[client]!);
      expect(await project.exists("node_modules/wf-a/index.js")).toBe(false);
      expect(handle.hits).toBeGreaterThan(0);
      if (seen !== failing[0]?.seen) return;
      // Every switch is turned off the same way.
      handle.remove();
      expect(await project.run([client, install[client], "wf-a"])).toMatchObject({ code: 0 });
    });
  }

  test(`${client} gets over a single server error by asking again`, async () => {
    await using registry = await npmRegistry();
    registry.publish(wf);
    await using project = await tmpProject({ registry, git: false });
    const handle = registry.fault("wf-a", { kind: "status", status: 500, on: "packument", times: 1 });
    expect(await project.run([client, install[client], "wf-a"])).toMatchObject({ code: 0 });
    expect(handle.hits).toBe(1);
    expect(registry.requests.slice(0, 2).map(({ outcome }) => outcome)).toEqual([500, 200]);
  });

  test(`${client} waits for a slow answer until it is released`, async () => {
    await using registry = await npmRegistry();
    registry.publish(wf);
    await using project = await tmpProject({ registry, git: false });
    const handle = registry.fault("wf-a", { kind: "slow", on: "tarball" });
    const installed = project.run([client, install[client], "wf-a"]);
    await handle.reached;
    expect(registry.requests.at(-1)).toMatchObject({ path: "/wf-a/-/wf-a-1.0.0.tgz", outcome: undefined });
    handle.release();
    expect(await installed).toMatchObject({ code: 0 });
  });
}

test("without times a release-age limit does not protect a bun user", async () => {
  await using registry = await npmRegistry();
  const fresh = new Date(Date.now()).toISOString();
  registry.publish({ ...wf, time: "2020-01-01T00:00:00.000Z" }, { ...wf, version: "2.0.0", time: fresh });
  const installed = async () => {
    await using project = await tmpProject({ registry, git: false });
    expect(await project.run(["bun", "add", "wf-a", "--minimum-release-age=86400"])).toMatchObject({ code: 0 });
    return await project.json("node_modules/wf-a/package.json");
  };
  expect(await installed()).toMatchObject({ version: "1.0.0" });
  registry.fault("wf-a", { kind: "missing-time" });
  expect(await installed()).toMatchObject({ version: "2.0.0" });
});

test("npm view shows that times are missing", async () => {
  await using registry = await npmRegistry();
  registry.publish(wf);
  await using project = await tmpProject({ registry, git: false });
  using _ = registry.fault("wf-a", { kind: "missing-time" });
  expect((await project.run(["npm", "view", "wf-a", "time.modified"])).stdout.trim()).toBe("");
});

test("npm search shows a fault of every package", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry, git: false });
  registry.fault("*", { kind: "status", status: 503 });
  const { code, stderr } = await project.run(["npm", "search", "wf"]);
  expect(code).toBe(1);
  expect(stderr).toContain("503");
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
