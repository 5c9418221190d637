// Each trick is refused, the same package without it is installed, and the real OpenCode loads what was shown and nothing else.
import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { debugConfig } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { hugoIn } from "../commands/hugo-project.ts";
import { npmTree } from "../npm-reader.ts";
import { type RawEntry, rawTarball } from "../raw-archive.ts";
import { refusalOf } from "../sources/fetching.ts";
import { archiveTricks } from "./archive-tricks.ts";
import { contents } from "./world.ts";

setDefaultTimeout(300_000);

/** Adds an agent whose prompt says whose code it is. */
function code(name: string, whose: string): string {
  return `export default { id: "${name}", server: async () => ({
    config: async (config) => { config.agent = { ...config.agent, "${name}": { description: "d", prompt: "${whose}" } }; },
  }) };\n`;
}

function packageCalled(name: string, version: string): RawEntry[] {
  const files = {
    "package.json": JSON.stringify({ name, version, type: "module", main: "plugin.js" }),
    "workflow.json": JSON.stringify({ agents: [name] }),
    [`agents/${name}.md`]: "---\ndescription: d\n---\nHelp.\n",
    "plugin.js": code(name, "shown"),
  };
  return Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }));
}

test("there are at least thirty archive tricks, each with its own name", () => {
  expect(archiveTricks.length).toBeGreaterThanOrEqual(30);
  expect(new Set(archiveTricks.map(({ what }) => what)).size).toBe(archiveTricks.length);
});

test("OpenCode loads no byte that was not shown, whatever a tarball tries", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry, files: { "opencode.json": "{}\n" } });
  const hugo = hugoIn(project);
  const kept = (): [string, string][] =>
    [...contents(project.path(".opencode"))]
      .filter(([path]) => !/^\.hugo\/(?:lock\/|\.gitignore$)/.test(path))
      .map(([path, bytes]) => [path, bytes.toString("base64")]);

  for (const [i, { what, make, says, isReadByNpm }] of archiveTricks.entries()) {
    const name = `trick-${i}`;
    const evil = { path: "package/plugin.js", content: code(name, "evil") };
    const tricky = make(packageCalled(name, "1.0.1"), evil);
    registry.publishTarball({ name, version: "1.0.0", tarball: rawTarball(packageCalled(name, "1.0.0")) });
    registry.publishTarball({ name, version: "1.0.1", tarball: tricky });
    if (isReadByNpm) {
      const read = await npmTree(tricky, project.path(`../npm/${name}`));
      expect({ what, read: read?.get("plugin.js") }).toEqual({ what, read: evil.content });
    }
    const before = kept();
    const config = await project.read("opencode.json");
    const error = await refusalOf(hugo.install(`${name}@1.0.1`));
    expect({ what, message: error.message }).toEqual({ what, message: expect.stringMatching(says) });
    expect(["package-unsafe", "integrity-mismatch"]).toContain(error.code);
    expect(kept()).toEqual(before);
    expect(await project.read("opencode.json")).toBe(config);
    // The control: the same package without the trick.
    await hugo.install(`${name}@1.0.0`);
  }

  await project.skipPluginInstall();
  const { agent = {} } = await debugConfig(project);
  const prompts = archiveTricks.map((_, i) => agent[`trick-${i}`]?.prompt);
  expect(prompts).toEqual(archiveTricks.map(() => "shown"));
});
