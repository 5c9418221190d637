// The architecture guards are worth something only if they bite: each test is about one violation that is planted in a copy of the repository.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);

const next = (name: string, from: string) =>
  `import { ${from} } from "./planted-${from}.ts";\n\nexport const ${name} = (): number => ${from}();\n`;

/** By what it is: the files that commit it, each in a place of its own, and the rules that say so. */
const violations: Readonly<Record<string, { files: Readonly<Record<string, string>>; rules: readonly string[] }>> = {
  "an import cycle": {
    files: {
      "packages/durable-files/src/planted-a.ts": next("a", "b"),
      "packages/durable-files/src/planted-b.ts": next("b", "a"),
    },
    rules: ["lint/suspicious/noImportCycles"],
  },
  "a cycle over three files": {
    files: {
      "packages/testing/src/planted-a.ts": next("a", "b"),
      "packages/testing/src/planted-b.ts": next("b", "c"),
      "packages/testing/src/planted-c.ts": next("c", "a"),
    },
    rules: ["lint/suspicious/noImportCycles"],
  },
  "a barrel": {
    files: { "packages/durable-files/src/planted-barrel.ts": `export { DurableError } from "./errors.ts";\n` },
    rules: ["lint/performance/noBarrelFile"],
  },
  "a barrel that re-exports everything": {
    files: { "packages/durable-files/src/planted-everything.ts": `export * from "./errors.ts";\n` },
    rules: ["lint/performance/noBarrelFile", "lint/performance/noReExportAll"],
  },
  "the Bun global in product code": {
    files: { "packages/workflows/src/planted-global.ts": `export const version: string = Bun.version;\n` },
    rules: ["lint/style/noRestrictedGlobals"],
  },
  "a bun module in product code": {
    files: {
      "packages/durable-files/src/planted-bun.ts": `import { file } from "bun";\n\nexport const read: unknown = file;\n`,
    },
    rules: ["lint/style/noRestrictedImports"],
  },
  "a workspace import that package.json does not declare": {
    files: {
      "packages/durable-files/src/planted-undeclared.ts": `import type { Entity } from "@atomic/workflows/entities";\n\nexport type Planted = Entity;\n`,
    },
    rules: ["lint/correctness/noUndeclaredDependencies"],
  },
  "a package in product code that is there for tests only": {
    files: {
      "packages/durable-files/src/planted-tests.ts": `import fc from "fast-check";\n\nexport const planted: unknown = fc;\n`,
    },
    rules: ["lint/correctness/noUndeclaredDependencies", "lint/style/noRestrictedImports"],
  },
  "a package for tests in a program that bundles its development dependencies": {
    files: {
      "packages/hugo/src/planted-tests.ts": `import fc from "fast-check";\n\nexport const planted: unknown = fc;\n`,
    },
    rules: ["lint/style/noRestrictedImports"],
  },
  "a package in such a program that package.json does not declare at all": {
    files: {
      "packages/hugo/src/planted-undeclared.ts": `import { z } from "zod";\n\nexport const planted: unknown = z;\n`,
    },
    rules: ["lint/correctness/noUndeclaredDependencies"],
  },
  "another package's files by a relative path": {
    files: {
      "packages/workflows/src/planted-relative.ts": `import { lock } from "../../durable-files/dist/lock/lock.js";\n\nexport const planted: unknown = lock;\n`,
    },
    rules: ["lint/style/noRestrictedImports"],
  },
  "the test bench in product code": {
    files: {
      "packages/terminal/src/planted-bench.ts": `import { tmpProject } from "@atomic/testing/project";\n\nexport const planted: unknown = tmpProject;\n`,
    },
    rules: ["lint/correctness/noUndeclaredDependencies", "lint/style/noRestrictedImports"],
  },
  "the test bench in a package that bundles its development dependencies": {
    files: {
      "packages/workflows/src/planted-bench.ts": `import { tmpProject } from "@atomic/testing/project";\n\nexport const planted: unknown = tmpProject;\n`,
    },
    rules: ["lint/style/noRestrictedImports"],
  },
};
const planted = Object.assign({}, ...Object.values(violations).map(({ files }) => files)) as Record<string, string>;

let copy: string;
let check: { exitCode: number; output: string; errors: readonly { file: string; rule: string }[] };

beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), "guards-")));
  for (const file of trackedFiles()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  Bun.spawnSync(["git", "init", "-q"], { cwd: copy });
  for (const [file, text] of Object.entries(planted)) writeFileSync(join(copy, file), text);
  check = runCheck();
}, 120_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("npm run check ends with Biome, which finds fault with nothing but what was planted", () => {
  const files = new Set(check.errors.map(({ file }) => file));
  expect([...files].sort()).toEqual(Object.keys(planted).sort());
  const [, found] = /Found (\d+) errors?\./.exec(check.output) ?? [];
  expect({ exitCode: check.exitCode, found: Number(found) }).toEqual({ exitCode: 1, found: check.errors.length });
});

describe("npm run check fails on", () => {
  for (const [what, { files, rules }] of Object.entries(violations)) {
    test(what, () => {
      const broken = check.errors.filter(({ file }) => Object.hasOwn(files, file)).map(({ rule }) => rule);
      expect([...new Set(broken)].sort()).toEqual([...rules]);
    });
  }
});

/**
 * One run for all violations, because it takes seconds: one error is enough for it to fail, so each of them is. What it
 * only warns about does not count. Biome is the first command of the script, so the others do not run.
 */
function runCheck(): typeof check {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["npm", "run", "check", "--ignore-scripts"], { cwd: copy });
  const output = `${stdout}${stderr}`;
  const reports = output.matchAll(/^(\S+?)(?::\d+:\d+)? (\S+) (?:FIXABLE )?━+\n\n {2}×/gm);
  return { exitCode, output, errors: [...reports].map(([, file = "", rule = ""]) => ({ file, rule })) };
}

function trackedFiles(): string[] {
  const listed = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root });
  const known = listed.stdout.toString().split("\0").filter(Boolean);
  return known.filter((file) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile());
}
