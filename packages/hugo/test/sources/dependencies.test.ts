// What a plugin's code needs: which releases, where they go, and what is refused.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { isForThisSystem } from "../../src/sources/dependencies/this-system.ts";
import { fetching, hoursAgo } from "./fetching.ts";

setDefaultTimeout(120_000);

const own = { name: "plug", version: "1.0.0", main: "index.js" };

function plugin(manifest: object): Record<string, object> {
  return { "w/package.json": { ...own, ...manifest } };
}

function versionIn(root: string, path: string): string {
  return JSON.parse(readFileSync(join(root, "node_modules", path, "package.json"), "utf8")).version;
}

test("dependencies and peers are fetched, development and optional peers are not, and nothing else is left", async () => {
  await using registry = await npmRegistry();
  registry.publish(
    { name: "deep", version: "1.0.0" },
    { name: "@org/tool", version: "2.1.0", manifest: { dependencies: { deep: "^1.0.0" }, bin: "cli.js" } },
    { name: "peer", version: "1.0.0" },
    { name: "dev", version: "1.0.0" },
  );
  const files = plugin({
    dependencies: { "@org/tool": "^2.0.0" },
    peerDependencies: { peer: "1", missing: "1" },
    peerDependenciesMeta: { missing: { optional: true } },
    optionalDependencies: { gone: "^1.0.0" },
    devDependencies: { dev: "1" },
  });
  // Without a package manager, and without any other program.
  await using it = await fetching({ registry, env: { PATH: "/nowhere" }, files });
  const { root, folder, dependencies } = await it.fetchAll("./w");
  expect(readdirSync(root)).toEqual(["node_modules"]);
  expect(readdirSync(join(root, "node_modules")).sort()).toEqual(["@org", "deep", "peer", "plug"]);
  expect(readdirSync(folder)).toEqual(["package.json"]);
  expect([...(dependencies?.keys() ?? [])].sort()).toEqual(["@org/tool", "deep", "peer"]);
  expect(dependencies?.get("deep")).toEqual({
    version: "1.0.0",
    integrity: expect.stringMatching(/^sha512-/),
    tree: expect.stringMatching(/^sha256:/),
  });
  expect(statSync(join(root, "node_modules/deep/package.json")).nlink).toBe(1);
});

test("a dependency that the registry does not have is reported with the package that needs it", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "2.1.0", manifest: { dependencies: { deep: "npm:gone@1" } } });
  const files = {
    ...plugin({ dependencies: { nowhere: "^1.0.0" } }),
    "v/package.json": { ...own, dependencies: { tool: "^2.0.0" } },
  };
  await using it = await fetching({ registry, files });
  expect(await it.refusalOfAll("./w")).toMatchObject({
    code: "package-not-found",
    message: `plug needs nowhere, which the registry ${registry.url} does not have`,
    hint: "The author of plug has to publish nowhere or correct package.json. If nowhere is private, log in with `npm login`.",
  });
  expect((await it.refusalOfAll("./v")).message).toBe(
    `tool 2.1.0 needs gone (as deep), which the registry ${registry.url} does not have`,
  );
});

test("the places and versions are those that npm chooses", async () => {
  await using registry = await npmRegistry();
  for (const version of ["1.0.0", "1.2.0", "2.0.0", "3.0.0-beta.1"]) registry.publish({ name: "base", version });
  registry.publish(
    { name: "old", version: "1.0.0", manifest: { dependencies: { base: "^1.0.0", both: "1" } } },
    { name: "new", version: "1.0.0", manifest: { dependencies: { base: "~2.0", old: "*", alias: "npm:base@1.0.0" } } },
    { name: "both", version: "1.0.0", manifest: { dependencies: { base: ">=1.2 <3", new: "1.x || 9" } } },
    { name: "wide", version: "1.0.0", manifest: { peerDependencies: { base: ">=1" }, dependencies: { base2: "1" } } },
    { name: "base2", version: "1.0.0", manifest: { dependencies: { base: "1.0.0" } } },
  );
  const manifest = { dependencies: { new: "latest", old: "1", base: "2", wide: "" } };
  await using it = await fetching({ registry, files: plugin(manifest) });
  const { dependencies } = await it.fetchAll("./w");
  const ours = [...(dependencies ?? [])].map(([path, { version }]) => `${path} ${version}`).sort();

  await it.project.write("npm/package.json", { ...own, ...manifest });
  await it.project.run(["npm", "install", "--ignore-scripts", "--no-audit"], { cwd: it.project.path("npm") });
  const { packages } = (await it.project.json("npm/package-lock.json")) as {
    packages: Record<string, { version: string }>;
  };
  const theirs = Object.entries(packages).flatMap(([path, { version }]) =>
    path === "" ? [] : [`${path.replace("node_modules/", "")} ${version}`],
  );
  expect(ours).toEqual(theirs.sort());
  expect(dependencies?.get("alias")).toMatchObject({ name: "base", version: "1.0.0" });
});

