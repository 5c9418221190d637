// The commands that write to a registry or ask about it, run with the real npm (and `bun publish`).
import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

async function describe(project: Project, version: string, more: object = {}): Promise<void> {
  await project.write("package.json", JSON.stringify({ name: "@org/review", version, ...more }));
  await project.write("agents/reviewer.md", `${version}\n`);
}

async function view(project: Project, ...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await project.run(["npm", "view", ...args, "--json"]);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim() === "" ? undefined : JSON.parse(stdout);
}

for (const client of ["npm", "bun"] as const) {
  test(`what ${client} publishes, the other clients can install`, async () => {
    await using registry = await npmRegistry();
    await using author = await tmpProject({ registry, git: false });
    await describe(author, "1.0.0");
    expect(await author.run([client, "publish", "--access", "public"])).toMatchObject({ code: 0 });
    for (const installer of ["npm install", "bun add"]) {
      await using user = await tmpProject({ registry, git: false });
      expect(await user.run([...installer.split(" "), "@org/review"])).toMatchObject({ code: 0 });
      expect(await user.read("node_modules/@org/review/agents/reviewer.md")).toBe("1.0.0\n");
    }
  });

  test(`${client} publish without the token is refused`, async () => {
    await using registry = await npmRegistry();
    await using author = await tmpProject({ env: { npm_config_registry: registry.url }, git: false });
    await describe(author, "1.0.0");
    const { code, stderr } = await author.run([client, "publish"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ENEEDAUTH|missing authentication/);
    expect((await fetch(new URL("@org%2freview", registry.url))).status).toBe(404);
  });
}

test("a write with another token is refused", async () => {
  await using registry = await npmRegistry();
  const headers = { authorization: "Bearer other" };
  const answer = await fetch(new URL("wf", registry.url), { method: "PUT", headers, body: "{}" });
  expect(answer.status).toBe(401);
});

test("a version cannot be published twice", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@org/review", version: "1.0.0" });
  expect(() => registry.publish({ name: "@org/review", version: "1.0.0" })).toThrow(
    /@org\/review@1.0.0 exists already/,
  );
  await using author = await tmpProject({ registry, git: false });
  await describe(author, "1.0.0");
  const { code, stderr } = await author.run(["bun", "publish"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("403");
});

test("npm view shows versions, times and tags", async () => {
  await using registry = await npmRegistry();
  registry.publish(
    { name: "@org/review", version: "1.0.0", time: "2020-01-01T00:00:00.000Z" },
    { name: "@org/review", version: "1.1.0", time: "2021-01-01T00:00:00.000Z" },
  );
  await using project = await tmpProject({ registry, git: false });
  expect(await view(project, "@org/review", "versions")).toEqual(["1.0.0", "1.1.0"]);
  expect(await view(project, "@org/review", "time")).toEqual({
    created: "2020-01-01T00:00:00.000Z",
    modified: "2021-01-01T00:00:00.000Z",
    "1.0.0": "2020-01-01T00:00:00.000Z",
    "1.1.0": "2021-01-01T00:00:00.000Z",
  });
  expect(await view(project, "@org/review", "dist-tags")).toEqual({ latest: "1.1.0" });
});

test("npm dist-tag adds, lists and removes tags", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@org/review", version: "1.0.0" }, { name: "@org/review", version: "2.0.0", tag: "next" });
  await using project = await tmpProject({ registry, git: false });
  expect(await project.run(["npm", "dist-tag", "add", "@org/review@1.0.0", "stable"])).toMatchObject({ code: 0 });
  expect(await project.run(["npm", "dist-tag", "rm", "@org/review", "next"])).toMatchObject({ code: 0 });
  const { stdout } = await project.run(["npm", "dist-tag", "ls", "@org/review"]);
  expect(stdout.trim().split("\n")).toEqual(["latest: 1.0.0", "stable: 1.0.0"]);
});

test("npm search finds by word and by keyword", async () => {
  await using registry = await npmRegistry();
  registry.publish(
    {
      name: "@org/review",
      version: "1.0.0",
      manifest: { description: "Reviews code", keywords: ["workflow", "review"] },
    },
    { name: "painter", version: "1.0.0", manifest: { description: "Paints workflows", keywords: ["art"] } },
    { name: "left-pad", version: "1.0.0" },
  );
  await using project = await tmpProject({ registry, git: false });
  const found = async (...terms: string[]) => {
    const { stdout } = await project.run(["npm", "search", "--json", ...terms]);
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
  };
  expect(await found("workflow")).toEqual(["@org/review", "painter"]);
  expect(await found("keywords:workflow,review")).toEqual(["@org/review"]);
  expect(await found("workflow", "Paints")).toEqual(["painter"]);
  expect(await found("nothing-like-it")).toEqual([]);
});

test("npm deprecate warns the next installer, and an empty message takes it back", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@org/review", version: "1.0.0" });
  await using project = await tmpProject({ registry, git: false });
  expect(await project.run(["npm", "deprecate", "@org/review@1.0.0", "use @org/other"])).toMatchObject({ code: 0 });
  expect((await project.run(["npm", "install", "@org/review"])).stderr).toContain("use @org/other");
  expect(await project.run(["npm", "deprecate", "@org/review@1.0.0", ""])).toMatchObject({ code: 0 });
  expect(await view(project, "@org/review", "deprecated")).toBeUndefined();
});

