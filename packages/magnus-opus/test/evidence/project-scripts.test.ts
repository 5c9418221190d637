// Commands whose output says less than it seems: the runner did not start, or a file of the project prints what it likes.
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { type Project, tmpProject } from "@atomic/testing/project";
import { evidenceOf, runTests } from "../../src/evidence/run-tests.ts";
import { isDecidedByProject, settledTests, testCommand } from "../../src/evidence/test-command.ts";
import { isRed, type TestEvidence, testVerdict } from "../../src/run/evidence.ts";
import { packageStack } from "../stacks/package-stack.ts";

type Tests = Parameters<typeof testCommand>[1];

/** What a run that begins now settles, and a function that runs the tests as the plugin does. */
function begin(project: Project, stackName: "python" | "node" | "generic", tests?: Tests) {
  const stack = packageStack(stackName);
  const { testCommand: settled } = settledTests(project.dir, tests, stack);
  const run = async (): Promise<TestEvidence> => {
    const command = testCommand(project.dir, tests, stack);
    if ("unknown" in command) throw new Error(command.unknown);
    const proof = evidenceOf(await runTests({ ...command, project: project.dir, env: project.env }));
    if ("nothing" in proof) throw new Error(proof.nothing);
    return proof.evidence;
  };
  const verdict = (...evidence: TestEvidence[]) =>
    testVerdict(evidence, { tree: evidence.at(-1)!.tree, skippedTests: "allow", testCommand: settled });
  return { settled, run, verdict };
}

describe("a runner that could not start shows no failing test", () => {
  const noSummary = "the tests exited with code 1 and printed no summary, so no test ran";

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  if (!hasPython) console.warn("skipped: python3 is not installed, so a missing pytest is not tested");
  test.skipIf(!hasPython)("python3 -m pytest without pytest", async () => {
    await using project = await tmpProject({
      files: { "pyproject.toml": "", "tests/test_old.py": "def test_old(): pass\n" },
    });
    // -I and -S: without the packages that are installed here.
    const { run, verdict, settled } = begin(project, "python", { command: ["python3", "-I", "-S", "-m", "pytest"] });
    const ran = await run();
    expect([ran.exit, isRed(ran, settled)]).toEqual([{ kind: "code", code: 1 }, false]);
    expect(verdict(ran)).toEqual({ passed: false, because: noSummary });
  });

  test.each(["node --test missing.mjs", "node node_modules/vitest/vitest.mjs run"])("npm test: %s", async (script) => {
    await using project = await tmpProject({
      files: { "package.json": { scripts: { test: script } }, "a.test.mjs": "" },
    });
    const { run, verdict, settled } = begin(project, "node");
    const ran = await run();
    expect([ran.exit, isRed(ran, settled)]).toEqual([{ kind: "code", code: 1 }, false]);
    expect(verdict(ran)).toEqual({ passed: false, because: noSummary });
  });
});

describe("a script of the project stays what it was, whatever its name", () => {
  const jest = (failed: number) =>
    `#!/bin/sh\nprintf 'Test Suites: 1 total\\nTests:       ${failed} failed, 3 passed, 3 total\\nSnapshots:   0 total\\nTime:        1 s\\n'\nexit ${failed}\n`;
  const gradle = (failed: number) =>
    `#!/bin/sh\necho '3 tests completed${failed === 0 ? "" : `, ${failed} failed`}'\nexit ${failed}\n`;

  test.each<[string, string, (failed: number) => string, Tests]>([
    ["sh scripts/jest.sh", "scripts/jest.sh", jest, { command: ["sh", "scripts/jest.sh"] }],
    ["./gradlew test", "gradlew", gradle, undefined],
    [
      "make jest",
      "Makefile",
      (failed) => `jest:\n\t@printf '${jest(failed).split("'")[1]}'; exit ${failed}\n`,
      { command: ["make", "jest"] },
    ],
  ])("%s", async (words, file, text, tests) => {
    await using project = await tmpProject({ files: { [file]: text(1), "build.gradle": "", "a.test.ts": "" } });
    await chmod(project.path(file), 0o755);
    const { run, verdict, settled } = begin(project, "generic", tests);
    const before = await run();
    expect([isRed(before, settled), before.counts?.failed]).toEqual([true, 1]);
    await project.write(file, text(0));
    await chmod(project.path(file), 0o755);
    const because = `what ${words} does has changed since the run began: restore its recipe or script, or have the user waive all_tests_pass`;
    expect(verdict(before, await run())).toEqual({ passed: false, because });
  });
});

test("which commands leave it to the project's files what prints the summary", async () => {
  await using project = await tmpProject({
    files: Object.fromEntries(
      ["scripts/jest.sh", "scripts/run.mjs", "gradlew", "setup.mjs", "jest.config.js", "shop.mjs", "manage.py"].map(
        (path) => [path, ""],
      ),
    ),
  });
  const isDecided = (words: string, script?: string) =>
    isDecidedByProject(project.dir, { argv: words.split(" "), script });
  const theirs = ["sh scripts/jest.sh", "./gradlew test", "node scripts/run.mjs --test", "make jest", "just pytest"];
  const more = ["composer phpunit", "deno task test", "python3 manage.py test", "sh -c scripts/jest.sh", "make test"];
  for (const words of [...theirs, ...more]) expect([words, isDecided(words)]).toEqual([words, true]);
  const runners = ["python3 -m pytest", "npx jest --config jest.config.js", "node --test shop.mjs", "go test ./..."];
  const others = ["node --import ./setup.mjs --test", "deno test", "bun test", "gradle test", ".venv/bin/pytest"];
  for (const words of [...runners, ...others]) expect([words, isDecided(words)]).toEqual([words, false]);
  expect(isDecided("npm run jest", "jest: node scripts/run.mjs")).toBe(true);
  expect(isDecided("npm run jest", "jest: vitest run")).toBe(false);
  expect(isDecided("npm test", "test: A=b node scripts/run.mjs && jest --ci")).toBe(false);
});
