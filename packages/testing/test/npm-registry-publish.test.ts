// Publishing with the real npm and bun.
import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

async function describe(project: Project, version: string, more: object = {}): Promise<void> {
  await project.write("package.json", JSON.stringify({ name: "@org/review", version, ...more }));
  await project.write("agents/reviewer.md", `${version}\n`);
}

for (const client of ["npm", "bun"] as const) {
  test(`what ${client} publishes can be installed`, async () => {
    await using registry = await npmRegistry();
    await using author = await tmpProject({ registry, git: false });
    await describe(author, "1.0.0");
    expect(await author.run([client, "publish", "--access", "public"])).toMatchObject({ code: 0 });
    await using user = await tmpProject({ registry, git: false });
    expect(await user.run(["bun", "add", "@org/review"])).toMatchObject({ code: 0 });
    expect(await user.read("node_modules/@org/review/agents/reviewer.md")).toBe("1.0.0\n");
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

test("a body that is not JSON is refused with a reason", async () => {
  await using registry = await npmRegistry();
  const headers = { authorization: `Bearer ${registry.token}` };
  const answer = await fetch(new URL("wf", registry.url), { method: "PUT", headers, body: "{" });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("the request body is not JSON");
});
