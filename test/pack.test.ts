// `npm run pack`: a fit package passes, and every check notices what it is there for. One small package stands for ours.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { checkPackage, unpackedPackage } from "../scripts/release/check-package.ts";
import { inOrder, type PublicPackage } from "../scripts/release/packages.ts";
import { absoluteLinks, relativeLinks } from "../scripts/release/readme-links.ts";
import { repositoryAddress } from "../scripts/release/repository.ts";

setDefaultTimeout(240_000);

const root = dirname(import.meta.dir);
const license = readFileSync(join(root, "LICENSE"), "utf8");
const bun = process.execPath;

describe("npm run pack", () => {
  let project: Project;
  let printed: { exitCode: number; stdout: string; stderr: string };
  const names = ["atomic-cli", "atomic-workflows", "hugo-pm", "magnus-opus"].map((name) => `${name}-0.1.0.tgz`);

  beforeAll(async () => {
    await bundlePackages("hugo-pm", "magnus-opus", "@atomic/cli", "@atomic/workflows");
    project = await tmpProject({ git: false });
    await project.write("tarballs/hugo-pm-0.0.9.tgz", "of an earlier version");
    printed = pack(project.path("tarballs"));
  });
  afterAll(() => project[Symbol.asyncDispose]());

  test("writes every tarball in publishing order and finds nothing wrong", () => {
    expect({ exitCode: printed.exitCode, stderr: printed.stderr }).toEqual({ exitCode: 0, stderr: "" });
    const packed = [...printed.stdout.matchAll(/^(\S+) +0\.1\.0 /gm)].map(([, name]) => name);
    expect(packed.slice(0, 2)).toEqual(["@atomic/workflows", "@atomic/cli"]);
    expect(packed).toEqual(expect.arrayContaining(["hugo-pm", "magnus-opus"]));
    expect(readdirSync(project.path("tarballs")).toSorted()).toEqual(expect.arrayContaining(names));
    expect(existsSync(project.path("tarballs/hugo-pm-0.0.9.tgz"))).toBe(false);
    expect(printed.stdout).toContain('Before a release: package.json: "repository.url" is still a placeholder.');
  });

  test("a tarball's README and metadata lead to the repository, at the release", async () => {
    await project.run(["tar", "-xf", project.path("tarballs/hugo-pm-0.1.0.tgz")]);
    expect(await project.read("package/README.md")).toContain(
      "(https://repository.invalid/atomic-stack/blob/v0.1.0/docs/guide/install-and-trust.md)",
    );
    expect(await project.json("package/package.json")).toMatchObject({
      repository: { url: "git+https://repository.invalid/atomic-stack.git", directory: "packages/hugo" },
      bugs: { url: "https://repository.invalid/atomic-stack/issues" },
      os: ["!win32"],
      publishConfig: { access: "public", provenance: true },
    });
  });

  test.each([["notes.md"], ["unpacked/notes.md"], ["left-pad-1.3.0.tgz"], ["hugo-pm-0.1.0.tgz/notes.md"]])(
    "a folder with %s is refused and left alone",
    async (path) => {
      const folder = `mine-${path.replace("/", "-")}`;
      await project.write(`${folder}/${path}`, "mine");
      await project.write(`${folder}/atomic-cli-0.0.9.tgz`, "ours");
      const { exitCode, stdout, stderr } = pack(project.path(folder));
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      const [other] = path.split("/");
      expect(stderr).toContain(`contains files other than our tarballs (${other}), which packing would delete.`);
      expect(await project.read(`${folder}/${path}`)).toBe("mine");
    },
  );

  test.each([["--force"], ["--dry-run"]])("%s is refused, and nothing is packed", (flag) => {
    const { exitCode, stderr, stdout } = pack(flag);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining(`Unexpected argument "${flag}".`),
    });
  });
});

test("no package can be published from its folder", async () => {
  await using project = await tmpProject({ git: false });
  for (const folder of ["atomic", "hugo", "magnus-opus", "workflows"]) {
    // Nothing listens there: a publish that is not refused would still fail, with another message.
    const argv = ["npm", "publish", "--registry", "http://127.0.0.1:9/"];
    const { code, stderr } = await project.run(argv, { cwd: join(root, "packages", folder) });
    expect({ folder, code, stderr }).toEqual({
      folder,
      code: 1,
      stderr: expect.stringContaining("`npm run release` publishes them (CONTRIBUTING.md), never this folder."),
    });
  }
});

const manifest = {
  name: "small",
  version: "1.0.0",
  description: "A small package.",
  keywords: ["small"],
  license: "MIT",
  author: "us",
  homepage: "https://repository.invalid/small#readme",
  repository: { type: "git", url: "git+https://repository.invalid/small.git" },
  bugs: { url: "https://repository.invalid/small/issues" },
  type: "module",
  engines: { node: ">=20.19" },
  os: ["!win32"],
  exports: { ".": "./dist/index.js", "./package.json": "./package.json" },
  dependencies: { yaml: "2.9.1" },
  publishConfig: { access: "public" },
};
const readme = "# small\n\n```sh\nnpm install small\n```\n\n[docs](https://repository.invalid/small)\n";
const small: Readonly<Record<string, FileContent>> = {
  "package.json": manifest,
  LICENSE: license,
  "README.md": readme,
  "THIRD-PARTY-LICENSES": "zod 4.6.7 (MIT)\n",
  "dist/index.js": 'export { parse } from "yaml";\n',
  "dist/index.d.ts": "export declare function parse(text: string): unknown;\n",
};

