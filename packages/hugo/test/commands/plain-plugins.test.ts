// OpenCode plugins that were not made for Hugo: they have no workflow.json.
import { expect, test } from "bun:test";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { hugoIn, refusalOf } from "./hugo-project.ts";

const config = `{
  // Mine.
  "$schema": "https://opencode.ai/config.json",
  "plugin": [
    ["./own.ts", { "loud": true }], // keep
  ]
}
`;

/** What OpenCode says about them is tested elsewhere. */
const env = { HUGO_OPENCODE: "/not/there/opencode" };

const code = "export const Plugin = async () => ({});\n";

function plain(name: string, more: Partial<PackageToPublish> & { version?: string } = {}): PackageToPublish {
  const { version = "1.0.0", files = {}, manifest = {} } = more;
  const declared = { main: "index.js", type: "module", dependencies: { "@opencode-ai/plugin": "1.0.0" } };
  return { name, version, manifest: { ...declared, ...manifest }, files: { "index.js": code, ...files } };
}

test("a plugin without workflow.json is installed as a plugin, and none of its own folders is copied", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@opencode-ai/plugin", version: "1.0.0" });
  const internal = { ".opencode/commands/publish.md": "Publish it.", ".claude/agents/triage.md": "Triage." };
  registry.publish(plain("@org/helper", { files: internal }));
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
  const hugo = hugoIn(project);
  const { workflows } = await hugo.install("@org/helper");
  expect(workflows).toMatchObject([{ name: "helper", delivery: "plugin", agents: [], commands: [], files: [] }]);
  expect(hugo.asked[0]?.notes[0]).toBe("An OpenCode plugin, loaded by OpenCode as a plugin.");
  expect(hugo.asked[0]?.capabilities).toContainEqual({
    kind: "registers",
    subject: "index.js",
    detail: "unknown until OpenCode loads it",
  });
  expect(await project.read("opencode.json")).toContain('["./own.ts", { "loud": true }], // keep\n');
  const copied = ["agents", "commands", "skills"].map((folder) => `.opencode/${folder}`);
  for (const folder of copied) expect(await project.exists(folder)).toBe(false);
});

test("a plugin in a folder gets its dependencies, next to its code", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0", manifest: { main: "i.js" }, files: { "i.js": "" } });
  const manifest = { name: "near", version: "1.0.0", main: "i.js", engines: { opencode: "*" } };
  const files = {
    "near/package.json": { ...manifest, dependencies: { tool: "1" } },
    "near/i.js": code,
    "opencode.json": config,
  };
  await using project = await tmpProject({ registry, env, files });
  const { workflows } = await hugoIn(project).install("./near");
  const [entry] = workflows[0]?.entries ?? [];
  expect(entry?.spec).toEndWith("/node_modules/near");
  expect(await project.exists(`${entry?.spec}/../tool/package.json`)).toBe(true);
});

test("a library is refused with a reason, and nothing is written", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "lowdash", version: "4.0.0", manifest: { main: "i.js" }, files: { "i.js": "" } });
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
  const error = await refusalOf(hugoIn(project).install("lowdash"));
  expect(error.code).toBe("no-workflow");
  expect(error.message).toContain("lowdash is not a workflow and not an OpenCode plugin");
  expect(await project.read("opencode.json")).toBe(config);
  expect(await project.exists(".opencode/hugo.json")).toBe(false);
});

test("a doubtful plugin, and one that OpenCode ignores, are pointed out in the question", async () => {
  await using registry = await npmRegistry();
  const dependencies = {};
  registry.publish(
    plain("opencode-colors", { manifest: { dependencies } }),
    plain("opencode-copilot-auth", { manifest: { dependencies } }),
  );
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
  const hugo = hugoIn(project);
  await hugo.install(["opencode-colors", "opencode-copilot-auth"]);
  expect(hugo.asked[0]?.notes).toContain(
    'Its author does not say that it is an OpenCode plugin. Hugo thinks so because its name contains "opencode".',
  );
  expect(hugo.asked[1]?.notes).toContain(
    "OpenCode will not load opencode-copilot-auth: it ignores opencode-copilot-auth, because it has that built in.",
  );
});
