// `npm start` and `npm test` begin with scripts/build.mjs. It runs here on a small repository of the same shape.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);
const notANumber = `export const planted: number = "not a number";\n`;
let repository: string;

beforeAll(() => {
  repository = realpathSync(mkdtempSync(join(tmpdir(), "build-")));
  for (const file of ["scripts/build.mjs", "tsconfig.base.json"]) cpSync(join(root, file), inside(file));
  symlinkSync(join(root, "node_modules"), inside("node_modules"));
  for (const name of ["hugo", "magnus-opus", "testing"]) {
    write(`packages/${name}/package.json`, JSON.stringify({ name, type: "module", private: name === "testing" }));
    write(`packages/${name}/tsconfig.json`, JSON.stringify(compiled));
    write(`packages/${name}/src/runs.ts`, "export const runs: boolean = true;\n");
    write(`packages/${name}/bundle.mjs`, `await Bun.write(import.meta.dirname + "/dist/bundle.js", "");\n`);
  }
  write("tsconfig.json", JSON.stringify({ files: [], references: [{ path: "packages/hugo/test" }] }));
  write("packages/hugo/test/tsconfig.json", JSON.stringify({ extends: "../../../tsconfig.base.json", include: ["."] }));
});

afterAll(() => rmSync(repository, { recursive: true, force: true }));

test("what runs is compiled and bundled, whatever the tests and the test bench look like", async () => {
  write("packages/hugo/test/planted.ts", notANumber);
  write("packages/testing/src/planted.ts", notANumber);
  expect(build()).toEqual({ exitCode: 0, output: "" });
  for (const name of ["hugo", "magnus-opus"]) {
    const made = (await readdir(inside(`packages/${name}/dist`))).filter((file) => file.endsWith(".js"));
    expect(made.toSorted()).toEqual(["bundle.js", "runs.js"]);
  }
  expect(existsSync(inside("packages/testing/dist"))).toBe(false);
});

test("a type error in what runs stops the build", () => {
  write("packages/magnus-opus/src/planted.ts", notANumber);
  const { exitCode, output } = build();
  expect(output).toContain("packages/magnus-opus/src/planted.ts(1,14): error TS2322");
  expect(exitCode).toBe(1);
});

test("the check reads every project of the repository, tests too", async () => {
  const patterns = ["*/tsconfig.json", "packages/*/tsconfig.json", "packages/*/test/tsconfig.json"];
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  const { references } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8")) as {
    references: { path: string }[];
  };
  expect(references.map(({ path }) => path).toSorted()).toEqual(files.map((file) => dirname(file)).toSorted());
});

const compiled = {
  extends: "../../tsconfig.base.json",
  compilerOptions: { rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/tsconfig.tsbuildinfo" },
  include: ["src"],
};

function build(): { exitCode: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["node", "scripts/build.mjs"], { cwd: repository });
  return { exitCode, output: `${stdout}${stderr}` };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(inside(file)), { recursive: true });
  writeFileSync(inside(file), text);
}

function inside(file: string): string {
  return join(repository, file);
}
