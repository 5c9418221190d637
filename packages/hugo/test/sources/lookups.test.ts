import { expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { registryVersions, searchRegistry } from "../../src/sources/search-registry.ts";
import { fetching, refusalOf } from "./fetching.ts";

test("the registry's data about a package: versions in order, tags, times and warnings", async () => {
  await using registry = await npmRegistry();
  const time = "2025-03-01T12:00:00.000Z";
  registry.publish(...["1.10.0", "1.9.0", "2.0.0-rc.1"].map((version) => ({ name: "@org/review", version, time })));
  registry.tag("@org/review", "next", "2.0.0-rc.1");
  registry.tag("@org/review", "latest", "1.10.0");
  registry.deprecate("@org/review", "1.9.0", "use 1.10");
  await using it = await fetching({ registry });
  const { name, versions, tags, times, deprecated } = await registryVersions("@org/review", it.context);
  expect({ name, versions, tags: Object.fromEntries(tags), deprecated: [...deprecated] }).toEqual({
    name: "@org/review",
    versions: ["1.9.0", "1.10.0", "2.0.0-rc.1"],
    tags: { latest: "1.10.0", next: "2.0.0-rc.1" },
    deprecated: [["1.9.0", "use 1.10"]],
  });
  expect(times.get("1.9.0")).toEqual(new Date(time));
  expect(it.progress).toEqual(["Asking the registry for @org/review"]);
});

test("a search finds workflows and plugins only, by all words", async () => {
  await using registry = await npmRegistry();
  const keywords = ["opencode-workflow"];
  registry.publish({ name: "review", version: "1.0.0", manifest: { keywords, description: "Reviews code" } });
  registry.publish({ name: "@org/tdd", version: "2.0.0", manifest: { keywords, description: "Tests first" } });
  registry.publish({ name: "code-formatter", version: "1.0.0", manifest: { description: "Formats code" } });
  registry.publish({ name: "pty", version: "1.0.0", manifest: { keywords: ["opencode-plugin"] } });
  await using it = await fetching({ registry });
  const names = async (...words: string[]) => (await searchRegistry(words, it.context)).hits.map(({ name }) => name);
  expect(await names()).toEqual(["@org/tdd", "review", "pty"]);
  expect(await names("reviews")).toEqual(["review"]);
  expect(await names("reviews", "first")).toEqual([]);
  expect((await searchRegistry(["tests"], it.context)).hits[0]).toEqual({
    name: "@org/tdd",
    version: "2.0.0",
    description: "Tests first",
    published: expect.any(Date),
  });
});

test("a registry's search results are checked", async () => {
  const strange = {
    objects: [
      null,
      {},
      { package: { name: 1 } },
      { package: { name: "x", version: "1.0.0", keywords: ["other"] } },
      { package: { name: "bare", version: "1.0.0", date: "never" } },
    ],
  };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(strange) });
  try {
    await using it = await fetching({ env: { npm_config_registry: `http://127.0.0.1:${server.port}` } });
    expect((await searchRegistry([], it.context)).hits).toEqual([{ name: "bare", version: "1.0.0", description: "" }]);
  } finally {
    await server.stop(true);
  }
});

test("a registry without search, or with an unexpected document, is reported", async () => {
  await using registry = await npmRegistry();
  registry.fault("*", { kind: "status", status: 404, on: "search" });
  await using it = await fetching({ registry });
  const error = await refusalOf(searchRegistry(["x"], it.context));
  expect([error.code, error.exitCode]).toEqual(["search-unavailable", 6]);
  expect(error.message).toContain("does not support search (404)");
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ versions: ["no"], time: 1 }),
  });
  try {
    const other = it.withEnv({ npm_config_registry: `http://127.0.0.1:${server.port}` });
    // It is not the same as having found nothing.
    expect((await refusalOf(searchRegistry(["x"], other.context))).message).toContain(
      "does not support search (its answer has no list of packages)",
    );
    expect(await registryVersions("x", other.context)).toMatchObject({ versions: [] });
    expect((await other.refusal("x")).message).toBe("x has no installable version");
  } finally {
    await server.stop(true);
  }
});