test("no script of a dependency runs, and those that have one are named", async () => {
  await using registry = await npmRegistry();
  await using it = await fetching({ registry, files: plugin({ dependencies: { evil: "1" } }) });
  const marker = it.project.path("marker");
  const scripts = Object.fromEntries(
    ["preinstall", "install", "postinstall", "prepare"].map((name) => [name, `touch ${marker}`]),
  );
  registry.publish({ name: "evil", version: "1.0.0", manifest: { scripts } });
  const { root, notices, dependencies } = await it.fetchAll("./w");
  expect(versionIn(root, "evil")).toBe("1.0.0");
  expect(existsSync(marker)).toBe(false);
  expect(notices.join()).toContain("install scripts of dependencies, so these may lack something: evil.");
  expect((await it.fetchAll("./w", { installed: dependencies })).notices).toEqual([]);
});

test("no release of today is taken, unless that is allowed", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" }, { name: "tool", version: "1.1.0", time: hoursAgo(3) });
  registry.publish({ name: "young", version: "1.0.0", time: hoursAgo(3) });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "^1.0.0" } }) });
  const { root, notices } = await it.fetchAll("./w");
  expect(versionIn(root, "tool")).toBe("1.0.0");
  expect(notices.join()).toContain("Hugo chose tool 1.0.0 over 1.1.0");
  expect(versionIn((await it.fetchAll("./w", { allowNew: true })).root, "tool")).toBe("1.1.0");
  await it.project.write("w/package.json", { ...own, dependencies: { young: "1" } });
  expect(await it.refusalOfAll("./w")).toMatchObject({
    code: "release-too-new",
    hint: expect.stringContaining("--allow-new"),
  });
  await it.project.write("w/package.json", { ...own, optionalDependencies: { young: "1" } });
  const without = await it.fetchAll("./w");
  expect(without.dependencies?.size).toBe(0);
  expect(without.notices.join()).toContain("Without the optional dependency young: young 1.0.0 was published");
});

test("dependencies whose names differ only in case are refused, also deep in the tree", async () => {
  await using registry = await npmRegistry();
  registry.publish(
    { name: "Dep", version: "1.0.0" },
    { name: "dep", version: "1.0.0" },
    { name: "tool", version: "1.0.0", manifest: { dependencies: { Dep: "1" } } },
  );
  for (const dependencies of [
    { Dep: "1", dep: "1" },
    { tool: "1", dep: "1" },
  ]) {
    await using it = await fetching({ registry, files: plugin({ dependencies }) });
    expect(await it.refusalOfAll("./w")).toMatchObject({
      code: "package-unsafe",
      message: "plug needs Dep and dep, which are the same folder on many file systems",
    });
  }
  await using one = await fetching({ registry, files: plugin({ dependencies: { Dep: "1" } }) });
  expect(versionIn((await one.fetchAll("./w")).root, "Dep")).toBe("1.0.0");
});

test("a registry without release dates is refused", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  registry.fault("tool", { kind: "missing-time" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "^1.0.0" } }) });
  expect(await it.refusalOfAll("./w")).toMatchObject({ code: "release-too-new" });
  expect(versionIn((await it.fetchAll("./w", { allowNew: true })).root, "tool")).toBe("1.0.0");
});

