import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { tar, tarball } from "@atomic/testing/npm/tarball";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { content, fetching } from "./fetching.ts";

setDefaultTimeout(180_000);

const review = { "w/package.json": { name: "@org/review", version: "1.2.0" }, "w/agents/a.md": "mine" };

test("a folder arrives as a copy: editing one never changes the other", async () => {
  await using it = await fetching({ files: { ...review, "w/node_modules/x/y": "", "w/.git/config": "" } });
  const fetched = await it.fetch("./w");
  expect(fetched).toMatchObject({ packageName: "@org/review", version: "1.2.0", notices: [] });
  expect([...readPackageTree(fetched.folder).keys()]).toEqual(["agents/a.md", "package.json"]);
  expect(readdirSync(fetched.folder).sort()).toEqual(["agents", "package.json"]);
  expect(statSync(join(fetched.folder, "agents/a.md")).nlink).toBe(1);
  await it.project.write(join(fetched.folder, "agents/a.md"), "changed");
  expect(await it.project.read("w/agents/a.md")).toBe("mine");
});

test("a folder without package.json is called like itself and has no version yet", async () => {
  await using it = await fetching({ files: { "My Skills/skills/tdd/SKILL.md": "x" } });
  expect(await it.fetch(it.project.path("My Skills"))).toMatchObject({ packageName: "my-skills", version: "0.0.0" });
});

test.each([
  ["1.0", "1.0"],
  ["2.0.0-beta.1+build", "2.0.0-beta.1+build"],
  ["not a version", "0.0.0"],
  ["../../x", "0.0.0"],
])("a folder with the version %p has the version %s", async (written, version) => {
  await using it = await fetching({ files: { "w/package.json": { name: "w", version: written } } });
  expect(await it.fetch("./w")).toMatchObject({ version });
});

test("a package under development can be installed into itself", async () => {
  await using it = await fetching({
    files: {
      "package.json": { name: "self" },
      "agents/a.md": "",
      ".opencode/hugo.json": "{}",
      ".opencode/.hugo/store/old/node_modules/self/package.json": "{}",
    },
  });
  const into = it.project.path("staging/here");
  await it.project.write("staging/here/.keep", "");
  await it.project.remove("staging/here/.keep");
  const { folder } = await it.fetch(".", { into });
  const paths = [...readPackageTree(folder).keys()];
  expect(paths.filter((path) => !path.endsWith("package-lock.json"))).toEqual([
    ".opencode/hugo.json",
    "agents/a.md",
    "package.json",
  ]);
});

test.each([
  [["dist", "!*.map"]],
  [["dist", "!**/*.map"]],
  [["*.md", "./dist/"]],
  [["lib/*", "!lib/deep"]],
  [["dist/*.js"]],
  [["!dist", "dist"]],
  [["**/*.md"]],
  [["deep", "sub/b.js"]],
  [["lib/**/y.md", "dist/**"]],
])("a folder with files %p arrives as npm packs it", async (files) => {
  const paths =
    "dist/a.js dist/a.js.map dist/sub/b.js dist/.npmrc lib/x.md lib/.dot lib/deep/y.md lib/b.orig top.md main.js";
  const others = "src/program.js src/other.js test/t.js README.md LICENSE .npmrc .gitignore package-lock.json";
  const contents = `${paths} ${others}`.split(" ").map((path) => [`w/${path}`, ""]);
  const bin = { x: "./src/program.js" };
  const manifest = { name: "review", version: "1.0.0", main: "main.js", bin, files };
  await using it = await fetching({ files: { ...Object.fromEntries(contents), "w/package.json": manifest } });
  expect(await it.project.run(["npm", "pack", "./w", "--ignore-scripts"])).toMatchObject({ code: 0 });
  const packed = await it.fetch("./review-1.0.0.tgz", { into: it.project.path("packed") });
  const copied = await it.fetch("./w", { into: it.project.path("copied") });
  expect([...readPackageTree(copied.folder).keys()]).toEqual([...readPackageTree(packed.folder).keys()]);
});

test.each([[["{dist,lib}"]], [["../x"]], [[1]]])(
  "a folder with files %p, which only npm reads, arrives whole",
  async (files) => {
    await using it = await fetching({
      files: { "w/package.json": { name: "w", files }, "w/lib/a.js": "", "w/b.js": "" },
    });
    const { folder } = await it.fetch("./w");
    expect([...readPackageTree(folder).keys()]).toEqual(["b.js", "lib/a.js", "package.json"]);
  },
);

test("exactly the files of magnus-opus that npm packs are copied", async () => {
  const folder = join(import.meta.dir, "../../../magnus-opus");
  await using it = await fetching();
  const { stdout } = await it.project.run(["npm", "pack", folder, "--dry-run", "--json", "--ignore-scripts"]);
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  const copied = await it.fetch(folder);
  expect([...readPackageTree(copied.folder).keys()]).toEqual(files.map(({ path }) => path).sort());
});

