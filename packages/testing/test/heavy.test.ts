import { expect, test } from "bun:test";
import { heavyHost, loadHeavyHost } from "@atomic/testing/heavy";
import { tmpProject } from "@atomic/testing/project";

const sdk = "node_modules/@anthropic-ai/claude-agent-sdk/package.json";
const manifest = {
  name: "@anthropic-ai/claude-agent-sdk",
  version: "9.9.9",
  optionalDependencies: { program: "9.9.9" },
};

test("SKIP_HEAVY_HOSTS=1 makes a host unavailable, installed or not", async () => {
  await using folder = await tmpProject({
    git: false,
    files: { [sdk]: manifest, "node_modules/program/package.json": {} },
  });
  expect(heavyHost("claude", { folder: folder.dir, env: { SKIP_HEAVY_HOSTS: "1" } })).toEqual({
    available: false,
    reason: "SKIP_HEAVY_HOSTS=1",
  });
});

test("a host that is not installed says how to install it", async () => {
  await using folder = await tmpProject({ git: false });
  expect(heavyHost("copilot", { folder: folder.dir, env: {} })).toMatchObject({
    available: false,
    reason: expect.stringContaining("@github/copilot-sdk is not installed: run `npm test` without SKIP_HEAVY_HOSTS"),
  });
});

test("a host without a program for this platform says so", async () => {
  await using folder = await tmpProject({ git: false, files: { [sdk]: manifest } });
  expect(heavyHost("claude", { folder: folder.dir, env: {} })).toEqual({
    available: false,
    reason: `@anthropic-ai/claude-agent-sdk@9.9.9 has no program for ${process.platform}-${process.arch} installed`,
  });
});

test("an installed host is loaded from the heavy folder", async () => {
  const files = {
    [sdk]: manifest,
    "node_modules/program/package.json": {},
    "hosts.mjs": "export const hosts = { claude: async () => ({ loaded: true }) };",
  };
  await using folder = await tmpProject({ git: false, files });
  const host = heavyHost("claude", { folder: folder.dir, env: {} });
  if (!host.available) throw new Error(host.reason);
  expect(host.version).toBe("9.9.9");
  expect(await host.load()).toEqual({ loaded: true });
});

for (const name of ["claude", "copilot"] as const) {
  const host = heavyHost(name);
  if (!host.available) console.warn(`skipped: loading the ${name} SDK: ${host.reason}`);

  test.skipIf(!host.available)(`the real ${name} SDK loads`, async () => {
    expect(Object.keys((await loadHeavyHost(name)) as object)).toContain(name === "claude" ? "query" : "CopilotClient");
  });
}
