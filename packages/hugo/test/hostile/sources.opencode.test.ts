// Plugins from git and from folders, and what their code needs: whatever moves or appears afterwards, the real OpenCode loads
// what was locked.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { type NpmRegistry, npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { debugConfig } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { verify } from "../../src/commands/verify.ts";
import { hugoIn, pinIn } from "../commands/hugo-project.ts";
import { input } from "../commands/workspace.ts";
import { library, plugin } from "./registry-trick.ts";

setDefaultTimeout(240_000);

/** The files of a package, as they are in a repository or a folder. */
function filesOf({ name, version, manifest, files }: PackageToPublish): Record<string, string> {
  return { ...(files as Record<string, string>), "package.json": JSON.stringify({ name, version, ...manifest }) };
}

async function promptsIn(project: Project): Promise<Record<string, string | undefined>> {
  await project.skipPluginInstall();
  const { agent = {} } = await debugConfig(project);
  return Object.fromEntries(Object.entries(agent).map(([name, value]) => [name, value?.prompt]));
}

test("OpenCode loads the commits, folders and dependencies that were locked, whatever has moved since", async () => {
  await using registry: NpmRegistry = await npmRegistry();
  await using project = await tmpProject({ registry, files: { "opencode.json": "{}\n" } });
  const marker = project.path("../loaded");
  const lab = { mark: `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");\n` };
  const evil = (name: string) => filesOf(plugin(name, lab, { whose: "evil" }));
  const needing = (name: string) =>
    filesOf(plugin(name, lab, { manifest: { dependencies: { tool: "^1.0.0" } }, imports: "tool" }));
  registry.publish(library("tool", lab, "shown"));

  // A commit's number can also be the name of a tag or a branch.
  await using tagged = await gitRepo({ name: "tagged", files: filesOf(plugin("tagged", lab)) });
  await using branched = await gitRepo({ name: "branched", files: filesOf(plugin("branched", lab)) });
  await using needy = await gitRepo({ name: "needy", files: needing("needy") });
  const pinned: string[] = [];
  for (const [repo, name, kind] of [[tagged, "tagged", "tags"] as const, [branched, "branched", "heads"] as const]) {
    const good = await repo.git("rev-parse", "main");
    const bad = await repo.commit({ files: evil(name) });
    await repo.git("update-ref", `refs/${kind}/${good}`, bad);
    pinned.push(`${repo.packageUrl}#${good}`);
  }
  for (const [path, text] of Object.entries(needing("folder"))) await project.write(`folder/${path}`, text);
  const hugo = hugoIn(project);
  await hugo.install([...pinned, needy.packageUrl, "./folder"]);
  expect(JSON.stringify(hugo.asked.map(({ notes }) => notes)).match(/tool 1\.0\.0/g)).toHaveLength(2);

  await needy.commit({ files: evil("needy") });
  registry.publish(library("tool", lab, "evil", { version: "1.0.1" }));
  const shown = { tagged: "shown", branched: "shown", needy: "shown", folder: "shown" };
  expect(await promptsIn(project)).toEqual(shown);

  // A teammate has a registry with the newer release, and repositories that have moved.
  const names = [
    ".opencode/hugo.json",
    "opencode.json",
    ...Object.keys(needing("folder")).map((path) => `folder/${path}`),
  ];
  const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await project.read(name)])));
  await using clone = await tmpProject({ registry, files });
  expect((await hugoIn(clone).ci()).failed).toEqual([]);
  expect(await promptsIn(clone)).toEqual(shown);
  expect(existsSync(marker)).toBe(false);

  // The control: what is in the store is what OpenCode loads, and a change of it is found and undone.
  const changed = join(await pinIn(project, "needy"), "../tool/index.js");
  await project.write(changed, String(library("tool", lab, "evil").files?.["index.js"]));
  expect(await promptsIn(project)).toEqual({ ...shown, needy: "evil" });
  expect(existsSync(marker)).toBe(true);
  const { workflows } = await verify.run(hugo.context, { ...input, name: undefined });
  expect(workflows.flatMap(({ name, differences }) => (differences.length > 0 ? [name] : []))).toEqual(["needy"]);
  await hugo.ci();
  expect(await promptsIn(project)).toEqual(shown);
});
