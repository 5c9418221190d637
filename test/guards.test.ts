// The architecture guards are worth something only if they bite: each test plants one violation in a copy of the repository.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);
let copy: string;

beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), "guards-")));
  for (const file of trackedFiles()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  Bun.spawnSync(["git", "init", "-q"], { cwd: copy });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("an untouched copy passes Biome, so what is found below was planted", () => {
  expect(plant({})).toEqual({ exitCode: 0, broken: [] });
});

describe("npm run check fails on", () => {
  test("an import cycle", () => {
    const result = plant({
      "packages/durable-files/src/planted-a.ts": `import { b } from "./planted-b.ts";\n\nexport const a = (): number => b();\n`,
      "packages/durable-files/src/planted-b.ts": `import { a } from "./planted-a.ts";\n\nexport const b = (): number => a();\n`,
    });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/suspicious/noImportCycles"] });
  });

  test("a barrel", () => {
    const result = plant({
      "packages/durable-files/src/planted.ts": `export { DurableError } from "./errors.ts";\n`,
    });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/performance/noBarrelFile"] });
  });

  test("a barrel that re-exports everything", () => {
    const result = plant({ "packages/durable-files/src/planted.ts": `export * from "./errors.ts";\n` });
    expect(result).toEqual({
      exitCode: 1,
      broken: ["lint/performance/noBarrelFile", "lint/performance/noReExportAll"],
    });
  });

  test("the Bun global in product code", () => {
    const result = plant({ "packages/workflows/src/planted.ts": `export const version: string = Bun.version;\n` });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/style/noRestrictedGlobals"] });
  });

  test("a bun module in product code", () => {
    const result = plant({
      "packages/durable-files/src/planted.ts": `import { file } from "bun";\n\nexport const read: unknown = file;\n`,
    });
    expect(result.exitCode).toBe(1);
    expect(result.broken).toContain("lint/style/noRestrictedImports");
  });

  test("a workspace import that package.json does not declare", () => {
    const result = plant({
      "packages/durable-files/src/planted.ts": `import type { Entity } from "@atomic/workflows/entity";\n\nexport type Planted = Entity;\n`,
    });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/correctness/noUndeclaredDependencies"] });
  });

  test("a package in product code that is there for tests only", () => {
    const result = plant({
      "packages/durable-files/src/planted.ts": `import fc from "fast-check";\n\nexport const planted: unknown = fc;\n`,
    });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/correctness/noUndeclaredDependencies"] });
  });

  test("another package's files by a relative path", () => {
    const result = plant({
      "packages/workflows/src/planted.ts": `import { lock } from "../../durable-files/dist/lock/lock.js";\n\nexport const planted: unknown = lock;\n`,
    });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/style/noRestrictedImports"] });
  });

  test("a cycle over three files", () => {
    const next = (name: string, from: string) =>
      `import { ${from} } from "./planted-${from}.ts";\n\nexport const ${name} = (): number => ${from}();\n`;
    const result = plant({
      "packages/testing/src/planted-a.ts": next("a", "b"),
      "packages/testing/src/planted-b.ts": next("b", "c"),
      "packages/testing/src/planted-c.ts": next("c", "a"),
    });
    expect(result).toEqual({ exitCode: 1, broken: ["lint/suspicious/noImportCycles"] });
  });

  test("the test bench in product code", () => {
    const result = plant({
      "packages/workflows/src/planted.ts": `import { tmpProject } from "@atomic/testing/project";\n\nexport const planted: unknown = tmpProject;\n`,
    });
    expect(result.exitCode).toBe(1);
    expect(result.broken).toContain("lint/style/noRestrictedImports");
  });
});

/** Writes the files into the copy, runs the real `npm run check` there, takes them away again. */
function plant(files: Record<string, string>): { exitCode: number; broken: string[] } {
  const planted = Object.entries(files).map(([file, text]) => [join(copy, file), text] as const);
  for (const [path, text] of planted) writeFileSync(path, text);
  try {
    // Biome is the first command of the script, so a violation ends it there. The clean copy needs no second run of the rest.
    const command =
      planted.length > 0 ? ["npm", "run", "check", "--ignore-scripts"] : ["node_modules/.bin/biome", "check", "."];
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: copy });
    const rules = `${stdout}${stderr}`.match(/lint\/\w+\/\w+/g) ?? [];
    return { exitCode, broken: [...new Set(rules)].sort() };
  } finally {
    for (const [path] of planted) rmSync(path);
  }
}

function trackedFiles(): string[] {
  const listed = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root });
  const present = listed.stdout.toString().split("\0").filter(Boolean);
  return present.filter((file) => Bun.spawnSync(["test", "-f", join(root, file)]).exitCode === 0);
}
