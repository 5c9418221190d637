// What the registry says on the wire, for the corners that the clients' commands do not reach.
import { expect, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";

const review = { name: "@org/review", version: "1.0.0", manifest: { description: "Reviews" } };

interface Asked {
  method?: string;
  body?: unknown;
  token?: string;
}

async function ask(
  registry: NpmRegistry,
  path: string,
  { method = "GET", body, token }: Asked = {},
): Promise<unknown[]> {
  const answer = await fetch(new URL(path, registry.url), {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return [answer.status, text === "" ? undefined : JSON.parse(text)];
}

test.each(["@org/review", "@org%2freview", "@org%2Freview", "%40org%2freview"])(
  "a scoped name is understood as %s",
  async (path) => {
    await using registry = await npmRegistry();
    registry.publish(review);
    expect(await ask(registry, path)).toMatchObject([200, { name: "@org/review", description: "Reviews" }]);
    expect(registry.requests[0]).toMatchObject({ method: "GET", path: "/@org/review", outcome: 200 });
  },
);

test("every tarball has the hashes that its packument announces", async () => {
  await using registry = await npmRegistry();
  registry.publish(review, { ...review, version: "1.1.0", files: { "a.md": "a" } });
  const { versions } = (await (await fetch(new URL("@org/review", registry.url))).json()) as {
    versions: Record<string, { dist: { tarball: string; integrity: string; shasum: string } }>;
  };
  for (const { dist } of Object.values(versions)) {
    const bytes = new Uint8Array(await (await fetch(dist.tarball)).arrayBuffer());
    expect(dist.integrity).toBe(`sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`);
    expect(dist.shasum).toBe(new Bun.CryptoHasher("sha1").update(bytes).digest("hex"));
  }
});

test("a release has the size that its publisher says, be it true or not", async () => {
  await using registry = await npmRegistry();
  registry.publish({ ...review, manifest: { dist: { unpackedSize: 7, fileCount: 2, tarball: "elsewhere" } } });
  const [, version] = await ask(registry, "@org/review/1.0.0");
  expect(version).toMatchObject({
    dist: { unpackedSize: 7, fileCount: 2, tarball: expect.stringContaining(registry.url) },
  });
});

test("the first release is the latest one even under another tag", async () => {
  await using registry = await npmRegistry();
  registry.publish({ ...review, version: "2.0.0-rc.1", tag: "next" });
  const tagged = (tags: object) => [200, expect.objectContaining({ "dist-tags": tags })];
  expect(await ask(registry, "@org/review")).toEqual(tagged({ next: "2.0.0-rc.1", latest: "2.0.0-rc.1" }));
  registry.publish(review);
  expect(await ask(registry, "@org/review")).toEqual(tagged({ next: "2.0.0-rc.1", latest: "1.0.0" }));
});

test("the newest release left is the latest one after an unpublish", async () => {
  await using registry = await npmRegistry();
  registry.publish(review, { ...review, version: "1.1.0" }, { ...review, version: "1.2.0" });
  registry.unpublish("@org/review", "1.2.0");
  expect(await ask(registry, "@org/review/latest")).toMatchObject([200, { version: "1.1.0" }]);
  registry.unpublish("@org/review", "1.0.0");
  registry.unpublish("@org/review", "1.1.0");
  expect(await ask(registry, "@org/review")).toMatchObject([404, {}]);
});

test("publication times are a minute apart unless they are given", async () => {
  await using registry = await npmRegistry();
  registry.publish(
    review,
    { ...review, version: "1.1.0", time: "2030-05-05T05:05:05.000Z" },
    { ...review, version: "1.2.0" },
  );
  expect(await ask(registry, "@org/review")).toMatchObject([
    200,
    {
      time: {
        "1.0.0": "2024-01-01T00:01:00.000Z",
        "1.1.0": "2030-05-05T05:05:05.000Z",
        "1.2.0": "2024-01-01T00:02:00.000Z",
      },
    },
  ]);
});

test("search is cut into pages and counts all of them", async () => {
  await using registry = await npmRegistry();
  for (const letter of ["c", "a", "d", "b"]) registry.publish({ name: `wf-${letter}`, version: "1.0.0" });
  expect(await ask(registry, "-/v1/search?text=wf&size=2&from=1")).toMatchObject([
    200,
    { total: 4, objects: [{ package: { name: "wf-b" } }, { package: { name: "wf-c" } }] },
  ]);
});

test("search shows the latest release with its keywords and date", async () => {
  await using registry = await npmRegistry();
  registry.publish(review, { ...review, version: "1.1.0", manifest: { keywords: ["Workflow"] } });
  expect(await ask(registry, "-/v1/search?text=keywords:workflow")).toMatchObject([
    200,
    {
      objects: [
        {
          package: {
            name: "@org/review",
            scope: "org",
            version: "1.1.0",
            keywords: ["Workflow"],
            date: "2024-01-01T00:02:00.000Z",
          },
        },
      ],
    },
  ]);
});

test("a write needs the token", async () => {
  await using registry = await npmRegistry();
  registry.publish(review);
  expect(await ask(registry, "@org%2freview", { method: "PUT" })).toMatchObject([
    401,
    { error: expect.stringContaining("needs this registry's token") },
  ]);
  expect(await ask(registry, "@org/review")).toMatchObject([200, {}]);
});

test.each([
  ["GET", "nothing", undefined, 404, 'no package "nothing" was published to this registry'],
  ["GET", "@org/review/9.9.9", undefined, 404, '"@org/review" has no version or tag "9.9.9"'],
  ["GET", "@org/review/-/review-9.9.9.tgz", undefined, 404, '"@org/review" has no tarball "review-9.9.9.tgz"'],
  [
    "POST",
    "-/npm/v1/security/advisories/bulk",
    {},
    404,
    "this registry has no POST /-/npm/v1/security/advisories/bulk",
  ],
  ["PUT", "wf", { name: "other" }, 400, 'the packument is of "other", the address says "wf"'],
  ["PUT", "wf", [], 400, "the packument is not an object"],
  ["PUT", "wf", { name: "wf", versions: [] }, 400, "versions is not an object"],
  ["PUT", "wf", { name: "wf", _attachments: { a: {} } }, 400, "the packument has no version"],
] as const)("%s %s with %j is refused with %d and a reason", async (method, path, body, status, error) => {
  await using registry = await npmRegistry();
  registry.publish(review);
  expect(await ask(registry, path, { method, body, token: registry.token })).toEqual([status, { error }]);
});

test("a request is on record before it is answered, with its client and its query", async () => {
  await using registry = await npmRegistry();
  using slow = registry.fault("*", { kind: "slow" });
  const answer = fetch(new URL("-/v1/search?text=wf", registry.url), { headers: { "user-agent": "tester/1" } });
  await slow.reached;
  expect(registry.requests).toEqual([
    expect.objectContaining({ method: "GET", path: "/-/v1/search", query: "?text=wf", outcome: undefined }),
  ]);
  expect(registry.requests[0]?.headers["user-agent"]).toBe("tester/1");
  slow.release();
  expect((await answer).status).toBe(200);
  expect(registry.requests[0]?.outcome).toBe(200);
});

test("an address that is not well encoded is refused without a stack", async () => {
  await using registry = await npmRegistry();
  const path = "%E0%A4%A";
  expect(await ask(registry, path)).toEqual([400, { error: `the address /${path} is not well encoded` }]);
  expect(registry.requests).toMatchObject([{ path: `/${path}`, outcome: 400 }]);
});

test.each(["size=abc&from=x", "size=&from=", "size=-1&from=-1", "size=1.5"])(
  "a search with %s is one without",
  async (query) => {
    await using registry = await npmRegistry();
    registry.publish(review);
    expect(await ask(registry, `-/v1/search?text=review&${query}`)).toMatchObject([
      200,
      { objects: [{ package: { name: "@org/review" } }], total: 1 },
    ]);
  },
);

test("a HEAD request gets the headers alone", async () => {
  await using registry = await npmRegistry();
  registry.publish(review);
  const answer = await fetch(new URL("@org/review", registry.url), { method: "HEAD" });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe("");
});
