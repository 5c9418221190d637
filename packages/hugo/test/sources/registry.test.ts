import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { content, fetching, hoursAgo } from "./fetching.ts";

// Guards against a hang on a busy machine.
setDefaultTimeout(180_000);

function review(version: string, more: object = {}) {
  return { name: "review", version, files: { "agents/reviewer.md": version }, ...more };
}

test("a registry package is fetched with its files and its tarball's hash", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0", { name: "@org/review" }));
  await using it = await fetching({ registry });
  const fetched = await it.fetch("@org/review");
  expect(fetched).toMatchObject({ packageName: "@org/review", version: "1.0.0", notices: [] });
  expect(fetched.integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  expect(fetched.folder).toBe(join(fetched.root, "node_modules/@org/review"));
  expect(await content(fetched, "agents/reviewer.md")).toBe("1.0.0");
  expect(readdirSync(join(fetched.root, ".."))).toEqual(["root"]);
  expect(readdirSync(fetched.root)).toEqual(["node_modules"]);
  expect(it.progress).toEqual(["Asking the registry for @org/review", "Downloading @org/review 1.0.0"]);
});

test.each([
  ["review", "2.0.0"],
  ["review@1.0.0", "1.0.0"],
  ["review@^1.0.0", "1.1.0"],
  ["review@1.0.x || >3", "1.0.1"],
  ["review@next", "3.0.0-beta.1"],
  ["review@latest", "2.0.0"],
])("%s means version %s", async (spec, version) => {
  await using registry = await npmRegistry();
  registry.publish(...["1.0.0", "1.0.1", "1.1.0", "2.0.0"].map((each) => review(each)));
  registry.publish(review("3.0.0-beta.1", { tag: "next" }));
  await using it = await fetching({ registry });
  expect(await it.fetch(spec)).toMatchObject({ version });
});

test("nothing is installed beside a package that is only read, and no package manager is needed for it", async () => {
  await using registry = await npmRegistry();
  registry.publish(
    review("1.0.0", { manifest: { dependencies: { absent: "^1.0.0" } }, files: { "workflow.json": "{}" } }),
  );
  await using it = await fetching({ registry, env: { PATH: "/nowhere" } });
  const { root } = await it.fetch("review");
  expect(readdirSync(join(root, "node_modules"))).toEqual(["review"]);
});

test("files of any mode become plain or executable, with line breaks and names as they were packed", async () => {
  await using registry = await npmRegistry();
  registry.publish({
    ...review("1.0.0"),
    manifest: { bin: "cli.js" },
    files: { ".gitignore": "x", "cli.js": "#!/usr/bin/env node\r\n" },
    entries: [
      { path: "package/run.sh", content: "#!/bin/sh", mode: 0o4755 },
      { path: "package/secret", content: "s", mode: 0 },
    ],
  });
  await using it = await fetching({ registry });
  const tree = readPackageTree((await it.fetch("review")).folder);
  const shape = [...tree].map(([path, { executable, bytes }]) => [path, executable, Buffer.from(bytes).toString()]);
  expect(shape.slice(0, 2)).toEqual([
    [".gitignore", false, "x"],
    ["cli.js", false, "#!/usr/bin/env node\r\n"],
  ]);
  expect(shape.slice(3)).toEqual([
    ["run.sh", true, "#!/bin/sh"],
    ["secret", false, "s"],
  ]);
});

test("links and devices are left out, and that is reported", async () => {
  await using registry = await npmRegistry();
  registry.publish({
    ...review("1.0.0"),
    entries: [
      { kind: "symlink", path: "package/passwords", target: "/etc/passwd" },
      { kind: "hardlink", path: "package/hard", target: "/etc/passwd" },
      { kind: "fifo", path: "package/fifo" },
      { kind: "character-device", path: "package/null", major: 1, minor: 3 },
    ],
  });
  await using it = await fetching({ registry });
  const fetched = await it.fetch("review");
  expect(fetched.notices).toEqual(['Left out of review 1.0.0: device "fifo", link "hard", device "null" and 1 more']);
  expect(readdirSync(fetched.folder).sort()).toEqual(["agents", "package.json"]);
});

test.each(["package/../../escaped", "/escaped", "../escaped", "package//escaped", "package/./escaped", "package/a\\b"])(
  "a tarball with %p in it is refused and nothing leaves its folder",
  async (path) => {
    await using registry = await npmRegistry();
    registry.publish({ ...review("1.0.0"), entries: [{ path, content: "evil" }] });
    await using it = await fetching({ registry });
    expect(await it.refusal("review")).toMatchObject({ code: "package-unsafe" });
    expect(existsSync(it.project.path("../escaped"))).toBe(false);
    expect(existsSync("/escaped")).toBe(false);
  },
);

