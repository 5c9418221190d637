import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

const helper = { name: "wf-helper", version: "1.2.0", files: { "index.js": "export const helper = 1;" } };
const review = {
  name: "@org/review",
  version: "1.0.0",
  files: { "index.js": "export default 1;", "agents/reviewer.md": "review\n" },
  manifest: { type: "module", main: "index.js", dependencies: { "wf-helper": "^1.0.0" } },
};

for (const [client, command] of [
  ["bun", "add"],
  ["npm", "install"],
] as const) {
  test(`${client} ${command} installs a scoped package and what it depends on`, async () => {
    await using registry = await npmRegistry();
    registry.publish(helper, review);
    await using project = await tmpProject({ registry, git: false });
    expect(await project.run([client, command, "@org/review"])).toMatchObject({ code: 0 });
    expect(await project.read("node_modules/@org/review/agents/reviewer.md")).toBe("review\n");
    expect(await project.read("node_modules/wf-helper/index.js")).toBe(helper.files["index.js"]);
  });

  test(`${client} ${command} of an unpublished package fails with a 404 and asks no other registry`, async () => {
    await using registry = await npmRegistry();
    await using project = await tmpProject({ registry, git: false });
    const { code, stderr } = await project.run([client, command, "is-odd"]);
    expect(code).toBe(1);
    expect(stderr).toContain("404");
    expect(registry.requests.map(({ path, outcome }) => [path, outcome])).toEqual([["/is-odd", 404]]);
  });
}

test("two registries with the same packages give the same documents and bytes", async () => {
  await using one = await npmRegistry();
  await using two = await npmRegistry();
  const documents = await Promise.all(
    [one, two].map(async (registry) => {
      registry.publish(helper, review);
      const text = await (await fetch(new URL("@org%2freview", registry.url))).text();
      return text.replaceAll(registry.url, "/");
    }),
  );
  expect(documents[0]).toBe(documents[1]!);
});

test("installers get the short packument, readers the long one with times", async () => {
  await using registry = await npmRegistry();
  registry.publish({ ...review, time: "2020-02-02T00:00:00.000Z", manifest: { scripts: { postinstall: "x" } } });
  const url = new URL("@org/review", registry.url);
  const read = async (accept: string) =>
    (await (await fetch(url, { headers: { accept } })).json()) as Record<string, unknown>;
  const long = await read("application/json");
  const short = await read("application/vnd.npm.install-v1+json");
  expect(long).toMatchObject({
    time: { "1.0.0": "2020-02-02T00:00:00.000Z" },
    versions: { "1.0.0": { scripts: { postinstall: "x" } } },
  });
  const dist = {
    tarball: `${registry.url}@org/review/-/review-1.0.0.tgz`,
    integrity: expect.stringMatching(/^sha512-/),
    shasum: expect.stringMatching(/^[0-9a-f]{40}$/),
  };
  expect(short).toEqual({
    name: "@org/review",
    modified: "2020-02-02T00:00:00.000Z",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { name: "@org/review", version: "1.0.0", hasInstallScript: true, dist } },
  });
});

test("an unchanged document is answered with 304", async () => {
  await using registry = await npmRegistry();
  registry.publish(helper);
  const url = new URL("wf-helper", registry.url);
  const etag = (await fetch(url)).headers.get("etag") ?? "";
  const again = () => fetch(url, { headers: { "if-none-match": etag } });
  expect((await again()).status).toBe(304);
  registry.publish({ ...helper, version: "1.3.0" });
  expect((await again()).status).toBe(200);
});

test("one version's document is found by version and by tag", async () => {
  await using registry = await npmRegistry();
  registry.publish(helper);
  for (const which of ["1.2.0", "latest"]) {
    expect(await (await fetch(new URL(`wf-helper/${which}`, registry.url))).json()).toMatchObject({ version: "1.2.0" });
  }
  expect((await fetch(new URL("wf-helper/9.9.9", registry.url))).status).toBe(404);
});

test("a package.json among the files describes the package", async () => {
  await using registry = await npmRegistry();
  const text = `{ "name": "wf-own", "version": "3.0.0", "main": "own.js" }`;
  registry.publish({ name: "wf-own", version: "3.0.0", files: { "package.json": text, "own.js": "" } });
  await using project = await tmpProject({ registry, git: false });
  expect(await project.run(["bun", "add", "wf-own"])).toMatchObject({ code: 0 });
  expect(await project.read("node_modules/wf-own/package.json")).toBe(text);
  expect(await (await fetch(new URL("wf-own/3.0.0", registry.url))).json()).toMatchObject({ main: "own.js" });
});

test("a disposed registry refuses connections", async () => {
  const registry = await npmRegistry();
  expect((await fetch(new URL("-/v1/search", registry.url))).status).toBe(200);
  await registry[Symbol.asyncDispose]();
  await expect(fetch(new URL("-/v1/search", registry.url))).rejects.toThrow(/connect/i);
});

test.each([
  ["another name", { files: { "package.json": '{"name":"other","version":"1.0.0"}' } }, "other@1.0.0"],
  ["another version", { files: { "package.json": '{"name":"wf","version":"2.0.0"}' } }, "wf@2.0.0"],
  ["no name", { files: { "package.json": "{}" } }, "undefined@undefined"],
  ["another name in the manifest", { manifest: { name: "other" } }, "other@1.0.0"],
])("a package.json with %s is refused", async (_, content, found) => {
  await using registry = await npmRegistry();
  expect(() => registry.publish({ name: "wf", version: "1.0.0", ...content })).toThrow(
    `wf@1.0.0 cannot be published: its package.json is of ${found}. Use publishTarball if the two should disagree.`,
  );
  expect((await fetch(new URL("wf", registry.url))).status).toBe(404);
});

test("a fault of an unpublished package is refused, unless asked for", async () => {
  await using registry = await npmRegistry();
  const fault = { kind: "status", status: 500 } as const;
  expect(() => registry.fault("wf", fault)).toThrow(
    '"wf" is not published, so no request would meet the fault: publish it first, or say { beforePublish: true }.',
  );
  const early = registry.fault("wf", fault, { beforePublish: true });
  expect((await fetch(new URL("wf", registry.url))).status).toBe(500);
  expect(early.hits).toBe(1);
});
