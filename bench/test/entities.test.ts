import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { writeProgram } from "../entities/program.ts";
import { sampleFile } from "../entities/sample-file.ts";

const script = join(import.meta.dirname, "../entities/load.mjs");
const fixtures = join(import.meta.dirname, "../entities/fixtures.ts");
const growth = join(import.meta.dirname, "../entities-growth.bench.ts");

describe.each(["claude-command", "claude-agent", "claude-skill", "opencode-command"] as const)(
  "a sample %s",
  (kind) => {
    const samples = Array.from({ length: 50 }, (_, index) => sampleFile(kind, index));
    const yamlOf = (text: string): string => text.slice(4, text.indexOf("\n---\n", 4) + 1);

    test("is a file of 2 kB, of which 15 lines are frontmatter", () => {
      expect(new Set(samples.map(({ length }) => length))).toEqual(new Set([2048]));
      expect(new Set(samples.map((text) => yamlOf(text).split("\n").length - 1))).toEqual(new Set([15]));
    });

    test("is valid, and has a name of its own", () => {
      const names = samples.map((text) => parse(yamlOf(text)).name);
      expect(new Set(names).size).toBe(samples.length);
    });
  },
);

describe.each([["node"], [process.execPath]])("on %s", (runtime) => {
  const jobs = ["atomic", "gray-matter", "js-yaml", "yaml", "read", "read-promises"];

  test.each(jobs)("%s finds every file, and would say so if it did not", async (job) => {
    await using project = await written(12);
    const run = (count: string): number => Bun.spawnSync([runtime, script, job, project.path, count]).exitCode;
    expect(run("12")).toBe(0);
    expect(run("13")).toBe(1);
  });
});

test("what is measured is the package as it is published", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-program-"));
  try {
    const program = join(folder, "program");
    writeProgram(program);
    expect(await readFile(join(program, "load.mjs"), "utf8")).toBe(await readFile(script, "utf8"));
    const published = join(program, "node_modules/@atomic/workflows");
    expect(await readFile(join(published, "dist/entities.js"), "utf8")).toContain("registry.js");
    for (const runtime of ["node", process.execPath]) {
      await using project = await written(12);
      for (const job of ["registry", "atomic"]) {
        const { stderr } = Bun.spawnSync([runtime, join(program, "load.mjs"), job, project.path, "12"]);
        expect(stderr.toString()).toBe("");
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the files are written once, shared with children, and gone when the run is over", () => {
  const program = `
    const { pathOf, projectWith, shareFixtures } = await import(${JSON.stringify(fixtures)});
    shareFixtures();
    const first = projectWith(5);
    const child = "const f = await import(" + ${JSON.stringify(JSON.stringify(fixtures))} + "); f.shareFixtures(); console.log(f.pathOf(5))";
    const { stdout } = Bun.spawnSync([process.execPath, "-e", child], { env: process.env });
    console.log(JSON.stringify([first, projectWith(5), pathOf(5), stdout.toString().trim()]));`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
  const paths = JSON.parse(stdout.toString()) as string[];
  expect(new Set(paths).size).toBe(1);
  expect(paths).toHaveLength(4);
  expect(existsSync(paths[0]!)).toBe(false);
});

test("a quick look leaves out the project that takes longest to write", () => {
  const names = (...args: string[]): string[] => {
    const program = `const { default: { groups } } = await import(${JSON.stringify(growth)});
      console.log(JSON.stringify(groups[0].contestants.map(({ name }) => name)));`;
    return JSON.parse(Bun.spawnSync([process.execPath, "-e", program, "--", ...args]).stdout.toString());
  };
  expect(names().at(-1)).toBe("100,000 files");
  expect(names("--quick").at(-1)).toBe("10,000 files");
});

/** A project with that many files and the empty home beside it. */
async function written(count: number): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-bench-test-"));
  const program = `const f = await import(${JSON.stringify(fixtures)}); f.shareFixtures(); f.projectWith(${count});`;
  const env = { ...process.env, ENTITIES_BENCH_FOLDER: folder };
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", program], { env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  const path = join(folder, String(count));
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
