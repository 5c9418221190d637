import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { delimiter } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { missingProgram } from "../../src/plugin/doctor/missing-program.ts";

test.each<[words: string, script: string | undefined, missing: string | undefined]>([
  ["sh check.sh", undefined, undefined],
  ["no-such-program test", undefined, "no-such-program"],
  ["./gradlew test", undefined, "./gradlew"],
  ["bin/mvnw test", undefined, undefined],
  ["npm test", "test: jest --ci", undefined],
  ["npm test", "test: A=b vitest run", "vitest"],
  ["npm test", "pretest: whatever it takes; test: vitest run", "vitest"],
  ["npm test", "test: npx vitest run", undefined],
  ["npm test", "test: node node_modules/vitest/vitest.mjs run", "node_modules/vitest/vitest.mjs"],
  ["npm test", "test: node --test", undefined],
  ["npm test", "test: cd app && vitest run", undefined],
  ["npm test", 'test: "$RUNNER" jest', undefined],
])("%s (%s)", async (words, script, missing) => {
  await using project = await tmpProject({
    files: { "check.sh": "", "bin/mvnw": "", "app/package.json": "{}", "node_modules/.bin/jest": "" },
  });
  for (const file of ["bin/mvnw", "node_modules/.bin/jest"]) await chmod(project.path(file), 0o755);
  for (const program of ["npm", "npx", "node", "sh"]) await project.write(`path/${program}`, "");
  const argv = words.split(" ") as [string, ...string[]];
  expect(await missingProgram({ argv, script }, project.dir, project.path("path"))).toBe(missing);
  // What is installed above a package is found in it.
  if (script === "test: jest --ci")
    expect(await missingProgram({ argv, script }, project.path("app"), project.path("path"))).toBe(undefined);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) console.warn("skipped: python3 is not installed, so Python modules are not looked for");
test.skipIf(!hasPython)("a Python module is looked for, and not imported", async () => {
  await using project = await tmpProject({ files: { "own/__init__.py": "open('imported', 'w')\n" } });
  const path = process.env.PATH ?? "";
  const missing = async (...words: string[]) =>
    await missingProgram({ argv: ["python3", ...words] }, project.dir, [path, "/nowhere"].join(delimiter));
  expect(await missing("-I", "-S", "-m", "pytest", "-q")).toBe("the Python module pytest");
  expect(await missing("-B", "-m", "unittest", "discover")).toBe(undefined);
  expect(await missing("-m", "own.tests")).toBe(undefined);
  await expect(project.read("imported")).rejects.toThrow();
});
