// From an empty folder to OpenCode, as an author and a user go: init, npm pack, publish, and OpenCode installs it itself.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { debugConfig, debugSkills, opencodeRun } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { init } from "../../src/commands/init.ts";
import { common, quietContext } from "./quiet-context.ts";

setDefaultTimeout(180_000);

const repository = join(import.meta.dirname, "../../../..");

test("files written by init can be packed, installed and run in OpenCode unchanged", async () => {
  await bundlePackages("@atomic/workflows");
  await using registry = await npmRegistry();
  await using model = await modelServer();
  await using project = await tmpProject({ registry });
  for (const folder of [".build/packages/workflows", "node_modules/@swc/wasm-typescript", "node_modules/yaml"]) {
    await publishFolder(registry, project, join(repository, folder));
  }
  const { folder } = await init.run(quietContext(project.dir), { ...common, folder: "verse", name: "@org/verse" });
  expect(await publishFolder(registry, project, folder)).toEqual([
    "README.md",
    "agents/verse-guide.md",
    "commands/verse-explain.md",
    "package.json",
    "skills/verse-notes/SKILL.md",
    "src/plugin.ts",
    "workflow.json",
  ]);

  const options = { model, plugins: ["@org/verse@0.1.0"], timeout: 120_000 };
  const { agent, command } = await debugConfig(project, options);
  expect(agent?.["verse-guide"]).toMatchObject({ mode: "primary", permission: { edit: "deny", bash: "deny" } });
  expect(command?.["verse-explain"]).toMatchObject({ agent: "verse-guide" });
  expect((await debugSkills(project, options)).map(({ name }) => name)).toContain("verse-notes");

  model.expect({ user: "where am I", system: /find their way in this repository/ }).reply("in a test");
  const answer = await opencodeRun(project, { ...options, prompt: "where am I", agent: "verse-guide" });
  expect(answer.text).toBe("in a test");
});