test("names that are one file on many disks are refused before one of them is lost", async () => {
  await using registry = await npmRegistry();
  registry.publish({ ...review("1.0.0"), files: { "agents/A.md": "1", "agents/a.md": "2" } });
  await using it = await fetching({ registry });
  expect((await it.refusal("review")).message).toBe(
    'review 1.0.0 has "agents/A.md" and "agents/a.md", which are the same file on many file systems',
  );
});

test("a package that calls itself something else than the registry is refused", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "other", version: "1.0.0" });
  const { tarball } = await tarballOf(registry.url, "other");
  registry.publishTarball({ name: "review", version: "2.0.0", tarball });
  await using it = await fetching({ registry });
  expect(await it.refusal("review")).toMatchObject({
    code: "package-unsafe",
    message: 'review 2.0.0 from the registry calls itself "other" 1.0.0 in its package.json',
  });
});

async function tarballOf(registry: string, name: string): Promise<{ tarball: Uint8Array }> {
  const response = await fetch(`${registry}${name}/-/${name}-1.0.0.tgz`);
  return { tarball: new Uint8Array(await response.arrayBuffer()) };
}

test("an unpublished name and an unpublished version give different errors", async () => {
  await using registry = await npmRegistry();
  registry.publish(...Array.from({ length: 10 }, (_, i) => review(`1.${i}.0`)));
  await using it = await fetching({ registry });
  expect(await it.refusal("reviwe")).toMatchObject({
    code: "package-not-found",
    message: `The registry ${registry.url} does not have the package reviwe`,
  });
  expect(await it.refusal("review@2.0.0")).toMatchObject({
    code: "version-not-found",
    message: "review has no version 2.0.0",
    hint: "Its newest versions are 1.9.0, 1.8.0, 1.7.0, 1.6.0, 1.5.0, 1.4.0, 1.3.0, 1.2.0, …",
  });
  expect((await it.refusal("review@^3")).message).toBe("review has no version in the range ^3");
  expect(await it.refusal("review@next")).toMatchObject({
    message: "review has no tag next",
    hint: "Its only tag is latest.",
  });
});

test("a release of today is passed over for the one before, and both are named", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"), review("1.1.0", { time: hoursAgo(3) }));
  await using it = await fetching({ registry });
  const fetched = await it.fetch("review");
  expect(fetched.version).toBe("1.0.0");
  expect(fetched.notices).toEqual([
    expect.stringMatching(
      /^Hugo chose review 1\.0\.0 over 1\.1\.0, which was published 3 hours ago\. To install 1\.1\.0, add --allow-new or wait until 20\d\d-\d\d-\d\d \d\d:\d\d UTC\.$/,
    ),
  ]);
  expect(await it.fetch("review", { allowNew: true })).toMatchObject({ version: "1.1.0", notices: [] });
  expect(await it.withEnv({ HUGO_MINIMUM_RELEASE_AGE: "60" }).fetch("review")).toMatchObject({ version: "1.1.0" });
});

test("a release of today that was asked for by its number is refused, unless the lock holds it", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"), review("1.1.0", { time: hoursAgo(3) }));
  await using it = await fetching({ registry });
  const refusal = await it.refusal("review@1.1.0");
  expect(refusal.code).toBe("release-too-new");
  expect(refusal.message).toBe(
    "review 1.1.0 was published 3 hours ago; Hugo waits 24 hours before installing a new release",
  );
  expect(refusal.hint).toMatch(/^It will be old enough at .* UTC\. To install it now, add --allow-new\.$/);
  expect(await it.fetch("review@^1", { exactly: { version: "1.1.0" } })).toMatchObject({ version: "1.1.0" });
});

test("a registry without publication dates cannot bypass the minimum age", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"));
  registry.fault("review", { kind: "missing-time" });
  await using it = await fetching({ registry });
  expect(await it.refusal("review")).toMatchObject({
    code: "release-too-new",
    hint: expect.stringContaining("--allow-new"),
  });
  expect(await it.fetch("review", { allowNew: true })).toMatchObject({ version: "1.0.0" });
  expect(await it.withEnv({ HUGO_MINIMUM_RELEASE_AGE: "0" }).fetch("review")).toMatchObject({ version: "1.0.0" });
});

test("a minimum age that is not a number is refused, not ignored", async () => {
  await using it = await fetching({ env: { HUGO_MINIMUM_RELEASE_AGE: "1 day" } });
  // The setting is read before anything is asked of the registry.
  expect(await it.refusal("review")).toMatchObject({ code: "setting-invalid" });
});

test("a locked version is accepted only with the locked bytes", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"));
  await using it = await fetching({ registry });
  const { integrity } = await it.fetch("review");
  const exactly = { version: "1.0.0", ...(integrity !== undefined && { integrity }) };
  expect(await it.fetch("review", { exactly })).toMatchObject({ version: "1.0.0", integrity });
  registry.unpublish("review");
  registry.publish({ ...review("1.0.0"), files: { "agents/reviewer.md": "evil" } });
  expect(await it.refusal("review", { exactly })).toMatchObject({
    code: "integrity-mismatch",
    message: "The registry's copy of review 1.0.0 does not match the lock",
  });
});

