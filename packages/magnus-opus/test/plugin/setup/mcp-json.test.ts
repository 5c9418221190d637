// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how these files name variables.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { mcpJsonServers } from "../../../src/plugin/setup/mcp-servers.ts";

const file = (mcpServers: object) => ({ mcpServers });

test("servers get the shape OpenCode expects, with environment variables filled in", async () => {
  await using project = await tmpProject({
    files: {
      ".mcp.json": file({
        local: { command: "npx", args: ["-y", "thing@1.0.0", "--key=${KEY}"], env: { LEVEL: "${LEVEL:-info}" } },
        remote: { type: "http", url: "https://example.com/${PATH_PART}", headers: { a: "Bearer ${KEY}" } },
        off: { command: "x", disabled: true },
      }),
    },
  });
  expect(mcpJsonServers([project.path(".mcp.json")], { KEY: "k$&", PATH_PART: "mcp" })).toEqual({
    servers: {
      local: { type: "local", command: ["npx", "-y", "thing@1.0.0", "--key=k$&"], environment: { LEVEL: "info" } },
      remote: { type: "remote", url: "https://example.com/mcp", headers: { a: "Bearer k$&" } },
    },
    problems: [],
  });
});

test("a server whose variable is missing is ignored and reported, not started without it", async () => {
  await using project = await tmpProject({
    files: { ".mcp.json": file({ a: { command: "x", env: { K: "${K}", L: "${L}" } }, b: { command: "y" } }) },
  });
  const { servers, problems } = mcpJsonServers([project.path(".mcp.json")], {});
  expect(Object.keys(servers)).toEqual(["b"]);
  expect(problems.map(({ server, message }) => [server, message])).toEqual([
    ["a", "It needs K, L, which are not set in the environment. It was ignored."],
  ]);
  expect(problems[0]?.at).toMatch(/\.mcp\.json:\d+:\d+$/);
});

test.each([
  ["3", "A server needs a command or a url. It was ignored."],
  ['{ "args": [] }', "It has neither a command nor a url. It was ignored."],
  ['{ "command": 3 }', "A server needs a command or a url. It was ignored."],
])("reports what is wrong with %s, and where", async (value, message) => {
  await using project = await tmpProject({
    git: false,
    files: { ".mcp.json": `{ "mcpServers": { "good": { "command": "g" },\n"bad": ${value} } }` },
  });
  const { servers, problems } = mcpJsonServers([project.path(".mcp.json")], {});
  expect(Object.keys(servers)).toEqual(["good"]);
  expect(problems).toEqual([{ server: "bad", at: `${project.path(".mcp.json")}:2:8`, message }]);
});

test("later files win; a broken one is reported and only loses its own servers", async () => {
  await using project = await tmpProject({
    files: {
      "~/.mcp.json": file({ a: { command: "old" }, b: { command: "b" } }),
      ".mcp.json": file({ a: { command: "new" } }),
      ".opencode/.mcp.json": '{ "mcpServers": {',
    },
  });
  const files = ["~/.mcp.json", ".mcp.json", ".opencode/.mcp.json", "none.json"].map((path) => project.path(path));
  const { servers, problems } = mcpJsonServers(files, {}, ["b"]);
  expect(servers).toEqual({ a: { type: "local", command: ["new"], environment: {} } });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toMatch(/\.mcp\.json:1:18.*ignored/s);
});
