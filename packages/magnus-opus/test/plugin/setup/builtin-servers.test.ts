import { describe, expect, test } from "bun:test";
import { builtinServerNames, builtinServers } from "../../../src/plugin/setup/mcp-servers.ts";

test("no server starts by default", () => {
  expect(builtinServers({}, { EXA_API_KEY: "key", FIGMA_ACCESS_TOKEN: "token" })).toEqual({
    servers: {},
    problems: [],
  });
});

test("every server has the shape OpenCode expects, and every package an exact version", () => {
  const { servers, problems } = builtinServers({ enabled_mcps: [...builtinServerNames] }, { FIGMA_ACCESS_TOKEN: "t" });
  expect(problems).toEqual([]);
  expect(Object.keys(servers)).toEqual([...builtinServerNames]);
  for (const server of Object.values(servers)) {
    if (server.type === "local") expect(server.command.join(" ")).toMatch(/^npx -y (@\w+\/)?[\w-]+@\d+\.\d+\.\d+( |$)/);
    else expect(server.url).toMatch(/^https:/);
  }
});

describe("a key", () => {
  test("is passed on if it is set", () => {
    const { servers } = builtinServers(
      { enabled_mcps: ["websearch", "figma"] },
      { EXA_API_KEY: "k", FIGMA_ACCESS_TOKEN: "t" },
    );
    expect(servers.websearch).toMatchObject({ headers: { "x-api-key": "k" } });
    expect(servers.figma).toMatchObject({ environment: { FIGMA_API_KEY: "t" } });
  });

  test("is reported if the server needs it and it is missing", () => {
    const { servers, problems } = builtinServers({ enabled_mcps: ["websearch", "figma"] }, {});
    expect(Object.keys(servers)).toEqual(["websearch"]);
    expect(problems.map(({ server, message }) => `${server}: ${message}`)).toEqual([
      "figma: The server is enabled, but the environment variable FIGMA_ACCESS_TOKEN is not set, so the server was ignored.",
    ]);
  });
});

test("disabled_mcps wins over enabled_mcps", () => {
  const config = { enabled_mcps: ["context7", "grep_app"], disabled_mcps: ["context7"] };
  expect(Object.keys(builtinServers(config, {}).servers)).toEqual(["grep_app"]);
});

test("an unknown name is reported with a suggestion", () => {
  expect(builtinServers({ enabled_mcps: ["context-7"] }, {}).problems[0]?.message).toContain("Did you mean context7?");
  expect(builtinServers({ enabled_mcps: ["constructor"] }, {}).problems[0]?.message).toContain("There are websearch");
});
