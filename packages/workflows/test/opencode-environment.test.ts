// What OpenCode's environment variables say about every agent holds on every host.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import type { Entity } from "../src/entities/entity.ts";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { lintEntities } from "../src/entities/lint/lint.ts";
import { watchEntities } from "../src/entities/watch.ts";

const mine = { ".opencode/agent/mine.md": "---\ndescription: Mine\n---\nBody\n" };
const withAction = (action: string): string => JSON.stringify({ permission: { bash: action } });
const [config, allowing] = [withAction("deny"), withAction("allow")];

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
  [
    "a config for all users of the machine",
    { "managed/opencode.json": config },
    (dir) => ({ OPENCODE_CONFIG_CONTENT: allowing, OPENCODE_TEST_MANAGED_CONFIG_DIR: join(dir, "managed") }),
  ],
  ["a file that a config names", { "opencode.json": withAction("{file:how.txt}"), "how.txt": "deny\n" }, () => ({})],
  ["a variable that a config names", { "opencode.json": withAction("{env:HOW}") }, () => ({ HOW: "deny" })],
  [
    "a variable outside of a string",
    { "opencode.json": '{"permission":{env:HOW}}' },
    () => ({ HOW: '{"bash":"deny"}' }),
  ],
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
  expect(agent?.disabledBecause).toContain("permissions that apply to every agent are unknown");
});

test.each([
  ["with a byte that is not UTF-8", new Uint8Array([...new TextEncoder().encode(`${config} //`), 0xff])],
  ["of more than a megabyte", `${config}${" ".repeat(2 ** 20)}`],
])("an opencode.json %s disables the agents that it may restrict", async (_name, bytes) => {
  const agent = await agentWith({ "opencode.json": bytes }, () => ({}));
  expect(agent?.disabledBecause).toContain("permissions that apply to every agent are unknown");
});

test("a config counts in all folders below it, up to the root of the repository", async () => {
  await using project = await tmpProject({
    files: { "opencode.json": config, "a/b/.opencode/agent/mine.md": mine[".opencode/agent/mine.md"], "a/b/c/x": "" },
  });
  const options = { projectPath: project.path("a/b"), userPath: project.home };
  expect((await initializeWorkflowsSDK(options)).getAgent("mine")?.restrictions).toEqual({ deny: [{ tool: "bash" }] });
  await project.write("a/b/.git", "gitdir: elsewhere\n");
  expect((await initializeWorkflowsSDK(options)).getAgent("mine")?.restrictions).toEqual({});
});

test("a watch and a lint take the variables into account", async () => {
  await using project = await tmpProject({ files: mine });
  const options = { projectPath: project.dir, userPath: project.home };
  await using watch = await watchEntities({ ...options, env: { OPENCODE_PERMISSION: '{"bash":"deny"}' } });
  expect(watch.registry.getAgent("mine")?.restrictions).toEqual({ deny: [{ tool: "bash" }] });
  const codes = async (env: Record<string, string>): Promise<string[]> =>
    (await lintEntities(project.dir, { userPath: project.home, env })).map(({ code }) => code);
  expect(await codes({ OPENCODE_CONFIG_CONTENT: "{" })).toContain("general-unreadable");
  expect(await codes({})).not.toContain("general-unreadable");
});