test.each([
  ["a tarball with another hash", { kind: "wrong-integrity" }, "integrity-mismatch"],
  ["half a tarball", { kind: "truncated" }, "integrity-mismatch"],
  ["half a document", { kind: "corrupt-json" }, "network-failed"],
  ["a registry in trouble", { kind: "status", status: 500 }, "network-failed"],
  ["a tarball that is gone", { kind: "status", status: 404, on: "tarball" }, "package-not-found"],
  ["a registry that wants a login", { kind: "status", status: 401 }, "access-denied"],
  ["a registry that forbids it", { kind: "status", status: 403, on: "tarball" }, "access-denied"],
  ["a connection that breaks at once", { kind: "reset", at: "headers" }, "network-failed"],
  ["a connection that breaks in the middle", { kind: "reset", at: "body", on: "tarball" }, "network-failed"],
] as const)("%s ends with one clear error", async (_what, fault, code) => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"));
  registry.fault("review", fault);
  await using it = await fetching({ registry });
  const refusal = await it.refusal("review");
  expect(refusal).toMatchObject({ code, hint: expect.stringMatching(/./) });
  expect(refusal.message).not.toContain(registry.token);
});

test("what was there before may have been unpublished; what was never there may be misspelled", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"));
  registry.fault("review", { kind: "status", status: 404, on: "tarball" });
  await using it = await fetching({ registry });
  expect((await it.refusal("review")).hint).toBe("It may have been unpublished.");
  registry.unpublish("review");
  expect((await it.refusal("review")).hint).toStartWith("Check the spelling.");
  expect((await it.refusal("review", { exactly: { version: "1.0.0" } })).hint).toBe("It may have been unpublished.");
});

test.each([
  ["packument", { kind: "status", status: 503, times: 1 }],
  ["packument", { kind: "reset", at: "body", on: "packument", times: 2 }],
  ["tarball", { kind: "reset", at: "body", on: "tarball", times: 2 }],
] as const)("a hiccup of the %s is got over", async (_what, fault) => {
  await using registry = await npmRegistry();
  registry.publish({ ...review("1.0.0"), files: { "agents/reviewer.md": "x".repeat(100_000) } });
  const handle = registry.fault("review", fault);
  await using it = await fetching({ registry });
  expect(await it.fetch("review")).toMatchObject({ version: "1.0.0" });
  expect(handle.hits).toBe(fault.times);
});

test("a request to a registry that never answers times out", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"));
  for (const on of ["packument", "tarball"] as const) {
    using slow = registry.fault("review", { kind: "slow", on });
    await using it = await fetching({ registry, env: { HUGO_FETCH_TIMEOUT: "0.3" } });
    expect(await it.refusal("review")).toMatchObject({
      code: "network-failed",
      message: expect.stringContaining("did not respond within 0.3 seconds"),
    });
    expect(slow.hits).toBe(1);
  }
});

test("a registry that is not there is named", async () => {
  await using it = await fetching();
  expect(await it.refusal("review")).toMatchObject({
    code: "network-failed",
    message: expect.stringMatching(/^The registry 127\.0\.0\.1:9 cannot be used: /),
  });
});

test("a proxy that cannot be used is a setting to correct, and not the registry's fault", async () => {
  await using it = await fetching({ env: { HTTP_PROXY: "socks5://p.test:1" } });
  expect(await it.refusal("review")).toMatchObject({
    code: "setting-invalid",
    message: "HTTP_PROXY is not the address of an HTTP proxy",
    hint: "Set it to an address such as http://proxy.example:8080, or unset it.",
  });
});

test("an endless package is stopped during the download", async () => {
  await using registry = await npmRegistry();
  registry.publish({ ...review("1.0.0"), files: { big: new Uint8Array(3_000_000) } });
  registry.publish({
    ...review("2.0.0"),
    files: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, ""])),
  });
  await using it = await fetching({ registry });
  const limits = { files: 100, bytes: 2_000_000 };
  const message = /^review \d\.0\.0 has more than 100 files or 1 MiB, so Hugo stopped fetching it$/;
  for (const spec of ["review@1.0.0", "review@2.0.0"]) {
    expect(await it.refusal(spec, {}, limits)).toMatchObject({
      code: "package-unsafe",
      message: expect.stringMatching(message),
    });
  }
});

test.each([
  ["2 GiB", { unpackedSize: 2 * 1024 ** 3 }],
  ["100k files", { fileCount: 100_000 }],
])("a package that announces %s is not even downloaded", async (_what, dist) => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0", { manifest: { dist } }));
  await using it = await fetching({ registry });
  expect(await it.refusal("review")).toMatchObject({
    code: "package-unsafe",
    message: "review 1.0.0 has more than 20000 files or 256 MiB, so Hugo stopped fetching it",
  });
  expect(registry.requests.map(({ path }) => path)).toEqual(["/review"]);
});
