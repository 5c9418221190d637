// `npm start` and `npm test` begin with scripts/build.mjs. It runs here on a small repository of the same shape.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(120_000);

const root = dirname(import.meta.dir);
const notANumber = `export const planted: number = "not a number";\n`;
let repository: string;

beforeAll(() => {
  repository = realpathSync(mkdtempSync(join(tmpdir(), "build-")));
  for (const file of ["scripts", "tsconfig.base.json", "LICENSE"]) {
    cpSync(join(root, file), inside(file), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), inside("node_modules"));
  for (const name of ["atomic", "testing"]) {
    const manifest = { name: `@small/${name}`, type: "module", private: name === "testing" };
    write(`packages/${name}/package.json`, JSON.stringify(manifest));
    write(`packages/${name}/tsconfig.json`, JSON.stringify(compiled));
    write(`packages/${name}/src/late.ts`, `export const late: string = "late";\n`);
    write(`packages/${name}/src/main.ts`, program);
  }
  write(
    "packages/atomic/src/opencode/plugin.ts",
    `export default { id: "small", tui: async (): Promise<void> => undefined };\n`,
  );
  write("packages/atomic/src/opencode/database-source.ts", `export const late: string = "by its name";\n`);
  write("tsconfig.json", JSON.stringify({ files: [], references: [{ path: "packages/atomic/test" }] }));
  write(
    "packages/atomic/test/tsconfig.json",
    JSON.stringify({ extends: "../../../tsconfig.base.json", include: ["."] }),
  );
});

afterAll(() => rmSync(repository, { recursive: true, force: true }));

/** It imports a package of others, a slow module of the runtime and something late, and has syntax that Node 20 does not know. */
const program = `import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";

const printed = promisify(execFile);

export async function start(): Promise<void> {
  await using _held = { [Symbol.asyncDispose]: async () => undefined };
  const { late } = await import("./late.ts");
  const { stdout } = await printed(process.execPath, ["-p", "6 * 7"]);
  console.log(JSON.stringify([late, z.string().parse("parsed"), stdout.trim()]));
}
`;

test("product code is compiled and bundled, regardless of the tests and the testing package", async () => {
  write("packages/atomic/test/planted.ts", notANumber);
  write("packages/testing/src/planted.ts", notANumber);
  expect(build()).toEqual({ exitCode: 0, output: "" });
  expect(await readdir(inside("packages/atomic/dist"))).toEqual(
    expect.arrayContaining(["bundle", "main.js", "late.js"]),
  );
  expect(existsSync(inside("packages/testing/dist"))).toBe(false);
  // What is imported late is a file of its own.
  const bundle = await readdir(inside("packages/atomic/dist/bundle"));
  expect(bundle.map((name) => name.replace(/-[^.]{8}\.js$/, "")).toSorted()).toEqual([
    "database-source.js",
    "late",
    "main",
    "main.js",
    "tui.js",
  ]);
  expect(await readFile(inside("packages/atomic/THIRD-PARTY-LICENSES"), "utf8")).toMatch(/^zod \S+ \(MIT\)$/m);
  for (const runtime of ["node", process.execPath]) {
    const code = `const { start } = await import(${JSON.stringify(inside("packages/atomic/dist/bundle/main.js"))}); await start();`;
    const { stdout, stderr } = Bun.spawnSync([runtime, "--input-type=module", "-e", code]);
    expect(`${stdout}${stderr}`).toBe(`["late","parsed","42"]\n`);
  }
});

test("an earlier build's leftovers are removed when packing, and kept for a while otherwise", async () => {
  write("packages/atomic/dist/bundle/old-part.js", "");
  expect(build()).toEqual({ exitCode: 0, output: "" });
  expect(existsSync(inside("packages/atomic/dist/bundle/old-part.js"))).toBe(true);
  expect(build("@small/atomic", "--exact")).toEqual({ exitCode: 0, output: "" });
  expect(existsSync(inside("packages/atomic/dist/bundle/old-part.js"))).toBe(false);
});

test("only the functions of a slow module can be imported, and the build says what cannot", () => {
  write("packages/atomic/src/main.ts", `export { rootCertificates as start } from "node:tls";\n`);
  const { exitCode, output } = build("@small/atomic");
  expect(output).toContain('"rootCertificates" is not exported by');
  expect(exitCode).toBe(1);
  write("packages/atomic/src/main.ts", program);
});

