import { describe, expect, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import { remove } from "../../src/commands/remove.ts";
import { hugoIn, refusalOf } from "./hugo-project.ts";
import { contents } from "./workspace.ts";

const skill = "---\nname: s\ndescription: Data\n---\nRead it.\n";
const common = { "package.json": '{ "name": "s", "version": "1.0.0" }', "skills/s/SKILL.md": skill };
const file = { ...common, "skills/s/data": "1\n" };
const folder = { ...common, "skills/s/data/i": "2\n", "skills/s/data/deep/j": "3\n" };

async function release(project: Project, files: Readonly<Record<string, string>>): Promise<void> {
  await project.run(["rm", "-rf", project.path("pkg")]);
  for (const [path, text] of Object.entries(files)) await project.write(`pkg/${path}`, text);
}

async function installed(files: Readonly<Record<string, string>>) {
  const project = await tmpProject();
  await release(project, files);
  const hugo = hugoIn(project);
  await hugo.install("./pkg");
  return { project, hugo };
}

async function data(project: Project): Promise<Record<string, string>> {
  const all = Object.entries(await contents(project)).filter(([path]) => path.startsWith(".opencode/skills/s/data"));
  return Object.fromEntries(all.map(([path, text]) => [path.slice(".opencode/skills/s/".length), text]));
}

describe("an update in which a file becomes a folder, or a folder a file", () => {
  test.each([
    ["a file", "a folder", file, folder, { "data/i": "2\n", "data/deep/j": "3\n" }],
    ["a folder", "a file", folder, file, { data: "1\n" }],
  ])("reports that %s becomes %s, and its hint works", async (was, is, before, after, expected) => {
    const { project, hugo } = await installed(before);
    await using _project = project;
    const first = await contents(project);
    await release(project, after);
    const { failed, updated } = await hugo.update([], { yes: true });
    expect({ failed, updated }).toMatchObject({ failed: [{ name: "s", code: "file-taken" }], updated: [] });
    expect(failed[0]?.message).toBe(
      `.opencode/skills/s/data is ${was} and would become ${is}, which cannot be done in one change`,
    );
    expect(failed[0]?.hint).toContain("`hugo remove s`, then `hugo install ./pkg`");
    await release(project, before);
    expect(await contents(project)).toEqual(first);

    await release(project, after);
    await remove.run(hugo.context, { global: false, dryRun: false, yes: false, name: ["s"] });
    await hugo.install("./pkg");
    expect(await data(project)).toEqual(expected);
  });

  test("stops an installation before a file that the user made, and names it", async () => {
    const { project, hugo } = await installed(file);
    await using _project = project;
    await project.write(".opencode/skills/s/data", "mine\n");
    await remove.run(hugo.context, { global: false, dryRun: false, yes: false, name: ["s"] });
    await release(project, folder);
    const before = await contents(project);
    const error = await refusalOf(hugo.install("./pkg"));
    expect(error.message).toBe(`${project.path(".opencode/skills/s/data")} is in the way: it is not a folder`);
    expect(error.hint).toContain("Move it somewhere else");
    expect(await contents(project)).toEqual(before);
  });
});
