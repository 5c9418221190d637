import { describe, expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { type Project, tmpProject } from "@atomic/testing/project";
import { runTests } from "../../src/evidence/run-tests.ts";
import { settledTests, testCommand } from "../../src/evidence/test-command.ts";
import { treeHash } from "../../src/evidence/tree-hash.ts";
import { packageStack } from "../stacks/package-stack.ts";

const node = packageStack("node");
const passing = 'import { test } from "bun:test"; test("is true", () => {});';

async function testsIn(project: Project, argv: [string, ...string[]], more: object = {}) {
  return await runTests({ project: project.dir, argv, timeoutMs: 60_000, env: project.env, ...more });
}

test("real tests that pass are evidence for the current files", async () => {
  await using project = await tmpProject({ files: { "a.test.ts": passing } });
  const run = await testsIn(project, [process.execPath, "test"]);
  expect(run).toMatchObject({ exitCode: 0, ended: "exit", counts: { passed: 1, failed: 0, skipped: 0 } });
  expect(run.tree).toBe(await treeHash(project.dir));
  expect(run.outputHash).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(run.testFiles).toBe(1);
});

test("real tests that fail are not", async () => {
  await using project = await tmpProject({
    files: { "a.test.ts": 'import { expect, test } from "bun:test"; test("is true", () => expect(1).toBe(2));' },
  });
  const run = await testsIn(project, [process.execPath, "test"]);
  expect(run).toMatchObject({ exitCode: 1, ended: "exit", counts: { passed: 0, failed: 1 } });
  expect(run.tail).toContain("is true");
});

test("tests that change the project's files are evidence for nothing", async () => {
  await using project = await tmpProject({ files: { "a.txt": "before", "b ü.txt": "", ".gitignore": "ignored\n" } });
  const script = `const fs = require("fs");
    fs.writeFileSync("a.txt", "after"); fs.rmSync("b ü.txt"); fs.writeFileSync("junit.xml", ""); fs.writeFileSync("ignored", "")`;
  const run = await testsIn(project, ["node", "-e", script]);
  expect(run).toMatchObject({ exitCode: 0, tree: undefined });
  expect(run.changed).toEqual(["changed a.txt", "removed b ü.txt", "wrote junit.xml"]);
});

test("a missing program is distinguished from failing tests", async () => {
  await using project = await tmpProject();
  const run = await testsIn(project, ["no-such-program"]);
  expect(run).toMatchObject({ exitCode: null, ended: "not-started", counts: undefined });
  expect(run.tail).toContain("no-such-program");
});

describe("tests that do not end", () => {
  // The child of the child holds the output open: only the end of the whole group ends the run.
  const script =
    'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "inherit" })';

  test("are killed at their deadline, with everything they started", async () => {
    await using project = await tmpProject();
    const run = await testsIn(project, ["node", "-e", script], { timeoutMs: 300 });
    expect(run).toMatchObject({ exitCode: null, ended: "timeout" });
  });

  test("are killed when they are aborted", async () => {
    await using project = await tmpProject();
    const stop = new AbortController();
    const running = testsIn(project, ["node", "-e", `console.log("up"); ${script}`], { signal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ exitCode: null, ended: "aborted" });
  });
});

test("arguments are passed as they are, without a shell", async () => {
  await using project = await tmpProject();
  const run = await testsIn(project, ["node", "-e", "console.log(process.argv[1])", "$(touch made) ; touch made"]);
  expect(run.tail).toBe("$(touch made) ; touch made\n");
  expect(existsSync(project.path("made"))).toBe(false);
});

describe("the hash of the tree", () => {
  const changes: readonly [name: string, change: (project: Project) => Promise<unknown> | unknown, changes: boolean][] =
    [
      ["a changed file", (project) => project.write("src/a.ts", "2"), true],
      ["a new file", (project) => project.write("src/b.ts", ""), true],
      ["a file that can be executed now", (project) => chmod(project.path("src/a.ts"), 0o755), true],
      ["a new link", (project) => symlinkSync("a.ts", project.path("src/c.ts")), true],
      ["a removed file", (project) => project.run(["rm", "src/a.ts"]), true],
      ["a commit", (project) => project.run(["git", "commit", "--allow-empty", "-m", "x"]), false],
      ["a file that git ignores", (project) => project.write("ignored/x", "y"), false],
      ["a cache of Python's", (project) => project.write("src/__pycache__/a.cpython-311.pyc", "y"), false],
      ["a file of a session", (project) => project.write("ai-docs/sessions/x/plan.md", "y"), false],
    ];
  const files = { "src/a.ts": "1", ".gitignore": "ignored\n" };

  test.each(changes)("with %s", async (_, change, isOther) => {
    await using project = await tmpProject({ files });
    const before = await treeHash(project.dir);
    await change(project);
    expect((await treeHash(project.dir)) !== before).toBe(isOther);
  });

  test("does without a git that fails, and counts folders of sessions nowhere", async () => {
    await using project = await tmpProject({ files: { "a.ts": "1" } });
    await project.write(".git/config", "[core\n");
    const before = await treeHash(project.dir);
    await project.write("apps/web/ai-docs/sessions/impl-1/plan.md", "a plan");
    expect(await treeHash(project.dir)).toBe(before);
    await project.write("a.ts", "2");
    expect(await treeHash(project.dir)).not.toBe(before);
  });

  test("works without git, and then leaves out generated files", async () => {
    await using project = await tmpProject({ files, git: false });
    const before = await treeHash(project.dir);
    await project.write("node_modules/x/index.js", "1");
    expect(await treeHash(project.dir)).toBe(before);
    await project.write("src/deep/b.ts", "1");
    expect(await treeHash(project.dir)).not.toBe(before);
  });
});

describe("the test command", () => {
  const script = (test: string) => ({ "package.json": { scripts: { test } } });
  test.each([
    ["the script of npm", script("vitest run"), ["npm", "test"]],
    ["that of bun", { ...script("vitest run"), "bun.lock": "" }, ["bun", "run", "test"]],
    ["that of pnpm", { ...script("vitest run"), "pnpm-lock.yaml": "" }, ["pnpm", "test"]],
    ["unknown without a script", { "package.json": {} }, undefined],
    ["unknown with npm's placeholder", script('echo "Error: no test specified" && exit 1'), undefined],
    ["unknown without a package.json", {}, undefined],
    ["unknown with a broken package.json", { "package.json": "{" }, undefined],
    ["unknown with a package.json that is null", { "package.json": "null" }, undefined],
  ])("is %s", async (_, files, argv) => {
    await using project = await tmpProject({ git: false, files });
    expect(testCommand(project.dir, undefined, node)).toMatchObject(argv ? { argv } : { unknown: expect.any(String) });
  });

  test("is what the settings say", async () => {
    await using project = await tmpProject({ git: false, files: script("vitest run") });
    expect(testCommand(project.dir, { command: ["just", "test"] }, node)).toMatchObject({ argv: ["just", "test"] });
  });

  test.each<[string, Record<string, string>, string]>([
    ["itself", { test: "vitest run", build: "vite build" }, "test: vitest run"],
    [
      "what goes before and after it",
      { pretest: "a", test: "b", posttest: "c", preb: "d" },
      "test: b; pretest: a; posttest: c",
    ],
    [
      "what it calls, and what that calls",
      { test: "npm run -s unit && pnpm e2e", unit: "bun run test", e2e: "playwright test" },
      "test: npm run -s unit && pnpm e2e; unit: bun run test; e2e: playwright test",
    ],
  ])("knows the text of the scripts it runs: %s", async (_, scripts, text) => {
    await using project = await tmpProject({ git: false, files: { "package.json": JSON.stringify({ scripts }) } });
    expect(testCommand(project.dir, undefined, node)).toMatchObject({ script: text });
    expect(settledTests(project.dir, { command: ["npm", "run", "test"] }, node)).toEqual({
      testCommand: { argv: ["npm", "run", "test"], script: text, setBy: "settings" },
    });
    expect(settledTests(project.dir, undefined, node)).toMatchObject({ testCommand: { setBy: "stack" } });
  });

  test.each([
    ["its recipe", ["make", "test"], "Makefile"],
    ["a script of the project", ["sh", "scripts/check.sh"], "scripts/check.sh"],
    ["a script that package.json calls", ["npm", "test"], "scripts/check.sh"],
  ])("has a definition that changes with %s, and not with a test", async (_, command, file) => {
    const files = {
      Makefile: "test:\n\tpytest\n",
      "scripts/check.sh": "pytest\n",
      "test/a.sh": "",
      ...script("sh scripts/check.sh test/a.sh"),
    };
    await using project = await tmpProject({ git: false, files });
    const definition = () => settledTests(project.dir, { command }, node).testCommand?.definition;
    const before = definition();
    expect(before).toMatch(/^sha256:/);
    await project.write("test/a.sh", "exit 0");
    expect(definition()).toBe(before);
    await project.write(file, "true\n");
    expect(definition()).not.toBe(before);
  });

  test("of composer is what its scripts say, not which packages the project uses", async () => {
    await using project = await tmpProject({ git: false, files: { "composer.json": { scripts: { test: ["a"] } } } });
    const definition = () => settledTests(project.dir, { command: ["composer", "test"] }, node).testCommand?.definition;
    const before = definition();
    await project.write("composer.json", JSON.stringify({ require: { "a/b": "1" }, scripts: { test: ["a"] } }));
    expect(definition()).toBe(before!);
    await project.write("composer.json", JSON.stringify({ scripts: { test: ["true"] } }));
    expect(definition()).not.toBe(before!);
  });

  test("is not settled while there are no tests yet", async () => {
    await using project = await tmpProject({ git: false, files: { "package.json": "{}" } });
    expect(settledTests(project.dir, undefined, node)).toEqual({});
  });
});
