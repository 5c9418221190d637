// What OpenCode's environment variables say about every agent holds on every host.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import type { Entity } from "../src/entity.ts";
import { initializeWorkflowsSDK } from "../src/initialize.ts";

const mine = { ".opencode/agent/mine.md": "---\ndescription: Mine\n---\nBody\n" };
const config = JSON.stringify({ permission: { bash: "deny" } });

async function agentWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  env: (dir: string) => Readonly<Record<string, string>>,
): Promise<Entity | undefined> {
  await using project = await tmpProject({ files: { ...mine, ...files } });
  const paths = { projectPath: project.dir, userPath: project.home };
  return (await initializeWorkflowsSDK({ ...paths, env: env(project.dir) })).getAgent("mine");
}

test.each<[string, Readonly<Record<string, string>>, (dir: string) => Readonly<Record<string, string>>]>([
  ["XDG_CONFIG_HOME", { "xdg/opencode/opencode.jsonc": config }, (dir) => ({ XDG_CONFIG_HOME: join(dir, "xdg") })],
  ["OPENCODE_CONFIG", { "other.json": config }, () => ({ OPENCODE_CONFIG: "other.json" })],
  ["OPENCODE_CONFIG_DIR", { "dir/opencode.json": config }, (dir) => ({ OPENCODE_CONFIG_DIR: join(dir, "dir") })],
  ["OPENCODE_CONFIG_CONTENT", {}, () => ({ OPENCODE_CONFIG_CONTENT: config })],
  ["OPENCODE_PERMISSION", {}, () => ({ OPENCODE_PERMISSION: '{"bash":"deny"}' })],
  [
    "OPENCODE_PERMISSION after all others",
    { "opencode.json": '{"permission":{"bash":"allow"}}' },
    () => ({ OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"ask"}}', OPENCODE_PERMISSION: '{"bash":"deny"}' }),
  ],
])("%s", async (_name, files, env) => {
  expect((await agentWith(files, env))?.restrictions).toEqual({ deny: [{ tool: "bash" }] });
});

test.each(["not json", ""])("an OPENCODE_PERMISSION of %j is ignored, as in OpenCode", async (text) => {
  expect((await agentWith({}, () => ({ OPENCODE_PERMISSION: text })))?.restrictions).toEqual({});
});

test("a variable that cannot be read disables the agents that it may restrict", async () => {
  const agent = await agentWith({}, () => ({ OPENCODE_CONFIG_CONTENT: "{" }));
  expect(agent?.disabledBecause).toContain("permissions for every agent are unknown");
});

test.each([
  ["with a byte that is no UTF-8", new Uint8Array([...new TextEncoder().encode(`${config} //`), 0xff])],
  ["of more than a megabyte", `${config}${" ".repeat(2 ** 20)}`],
])("an opencode.json %s disables the agents that it may restrict", async (_name, bytes) => {
  const agent = await agentWith({ "opencode.json": bytes }, () => ({}));
  expect(agent?.disabledBecause).toContain("permissions for every agent are unknown");
});
