// One contract for both package managers: whichever is there, the same lies on the disk afterwards.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { packageManagers } from "../../src/sources/dependencies/package-manager.ts";
import { fetching, hoursAgo } from "./fetching.ts";

setDefaultTimeout(120_000);

/** A plugin package: only of those something is loaded that could need others. */
function plugin(manifest: object): Record<string, object> {
  return { "w/package.json": { name: "plug", version: "1.0.0", main: "index.js", ...manifest }, "w/workflow.json": {} };
}

function versionIn(root: string, name: string): string {
  return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
}

for (const { name: manager } of packageManagers) {
  const env = { HUGO_PACKAGE_MANAGER: manager };

  test(`${manager} installs what a plugin from a folder needs, and leaves nothing else behind`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "deep", version: "1.0.0" });
    registry.publish({
      name: "@org/tool",
      version: "2.1.0",
      manifest: { dependencies: { deep: "^1.0.0" }, bin: "cli.js" },
    });
    registry.publish({ name: "peer", version: "1.0.0" }, { name: "dev", version: "1.0.0" });
    const files = plugin({
      dependencies: { "@org/tool": "^2.0.0" },
      peerDependencies: { peer: "1", missing: "1" },
      peerDependenciesMeta: { missing: { optional: true } },
      optionalDependencies: { gone: "^1.0.0" },
      devDependencies: { dev: "1" },
    });
    registry.publish({ name: "gone", version: "2.0.0" });
    registry.unpublish("gone");
    await using it = await fetching({ registry, env, files });
    const { root, folder } = await it.fetch("./w");
    expect(readdirSync(root)).toEqual(["node_modules"]);
    expect(readdirSync(join(root, "node_modules")).sort()).toEqual(["@org", "deep", "peer", "plug"]);
    expect(readdirSync(folder).sort()).toEqual(["package.json", "workflow.json"]);
    expect(versionIn(root, "@org/tool")).toBe("2.1.0");
    expect(statSync(join(root, "node_modules/deep/package.json")).nlink).toBe(1);
    expect(readdirSync(it.project.home).filter((name) => /bun|npm/.test(name))).toEqual([]);
    expect(it.progress).toContain(`Installing dependencies for plug with ${manager}`);
  });

  test(`${manager} installs what a plugin from git needs`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" });
    const manifest = { name: "plug", version: "1.0.0", dependencies: { tool: "1" } };
    await using repo = await gitRepo({ files: { "package.json": JSON.stringify(manifest), "workflow.json": "{}" } });
    await using it = await fetching({ registry, env });
    expect(versionIn((await it.fetch(repo.packageUrl)).root, "tool")).toBe("1.0.0");
  });

  test(`${manager} is not started for a package of which no code is loaded`, async () => {
    await using it = await fetching({
      env,
      files: { "w/package.json": { name: "data", dependencies: { tool: "1" } } },
    });
    expect(readdirSync(join((await it.fetch("./w")).root, "node_modules"))).toEqual(["data"]);
  });

  test(`${manager} runs no script of what it installs`, async () => {
    await using registry = await npmRegistry();
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { evil: "1" }, scripts: {} }) });
    const marker = it.project.path("marker");
    const scripts = Object.fromEntries(
      ["preinstall", "install", "postinstall", "prepare", "prepublish"].map((name) => [name, `touch ${marker}`]),
    );
    registry.publish({ name: "evil", version: "1.0.0", manifest: { scripts } });
    await it.project.write("w/package.json", {
      name: "plug",
      dependencies: { evil: "1" },
      scripts,
      trustedDependencies: ["evil"],
    });
    expect(versionIn((await it.fetch("./w")).root, "evil")).toBe("1.0.0");
    expect(existsSync(marker)).toBe(false);
  });

  test(`${manager} takes no release of today, unless that is allowed`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" }, { name: "tool", version: "1.1.0", time: hoursAgo(3) });
    registry.publish({ name: "young", version: "1.0.0", time: hoursAgo(3) });
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { tool: "^1.0.0" } }) });
    expect(versionIn((await it.fetch("./w")).root, "tool")).toBe("1.0.0");
    expect(versionIn((await it.fetch("./w", { allowNew: true })).root, "tool")).toBe("1.1.0");
    await it.project.write("w/package.json", { name: "plug", dependencies: { young: "1" } });
    expect(await it.refusal("./w")).toMatchObject({
      code: "release-too-new",
      hint: expect.stringContaining("--allow-new"),
    });
  });

  test(`${manager} does not get to use a registry without release dates`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" });
    registry.fault("tool", { kind: "missing-time" });
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { tool: "^1.0.0" } }) });
    expect(await it.refusal("./w")).toMatchObject({ code: "release-too-new" });
    expect(versionIn((await it.fetch("./w", { allowNew: true })).root, "tool")).toBe("1.0.0");
  });

  test.each([
    ["a package that is not there", { kind: "status", status: 404, on: "packument" }, "package-not-found"],
    ["a tarball with another hash", { kind: "wrong-integrity" }, "integrity-mismatch"],
    ["a registry in trouble", { kind: "status", status: 503, on: "tarball" }, "network-failed"],
    ["a registry that wants a login", { kind: "status", status: 401, on: "tarball" }, "access-denied"],
    ["a connection that breaks", { kind: "reset", at: "headers", on: "tarball" }, "network-failed"],
  ] as const)(`${manager} and %s end with one clear error`, async (_what, fault, code) => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" });
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { tool: "^1.0.0" } }) });
    registry.fault("tool", fault);
    const refusal = await it.refusal("./w", { allowNew: true });
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(/^\w+ could not install the dependencies of plug: \S/);
    expect(refusal.message).not.toContain(registry.token);
  });

  test(`${manager} and an unpublished version end with one clear error`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" });
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { tool: "^9.0.0" } }) });
    expect(await it.refusal("./w", { allowNew: true })).toMatchObject({
      code: "version-not-found",
      message: expect.stringContaining("tool"),
    });
  });

  test(`${manager} is ended with all that it started when a registry never answers`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" });
    using slow = registry.fault("tool", { kind: "slow", on: "tarball" });
    const files = plugin({ dependencies: { tool: "^1.0.0" } });
    await using it = await fetching({ registry, files, env: { ...env, HUGO_FETCH_TIMEOUT: "10" } });
    expect(await it.refusal("./w", { allowNew: true })).toMatchObject({
      code: "network-failed",
      message: `${manager} did not finish within 10 seconds and was stopped`,
    });
    expect(slow.hits).toBeGreaterThan(0);
  });

  test(`${manager} is ended when what it installs has no end`, async () => {
    await using registry = await npmRegistry();
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, ""]));
    registry.publish({ name: "many", version: "1.0.0", files: many }, { name: "held", version: "1.0.0" });
    // Held back, so that the manager is still at work when its folder is looked at.
    using _held = registry.fault("held", { kind: "slow", on: "tarball" });
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { many: "1", held: "1" } }) });
    const refusal = await it.refusal("./w", { allowNew: true }, { files: 500, bytes: 100_000_000 });
    expect(refusal).toMatchObject({
      code: "package-unsafe",
      message: expect.stringMatching(/^The dependency tree of plug has more than/),
    });
  });

  test(`${manager} gets the user's registry and token, for a scope too, and writes no token to the disk`, async () => {
    await using open = await npmRegistry();
    await using scoped = await npmRegistry();
    open.publish({ name: "tool", version: "1.0.0" });
    scoped.publish({ name: "@org/private", version: "1.0.0" });
    const place = scoped.url.replace("http:", "");
    const npmrc = `registry=${open.url}\n@org:registry=${scoped.url}\n${place}:_authToken=\${MY_SECRET}\n`;
    const files = { ...plugin({ dependencies: { tool: "1", "@org/private": "1" } }), "~/.npmrc": npmrc };
    await using it = await fetching({ files, env: { ...env, npm_config_registry: "", MY_SECRET: "sesame" } });
    const { root } = await it.fetch("./w");
    expect(versionIn(root, "@org/private")).toBe("1.0.0");
    const asked = (registry: typeof open) => new Set(registry.requests.map(({ headers }) => headers.authorization));
    expect([asked(open), asked(scoped)]).toEqual([new Set([undefined]), new Set(["Bearer sesame"])]);
    // What a failure leaves is looked at too: after a success all but the packages is gone anyway.
    await it.project.write("w/package.json", { name: "plug", dependencies: { absent: "1" } });
    await it.refusal("./w", { allowNew: true });
    expect((await it.project.run(["grep", "-rl", "sesame", join(it.project.dir, "..")])).stdout).toBe("");
  });

  test(`${manager} brings nothing that is not from a registry, however deep it is asked for`, async () => {
    await using registry = await npmRegistry();
    await using repo = await gitRepo({ files: { "package.json": '{"name":"secret","version":"1.0.0"}' } });
    await using daemon = await repo.serve();
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { tool: "1" } }) });
    await it.project.write("secret/package.json", { name: "secret", version: "1.0.0" });
    for (const spec of [`file:${it.project.path("secret")}`, repo.packageUrl, daemon.url]) {
      registry.publish({ name: "tool", version: "1.0.0", manifest: { dependencies: { secret: spec } } });
      expect((await it.refusal("./w")).code).toBe("package-unsafe");
      registry.unpublish("tool");
    }
    expect(daemon.connections).toBe(0);
  });

  test(`a ${manager} that is missing is named, and so is one that is too old or says yes and does nothing`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "tool", version: "1.0.0" });
    await using it = await fetching({ registry, env, files: plugin({ dependencies: { tool: "1" } }) });
    const fake = async (script: string) => {
      await it.project.write(`~/bin/${manager}`, `#!/bin/sh\n${script}\n`);
      await it.project.run(["chmod", "+x", join(it.project.home, "bin", manager)]);
      return it.withEnv({ PATH: `${it.project.home}/bin:/usr/bin:/bin` });
    };
    expect((await it.withEnv({ PATH: "/nowhere" }).refusal("./w")).message).toBe(
      `The package has dependencies, which need ${manager}: not found on the PATH (folders inside this project are ignored)`,
    );
    expect((await (await fake("echo 0.5.0")).refusal("./w")).message).toContain('is version "0.5.0", older than');
    const locks = `echo '{"packages":{}}' > bun.lock; echo '{"packages":{}}' > package-lock.json`;
    expect(await (await fake(`[ "$1" = --version ] && echo 99.0.0 || { ${locks}; }`)).refusal("./w")).toMatchObject({
      code: "program-failed",
      message: `${manager} reported success, but tool, a dependency of plug, is missing`,
    });
  });
}

test("bun is used if it is installed, otherwise npm", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  await using it = await fetching({ registry, files: plugin({ dependencies: { tool: "1" } }) });
  await it.fetch("./w");
  expect(it.progress.at(-1)).toBe("Installing dependencies for plug with bun");
  const withoutBun = it.withEnv({ PATH: "/usr/local/bin:/usr/bin:/bin" });
  await withoutBun.fetch("./w");
  expect(withoutBun.progress.at(-1)).toBe("Installing dependencies for plug with npm");
});

test("an unknown package manager is refused", async () => {
  await using it = await fetching({
    env: { HUGO_PACKAGE_MANAGER: "yarn" },
    files: plugin({ dependencies: { tool: "1" } }),
  });
  expect(await it.refusal("./w")).toMatchObject({
    code: "setting-invalid",
    hint: "Set it to bun or npm, or unset it.",
  });
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
  { "../tool": "1" },
  { "a/b": "1" },
])("a dependency %j is refused before it is fetched", async (dependencies) => {
  await using it = await fetching({ files: plugin({ dependencies }) });
  expect(await it.refusal("./w")).toMatchObject({ code: "package-unsafe" });
});