test("a package without a license text is not bundled", () => {
  const folder = "packages/atomic/node_modules/unlicensed";
  write(`${folder}/package.json`, JSON.stringify({ name: "unlicensed", version: "1.0.0", main: "index.js" }));
  write(`${folder}/index.js`, "export const start = () => 1;\n");
  write("packages/atomic/src/main.ts", `// @ts-ignore\nexport { start } from "unlicensed";\n`);
  const { exitCode, output } = build("@small/atomic");
  expect(output).toContain("unlicensed is bundled, but");
  expect(exitCode).toBe(1);
  write("packages/atomic/src/main.ts", program);
});

test("after npm has linked the packages of a clone and they are built, `npx` runs every program", async () => {
  await bundlePackages("hugo-pm", "magnus-opus", "@atomic/cli");
  await using clone = await tmpProject({ git: false, files: { "package.json": { workspaces: ["packages/*"] } } });
  for (const name of ["hugo", "magnus-opus", "atomic"]) {
    const listed = Bun.spawnSync(["git", "ls-files", "-z"], { cwd: join(root, "packages", name) });
    for (const file of listed.stdout.toString().split("\0").filter(Boolean)) {
      const [from, to] = [join(root, "packages", name, file), clone.path(`packages/${name}/${file}`)];
      if (!/^(?:src|test)\//.test(file) && existsSync(from)) cpSync(from, to, { recursive: true });
    }
    const manifest = JSON.parse(await readFile(join(root, "packages", name, "package.json"), "utf8"));
    await clone.write(`packages/${name}/package.json`, { ...manifest, dependencies: {}, devDependencies: {} });
  }
  const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  expect(await clone.run(["npm", "install", ...flags])).toMatchObject({ code: 0 });
  const npx = (name: string) => clone.run(["npx", "--no", "--", name, "--version"]);
  const names = ["hugo-pm", "atomic", "magnus-opus"];
  for (const name of names) {
    const stderr = expect.stringContaining(" is not built yet. Run `npm run setup` in the repository.\n");
    expect(await npx(name)).toMatchObject({ code: 6, stdout: "", stderr });
  }
  for (const name of ["hugo", "magnus-opus", "atomic"]) {
    const bundle = `packages/${name}/dist/bundle`;
    cpSync(join(root, bundle), clone.path(bundle), { recursive: true });
  }
  mkdirSync(clone.path("node_modules/@atomic"), { recursive: true });
  symlinkSync(join(root, "packages/workflows"), clone.path("node_modules/@atomic/workflows"));
  for (const name of names)
    expect(await npx(name)).toMatchObject({ code: 0, stdout: expect.stringContaining("0.1.0") });
});

test("a library can be built twice at once while it is read, and only what is new is written", async () => {
  await using project = await tmpProject({ git: false });
  const to = project.path("library");
  const build = () => project.run(["node", join(root, "scripts/build.mjs"), "@atomic/workflows", `--to=${to}`]);
  expect(await build()).toMatchObject({ code: 0 });
  const files = async () => {
    const names = (await readdir(to, { recursive: true })).toSorted();
    return names.map((name) => ({ name, inode: statSync(join(to, name)).ino }));
  };
  const before = await files();
  await project.write("library/dist/left-by-an-earlier-version.js", "");
  const built = await Promise.all([build(), build()]);
  expect(built.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(2).fill({ code: 0, stderr: "" }));
  expect(await files()).toEqual(before);
  await project.write("library/README.md", "of an earlier version");
  expect(await build()).toMatchObject({ code: 0 });
  expect(await project.read("library/README.md")).toContain("# ");
});

test("a type error in what runs stops the build", () => {
  write("packages/atomic/src/planted.ts", notANumber);
  const { exitCode, output } = build();
  expect(output).toContain("packages/atomic/src/planted.ts(1,14): error TS2322");
  expect(exitCode).toBe(1);
});

test("the check reads every project of the repository, tests too", async () => {
  const patterns = [
    ...["*/tsconfig.json", "packages/*/tsconfig.json", "packages/*/test/tsconfig.json"],
    "packages/*/src/page/browser/tsconfig.json",
  ];
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

function build(...args: readonly string[]): { exitCode: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["node", "scripts/build.mjs", ...args], { cwd: repository });
  return { exitCode, output: `${stdout}${stderr}` };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(inside(file)), { recursive: true });
  writeFileSync(inside(file), text);
}

function inside(file: string): string {
  return join(repository, file);
}