test.each([
  ["a package that is not there", { kind: "status", status: 404, on: "packument" }, "package-not-found"],
  ["a tarball with another hash", { kind: "wrong-integrity" }, "integrity-mismatch"],
  ["a registry in trouble", { kind: "status", status: 503, on: "tarball" }, "network-failed"],
  ["a registry that wants a login", { kind: "status", status: 401, on: "tarball" }, "access-denied"],
  ["a connection that breaks", { kind: "reset", at: "headers", on: "tarball" }, "network-failed"],
  ["half a tarball", { kind: "truncated" }, "integrity-mismatch"],
] as const)("%s ends with one clear error", async (_what, fault, code) => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" }, { name: "other", version: "1.0.0" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { other: "1", tool: "^1.0.0" } }) });
  registry.fault("tool", fault);
  const refusal = await it.refusalOfAll("./w");
  expect(refusal.code).toBe(code);
  expect(refusal.message).not.toContain(registry.token);
});

test("a release without a checksum is refused", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "1" } }) });
  const known = await fetch(`${registry.url}tool`);
  const packument = (await known.json()) as { versions: Record<string, { dist: object }> };
  packument.versions["1.0.0"]!.dist = { tarball: `${registry.url}tool/-/tool-1.0.0.tgz` };
  const server = createServer((_, response) => response.end(JSON.stringify(packument)));
  try {
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`;
    expect(await it.withEnv({ npm_config_registry: url }).refusalOfAll("./w")).toMatchObject({
      code: "integrity-mismatch",
      message: "The registry has no checksum for tool 1.0.0, so Hugo cannot verify the download",
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a version that does not exist ends with one clear error", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "^9.0.0" } }) });
  expect(await it.refusalOfAll("./w")).toMatchObject({
    code: "version-not-found",
    message: "tool has no version in the range ^9.0.0",
  });
});

test("dependencies without an end are refused", async () => {
  await using registry = await npmRegistry();
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, ""]));
  registry.publish({ name: "many", version: "1.0.0", files: many });
  await using it = await fetching({ registry, files: plugin({ dependencies: { many: "1" } }) });
  expect(await it.refusalOfAll("./w", {}, { files: 500, bytes: 100_000_000 })).toMatchObject({
    code: "package-unsafe",
    message: expect.stringContaining("has more than 2000 files"),
  });
});

test("the user's registry and token are used, for a scope too", async () => {
  await using open = await npmRegistry();
  await using scoped = await npmRegistry();
  open.publish({ name: "tool", version: "1.0.0" });
  scoped.publish({ name: "@org/private", version: "1.0.0" });
  const place = scoped.url.replace("http:", "");
  const npmrc = `registry=${open.url}\n@org:registry=${scoped.url}\n${place}:_authToken=\${MY_SECRET}\n`;
  const files = { ...plugin({ dependencies: { tool: "1", "@org/private": "1" } }), "~/.npmrc": npmrc };
  await using it = await fetching({ files, env: { npm_config_registry: "", MY_SECRET: "sesame" } });
  const { root } = await it.fetchAll("./w");
  expect(versionIn(root, "@org/private")).toBe("1.0.0");
  const asked = (registry: typeof open) => new Set(registry.requests.map(({ headers }) => headers.authorization));
  expect([asked(open), asked(scoped)]).toEqual([new Set([undefined]), new Set(["Bearer sesame"])]);
  expect((await it.project.run(["grep", "-rl", "sesame", join(it.project.dir, "..")])).stdout).toBe("");
});

test("nothing comes from anywhere but a registry, however deep it is asked for", async () => {
  await using registry = await npmRegistry();
  await using repo = await gitRepo({ files: { "package.json": '{"name":"secret","version":"1.0.0"}' } });
  await using daemon = await repo.serve();
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "1" } }) });
  await it.project.write("secret/package.json", { name: "secret", version: "1.0.0" });
  for (const spec of [`file:${it.project.path("secret")}`, repo.packageUrl, daemon.url]) {
    registry.publish({ name: "tool", version: "1.0.0", manifest: { dependencies: { secret: spec } } });
    expect((await it.refusalOfAll("./w")).code).toBe("package-unsafe");
    registry.unpublish("tool");
  }
  expect(daemon.connections).toBe(0);
});

test.each([
  { tool: "file:../../etc" },
  { tool: "link:/etc" },
  { tool: "workspace:*" },
  { tool: "../up" },
  { tool: "/etc" },
  { tool: "~/x" },
  { tool: "git+ssh://git@host/x.git" },
  { tool: "github:o/r" },
  { tool: "o/r" },
  { tool: "https://host/x.tgz" },
  { tool: "npm:../x@1" },
  { tool: "npm:x@file:/etc" },
  { tool: "--registry=http://evil" },
  { tool: 1 },
  { "../tool": "1" },
  { "a/b": "1" },
])("a dependency %j is refused before it is fetched", async (dependencies) => {
  await using it = await fetching({ files: plugin({ dependencies }) });
  expect(await it.refusalOfAll("./w")).toMatchObject({ code: "package-unsafe" });
});

test("programs for other systems are locked, but neither downloaded nor needed here", async () => {
  await using registry = await npmRegistry();
  const systems = [process.platform, "sunos"];
  for (const os of systems) {
    registry.publish({ name: `native-${os}`, version: "1.0.0", manifest: { os: [os], cpu: [process.arch] } });
  }
  const optionalDependencies = Object.fromEntries(systems.map((os) => [`native-${os}`, "1.0.0"]));
  registry.publish({ name: "native", version: "1.0.0", manifest: { optionalDependencies } });
  await using it = await fetching({ registry, files: plugin({ dependencies: { native: "1" } }) });
  const { root, dependencies } = await it.fetchAll("./w");
  expect(readdirSync(join(root, "node_modules")).sort()).toEqual(["native", `native-${process.platform}`, "plug"]);
  expect(dependencies?.get("native-sunos")).toMatchObject({ os: ["sunos"], cpu: [process.arch], version: "1.0.0" });
  expect(dependencies?.get("native-sunos")?.tree).toBeUndefined();
  expect(registry.requests.map(({ path }) => path)).not.toContain("/native-sunos/-/native-sunos-1.0.0.tgz");

  await it.project.write("w/package.json", { ...own, dependencies: { "native-sunos": "1" } });
  expect((await it.refusalOfAll("./w")).message).toContain("native-sunos 1.0.0, which is not for this system");
});

test.each([
  [{}, true],
  [{ os: ["linux"] }, true],
  [{ os: ["darwin", "win32"] }, false],
  [{ os: ["!win32"] }, true],
  [{ os: ["!linux"] }, false],
  [{ os: ["linux"], cpu: ["arm64"] }, false],
  [{ libc: ["musl"] }, false],
  [{ os: ["any"], libc: ["glibc"] }, true],
] as const)("%j is for Linux on x64 with glibc: %p", (systems, expected) => {
  expect(isForThisSystem(systems, { os: "linux", cpu: "x64", libc: "glibc" })).toBe(expected);
});

test("what the lock records is fetched exactly, and other bytes are refused", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "^1.0.0" } }) });
  const { dependencies: locked } = await it.fetchAll("./w");
  registry.publish({ name: "tool", version: "1.1.0" });
  const again = await it.fetchAll("./w", { locked });
  expect(versionIn(again.root, "tool")).toBe("1.0.0");
  expect(again.dependencies).toEqual(locked);

  registry.unpublish("tool", "1.0.0");
  registry.publish({ name: "tool", version: "1.0.0", files: { "index.js": "evil();" } });
  expect(await it.refusalOfAll("./w", { locked })).toMatchObject({
    code: "integrity-mismatch",
    message: "tool 1.0.0, a dependency of plug, does not match the lock",
  });
});

test("a tarball is downloaded once, and a damaged one in the cache is fetched again", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "1" } }) });
  const downloads = (): number => registry.requests.filter(({ path }) => path.endsWith(".tgz")).length;
  const first = await it.fetchAll("./w");
  const second = await it.fetchAll("./w");
  expect(downloads()).toBe(1);
  expect(second.dependencies).toEqual(first.dependencies);
  const cache = join(it.project.home, ".cache/hugo/tarballs");
  const [name = "", ...more] = readdirSync(cache);
  expect(more).toEqual([]);
  for (const damage of ["", "evil"]) {
    writeFileSync(join(cache, name), damage);
    expect((await it.fetchAll("./w")).dependencies).toEqual(first.dependencies);
  }
  expect(downloads()).toBe(3);
  expect(readdirSync(cache)).toEqual([name]);
  // Never the same file: an edit in one project must not reach another.
  expect(statSync(join(second.root, "node_modules/tool/package.json")).nlink).toBe(1);
});