test("links and FIFOs in a folder are left out without being opened, and that is reported", async () => {
  await using it = await fetching({ files: review });
  await it.project.run(["sh", "-c", "ln -s /etc/passwd w/passwords; ln -s /etc w/etc; mkfifo w/fifo"]);
  expect((await it.fetch("./w")).notices).toEqual(['Left out of ./w: link "etc", device "fifo", link "passwords"']);
});

test.each([
  ["./missing", 'The folder "./missing" does not exist'],
  ["./w/package.json", '"./w/package.json" is not a folder'],
  ["./missing.tgz", 'The tarball "./missing.tgz" does not exist'],
])("%s is reported as missing", async (spec, message) => {
  await using it = await fetching({ files: review });
  expect(await it.refusal(spec)).toMatchObject({ code: "package-not-found", message });
});

test.each([
  ["x.tgz", tarball],
  ["x.tar", tar],
])("a tarball %s arrives like a package of the registry", async (name, pack) => {
  const packed = pack([
    { kind: "directory", path: "top/" },
    { path: "top/package.json", content: '{"name":"review","version":"2.0.0"}' },
    { path: "top/agents/a.md", content: "packed" },
    { path: "beside", content: "no part of it" },
  ]);
  await using it = await fetching({ files: { [name]: packed } });
  const fetched = await it.fetch(`./${name}`);
  expect(fetched).toMatchObject({ packageName: "review", version: "2.0.0" });
  expect(await content(fetched, "agents/a.md")).toBe("packed");
  expect(readdirSync(fetched.folder).sort()).toEqual(["agents", "package.json"]);
});

test.each([
  ["nothing", new Uint8Array()],
  ["text", "this is no tarball at all, ".repeat(40)],
  ["a cut one", tarball([{ path: "p/a", content: "x".repeat(5000) }]).subarray(0, 60)],
  ["cut inside of a file", tar([{ path: "p/a", content: "x".repeat(5000) }]).subarray(0, 2048)],
])("a tarball of %s is damaged, not empty", async (_what, bytes) => {
  await using it = await fetching({ files: { "x.tgz": bytes } });
  expect(await it.refusal("./x.tgz")).toMatchObject({
    code: "integrity-mismatch",
    message: expect.stringMatching(/^\.\/x\.tgz is damaged: /),
  });
});

test("a tarball with nothing in it is refused", async () => {
  await using it = await fetching({ files: { "x.tgz": tarball([]) } });
  expect(await it.refusal("./x.tgz")).toMatchObject({ code: "package-unsafe", message: "./x.tgz has no files" });
});

test("a file where another needs a folder is refused", async () => {
  const entries = [
    { path: "p/a", content: "" },
    { path: "p/a/b", content: "" },
  ];
  await using it = await fetching({ files: { "x.tgz": tarball(entries) } });
  expect(await it.refusal("./x.tgz")).toMatchObject({ code: "package-unsafe" });
});

test.each(["../evil", "con", "Upper", "@a/b/c", "__proto__", "-x", "x\u001b[31m", ""])(
  "a package that calls itself %p is refused",
  async (name) => {
    await using it = await fetching({ files: { "w/package.json": { name } } });
    expect(await it.refusal("./w")).toMatchObject({ code: "name-invalid" });
  },
);

test("a local package that is not what the lock holds is refused", async () => {
  await using it = await fetching({ files: review });
  expect(await it.fetch("./w", { exactly: { version: "1.2.0" } })).toMatchObject({ version: "1.2.0" });
  expect(await it.refusal("./w", { exactly: { version: "1.1.0" } })).toMatchObject({ code: "version-not-found" });
});

test("a folder without end is stopped", async () => {
  await using it = await fetching({ files: { ...review, "w/big": new Uint8Array(3_000_000) } });
  expect(await it.refusal("./w", {}, { files: 100, bytes: 2_000_000 })).toMatchObject({ code: "package-unsafe" });
  expect(await it.refusal("./w", {}, { files: 2, bytes: 9_000_000 })).toMatchObject({ code: "package-unsafe" });
});

test.each([
  ["üml ä", "uml-a"],
  ["Crème Brûlée", "creme-brulee"],
])("a folder %s without a package.json gives the name %s", async (folder, name) => {
  await using it = await fetching({ files: { [`${folder}/agents/a.md`]: "Text." } });
  expect((await it.fetch(`./${folder}`)).packageName).toBe(name);
});

test("a folder whose name has no letters for one says what to do", async () => {
  await using it = await fetching({ files: { "日本/agents/a.md": "Text." } });
  expect(await it.refusal("./日本")).toMatchObject({
    code: "name-invalid",
    message: 'The package has no name, and "日本" has no letters (a-z) or digits to make one from',
    hint: 'Rename it, or add a package.json with a "name".',
  });
});
