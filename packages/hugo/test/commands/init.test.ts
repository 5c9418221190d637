import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Initialized, init } from "../../src/commands/init.ts";
import { readManifest } from "../../src/packages/manifest.ts";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { common, plain, quietContext } from "./quiet-context.ts";

type Input = { readonly folder?: string; readonly name?: string; readonly dryRun?: boolean };

async function run(cwd: string, input: Input = {}): Promise<Initialized> {
  return await init.run(quietContext(cwd), { ...common, folder: undefined, name: undefined, ...input });
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

const files = [
  ".gitignore",
  "README.md",
  "agents/code-review-guide.md",
  "commands/code-review-explain.md",
  "package.json",
  "skills/code-review-notes/SKILL.md",
  "src/plugin.ts",
  "workflow.json",
];

test("a new folder becomes a workflow package that bears its name", async () => {
  await using folder = await temporaryFolder();
  const done = await run(folder.path, { folder: "code-review" });
  const written = join(folder.path, "code-review");
  expect(done).toEqual({
    folder: written,
    shownFolder: "code-review",
    package: "code-review",
    workflow: "code-review",
    files,
    dryRun: false,
  });
  expect(filesIn(written)).toEqual(files);
  const { delivery, package: facts, agents, commands, skills } = readManifest(readPackageTree(written));
  expect(delivery).toEqual({ kind: "plugin", entry: "src/plugin.ts" });
  expect(facts.name).toBe("code-review");
  expect([agents, commands, skills].map(([first]) => first?.name)).toEqual([
    "code-review-guide",
    "code-review-explain",
    "code-review-notes",
  ]);
  expect(filesIn(written).filter((path) => readFileSync(join(written, path), "utf8").includes("my-workflow"))).toEqual(
    [],
  );
});

test("a scope is the package's, and not the workflow's", async () => {
  await using folder = await temporaryFolder();
  // The name of the template in it: nothing of what was filled in is filled in again.
  expect(await run(folder.path, { name: "@my-workflow/tests" })).toMatchObject({ workflow: "tests", shownFolder: "." });
  const read = (path: string): string => readFileSync(join(folder.path, path), "utf8");
  expect(JSON.parse(read("package.json"))).toMatchObject({
    name: "@my-workflow/tests",
    keywords: ["opencode-workflow"],
  });
  expect(read("README.md")).toContain("hugo install @my-workflow/tests\n");
  expect(read("src/plugin.ts")).toContain('id: "tests"');
  expect(read("skills/tests-notes/SKILL.md")).toContain("name: tests-notes\n");
});

test("an empty git repository is an empty folder", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(join(folder.path, ".git"));
  writeFileSync(join(folder.path, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect((await run(folder.path, { name: "tests" })).files).toHaveLength(files.length);
});

test.each([
  ["README.md", "README.md"],
  ["src/deep/old.ts", "src/deep/old.ts"],
  [".env", ".env"],
])("a folder with %s in it is refused as it is", async (path, shown) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "mine");
  for (const dryRun of [false, true]) {
    const error = await run(folder.path, { name: "tests", dryRun }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "folder-not-empty", exitCode: 3, message: expect.stringContaining(shown) });
  }
  expect(filesIn(folder.path)).toEqual([path]);
  expect(readFileSync(file, "utf8")).toBe("mine");
});

test("a file in the way of the folder is named", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "tests"), "mine");
  await expect(run(folder.path, { folder: "tests" })).rejects.toMatchObject({
    message: expect.stringContaining("is a file"),
  });
});

test.each([
  ["Upper", undefined, `The folder's name, "Upper", is not a valid package name Add \`--name <name>\`.`],
  ["mein workflow", undefined, `The folder's name, "mein workflow", is not a valid package name Add`],
  ["tests@1.0.0", undefined, "is not a valid package name Add `--name <name>`."],
  ["x", "tests@1.0.0", "version"],
  ["x", "../tests", "package"],
  ["x", "@org/-", "-"],
  ["x", "", "package"],
])("%s with the name %s is refused before anything is written", async (folderName, name, said) => {
  await using folder = await temporaryFolder();
  const error = await run(folder.path, { folder: folderName, ...(name !== undefined && { name }) }).catch(
    (caught) => caught,
  );
  expect(error).toMatchObject({ code: "name-invalid", exitCode: 3 });
  expect(`${error.message} ${error.hint}`).toContain(said);
  expect(filesIn(folder.path)).toEqual([]);
});

test("a dry run says the same and writes nothing", async () => {
  await using folder = await temporaryFolder();
  const done = await run(folder.path, { folder: "code-review", dryRun: true });
  expect(done).toMatchObject({ files, dryRun: true });
  expect(readdirSync(folder.path)).toEqual([]);
  expect(init.report.text(done, plain)).toStartWith(
    "Would write code-review to code-review: 8 files\n  + .gitignore\n",
  );
  expect(init.report.notes(done, plain)).toBe("Dry run: nothing was written.\n");
});

test("the report lists every file and says what to do next", async () => {
  await using folder = await temporaryFolder();
  const done = await run(folder.path, { folder: "code-review" });
  expect(init.report.text(done, plain)).toBe(
    `Wrote code-review to code-review: 8 files\n${files.map((path) => `  + ${path}\n`).join("")}`,
  );
  expect(init.report.notes(done, plain)).toContain("cd code-review && npm install && hugo build --check");
  expect(init.report.json(done)).toEqual({
    folder: done.folder,
    package: "code-review",
    workflow: "code-review",
    files,
    dryRun: false,
  });
  expect(init.report.exitCode(done)).toBe(0);
  expect(init.report.text({ ...done, shownFolder: "a\u001b[2Jb" }, plain)).not.toContain("\u001b");
});

test("the template asks for the version of @atomic/workflows that it was written with", () => {
  const own = JSON.parse(readFileSync(join(import.meta.dirname, "../../../workflows/package.json"), "utf8"));
  const template = JSON.parse(readFileSync(join(import.meta.dirname, "../../templates/workflow/package.json"), "utf8"));
  expect(template.dependencies).toEqual({ "@atomic/workflows": `^${own.version}` });
});