describe("a tarball is refused", () => {
  const { engines: _engines, ...withoutEngines } = manifest;
  const faults: readonly (readonly [string, Readonly<Record<string, FileContent | undefined>>, string])[] = [
    ["with sources beside what is built", { "src/index.ts": "" }, "src/index.ts is there for development only"],
    ["with source maps", { "dist/index.js.map": "{}" }, "dist/index.js.map is there for development only"],
    ["without our license", { LICENSE: undefined }, "LICENSE is missing"],
    ["with another license", { LICENSE: "All rights reserved\n" }, "LICENSE is not the repository's"],
    [
      "with bundled code under a license that we have not accepted",
      { "THIRD-PARTY-LICENSES": "gnu 1.0.0 (GPL-3.0)\n" },
      "the license of gnu is GPL-3.0, which is not on our list",
    ],
    ["with a path of this machine", { "dist/more.js": `"${root}/x"` }, "dist/more.js contains a path of this machine"],
    ["that is private", { "package.json": { ...manifest, private: true } }, '"private" must not be published'],
    ["without metadata", { "package.json": withoutEngines }, 'package.json: "engines" is missing'],
    [
      "with a dependency that is already in the bundle",
      { "dist/index.js": "export const parse = () => 1;\n" },
      'no file imports "yaml"',
    ],
    [
      "with a link that needs the repository",
      { "README.md": `${readme}[x](../../docs/x.md)\n` },
      "../../docs/x.md works only",
    ],
    ["without a line that installs it", { "README.md": "# small\n" }, "it does not say how to install small"],
    ["without types", { "dist/index.d.ts": undefined }, 'types: "." has none'],
    [
      "with types for another kind of module",
      {
        "package.json": { ...manifest, exports: { ".": { types: "./dist/index.d.cts", default: "./dist/index.js" } } },
        "dist/index.d.cts": "export declare function parse(text: string): unknown;\n",
      },
      "dist/index.d.cts: FalseCJS",
    ],
    ["whose exports lead nowhere", { "dist/index.js": undefined }, "publint: "],
    ["with a command that is not a program", { "package.json": { ...manifest, bin: { s: "b.js" } } }, "b.js is not a"],
    [
      "with too many files",
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`dist/${at}.txt`, ""])),
      "the limit is 100",
    ],
  ];

  test("only for a reason", async () => {
    expect(await problemsOf(small)).toEqual([]);
  });

  test.each(faults)("%s", async (_what, change, problem) => {
    const problems = await problemsOf({ ...small, ...change });
    expect(problems.join("\n")).toContain(problem);
  });
});

describe("links of a README", () => {
  const kinds: Readonly<Record<string, "file" | "folder">> = { "docs/a.md": "file", bench: "folder", "x.svg": "file" };
  const target = { repository: "https://h/r", ref: "v1", folder: "packages/p", kindOf: (path: string) => kinds[path] };

  test.each([
    ["[a](../../docs/a.md#top)", "[a](https://h/r/blob/v1/docs/a.md#top)", []],
    ["[b](../../bench)", "[b](https://h/r/tree/v1/bench)", []],
    ["![c](../../x.svg)", "![c](https://h/r/raw/v1/x.svg)", []],
    ["[d](#here) [e](https://else/)", "[d](#here) [e](https://else/)", []],
    ["[`f`](../../docs/gone.md)", "[`f`](../../docs/gone.md)", ["../../docs/gone.md"]],
    ["```md\n[g](../../docs/a.md)\n```", "```md\n[g](../../docs/a.md)\n```", []],
  ])("%s", (markdown, text, dead) => {
    expect(absoluteLinks(markdown, target)).toEqual({ text, dead });
    expect(relativeLinks(text)).toEqual(dead);
  });
});

test("a package is published after the packages it depends on", () => {
  const pkg = (name: string, ...needs: string[]): PublicPackage => ({
    name,
    source: name,
    built: name,
    manifest: { name, version: "1.0.0", dependencies: Object.fromEntries(needs.map((each) => [each, "1.0.0"])) },
  });
  const names = (...packages: PublicPackage[]): string[] => inOrder(packages).map(({ name }) => name);
  expect(names(pkg("cli", "library", "yaml"), pkg("other"), pkg("library"))).toEqual(["library", "cli", "other"]);
  expect(() => names(pkg("a", "b"), pkg("b", "a"))).toThrow("a → b → a: no order to publish these.");
});

test.each([
  ["git+https://repository.invalid/ours.git", true],
  ["https://code.example/ours", false],
])("%s is a placeholder: %j", (url, isPlaceholder) => {
  expect(repositoryAddress({ repository: { url } }).isPlaceholder).toBe(isPlaceholder);
});

async function problemsOf(files: Readonly<Record<string, FileContent | undefined>>): Promise<string[]> {
  await using project = await tmpProject({ git: false });
  for (const [path, content] of Object.entries(files))
    if (content !== undefined) await project.write(`package/${path}`, content);
  await project.run(["tar", "-czf", "small.tgz", "package"]);
  const tarball = readFileSync(project.path("small.tgz"));
  return await checkPackage(await unpackedPackage(project.path("package"), tarball), root);
}

function pack(...args: readonly string[]): { exitCode: number; stdout: string; stderr: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([bun, "scripts/pack.ts", ...args], { cwd: root });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}