test("npm unpublish takes one version away, then the package", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@org/review", version: "1.0.0" }, { name: "@org/review", version: "1.1.0" });
  await using project = await tmpProject({ registry, git: false });
  expect(await project.run(["npm", "unpublish", "@org/review@1.1.0"])).toMatchObject({ code: 0 });
  expect(await view(project, "@org/review", "dist-tags")).toEqual({ latest: "1.0.0" });
  expect((await fetch(new URL("@org/review/-/review-1.1.0.tgz", registry.url))).status).toBe(404);
  expect(await project.run(["npm", "unpublish", "@org/review", "--force"])).toMatchObject({ code: 0 });
  await expect(view(project, "@org/review")).rejects.toThrow(/E404/);
});

test("the test itself deprecates, tags and unpublishes", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "wf", version: "1.0.0" }, { name: "wf", version: "1.1.0" });
  registry.deprecate("wf", "1.0.0", "old");
  registry.tag("wf", "stable", "1.0.0");
  const read = async () => (await (await fetch(new URL("wf", registry.url))).json()) as Record<string, unknown>;
  expect(await read()).toMatchObject({
    "dist-tags": { latest: "1.1.0", stable: "1.0.0" },
    versions: { "1.0.0": { deprecated: "old" } },
  });
  registry.unpublish("wf", "1.0.0");
  expect((await read())["dist-tags"]).toEqual({ latest: "1.1.0" });
  expect(() => registry.tag("wf", "stable", "1.0.0")).toThrow('"wf" has no version "1.0.0"');
});

test("npm ping and npm whoami are answered", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry, git: false });
  expect(await project.run(["npm", "ping"])).toMatchObject({ code: 0 });
  expect((await project.run(["npm", "whoami"])).stdout.trim()).toBe("tester");
});

test("a tarball that does not match its announced integrity is refused", async () => {
  await using registry = await npmRegistry();
  const answer = await fetch(new URL("wf", registry.url), {
    method: "PUT",
    headers: { authorization: `Bearer ${registry.token}` },
    body: JSON.stringify({
      name: "wf",
      "dist-tags": { latest: "1.0.0" },
      versions: { "1.0.0": { name: "wf", version: "1.0.0", dist: { integrity: "sha512-AAAA" } } },
      _attachments: { "wf-1.0.0.tgz": { data: "AAAA" } },
    }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    error: "the tarball of wf@1.0.0 is not the one that dist.integrity announces",
  });
});

test("a body that is no JSON is refused with a reason", async () => {
  await using registry = await npmRegistry();
  const headers = { authorization: `Bearer ${registry.token}` };
  const answer = await fetch(new URL("wf", registry.url), { method: "PUT", headers, body: "{" });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("the request body is not JSON");
});
