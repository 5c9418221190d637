// The tar writer, read back by the system's own tar and by the package managers.
import { expect, setDefaultTimeout, test } from "bun:test";
import { packageEntries, type TarballEntry, tarball } from "@atomic/testing/npm/tarball";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import fc from "fast-check";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

async function list(entries: readonly TarballEntry[]): Promise<string[]> {
  await using project = await tmpProject({ git: false, files: { "it.tgz": tarball(entries) }, env: { TZ: "UTC" } });
  const argv = ["tar", "-tvPzf", "it.tgz", "--numeric-owner", "--quoting-style=literal"];
  const { code, stdout, stderr } = await project.run(argv);
  if (code !== 0) throw new Error(stderr);
  return stdout.trimEnd().split("\n");
}

test("tar reads every kind of entry with its path as written", async () => {
  const lines = await list([
    { path: "package/a.md", content: "hello" },
    { path: "package/run.sh", content: "", mode: 0o755 },
    { kind: "directory", path: "package/dir/" },
    { kind: "symlink", path: "package/link", target: "/etc/passwd" },
    { kind: "hardlink", path: "package/hard", target: "../../secret" },
    { kind: "character-device", path: "package/null", major: 1, minor: 3 },
    { kind: "block-device", path: "package/disk", major: 8, minor: 0 },
    { kind: "fifo", path: "package/fifo" },
    { path: "package/../../up.txt", content: "x" },
    { path: "/tmp/absolute.txt", content: "x" },
  ]);
  expect(lines.map((line) => line.replaceAll(/ +/g, " ").replace("1985-10-26 08:15", "then"))).toEqual([
    "-rw-r--r-- 0/0 5 then package/a.md",
    "-rwxr-xr-x 0/0 0 then package/run.sh",
    "drwxr-xr-x 0/0 0 then package/dir/",
    "lrw-r--r-- 0/0 0 then package/link -> /etc/passwd",
    "hrw-r--r-- 0/0 0 then package/hard link to ../../secret",
    "crw-r--r-- 0/0 1,3 then package/null",
    "brw-r--r-- 0/0 8,0 then package/disk",
    "prw-r--r-- 0/0 0 then package/fifo",
    "-rw-r--r-- 0/0 1 then package/../../up.txt",
    "-rw-r--r-- 0/0 1 then /tmp/absolute.txt",
  ]);
});

// The length in a pax record counts its own digits: between 985 and 990 it grows from three to four.
test.each([99, 100, 101, 255, 256, 985, 986, 987, 988, 989, 990, 3000])(
  "tar reads a path of %d bytes",
  async (length) => {
    const path = `${"d/".repeat(40)}${"n".repeat(length)}`.slice(0, length);
    expect((await list([{ path, content: "x" }]))[0]).toEndWith(` ${path}`);
  },
);

test("tar reads names and link targets beyond ASCII", async () => {
  const [file, link] = await list([
    { path: "package/größe 漢字.md", content: "x" },
    { kind: "symlink", path: "package/link", target: `./${"ü".repeat(80)}` },
  ]);
  expect(file).toEndWith(" package/größe 漢字.md");
  expect(link).toEndWith(` package/link -> ./${"ü".repeat(80)}`);
});

test("package.json comes first and order of the files does not change the bytes", () => {
  const one = packageEntries({ "b.md": "b", "a.md": "a", "package.json": "{}" });
  const two = packageEntries({ "package.json": "{}", "a.md": "a", "b.md": "b" });
  expect(one.map(({ path }) => path)).toEqual(["package/package.json", "package/a.md", "package/b.md"]);
  expect(tarball(one)).toEqual(tarball(two));
});

test("tar unpacks any tree of files byte for byte", async () => {
  await using project = await tmpProject({ git: false });
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .map((text) => `n${text.replaceAll(/[/\0\ud800-\udfff]/g, "-")}`);
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const trees = fc.dictionary(path, fc.uint8Array({ maxLength: 1500 }), {
    minKeys: 1,
    maxKeys: 6,
    noNullPrototype: true,
  });
  await fc.assert(
    fc.asyncProperty(trees, async (files) => {
      fc.pre(isTree(Object.keys(files)));
      await project.remove("out");
      await project.write("out/it.tgz", tarball(packageEntries(files)));
      const argv = ["tar", "-xzf", "it.tgz"];
      expect(await project.run(argv, { cwd: "out" })).toMatchObject({ code: 0 });
      for (const [file, content] of Object.entries(files)) {
        expect(await Bun.file(project.path(`out/package/${file}`)).bytes()).toEqual(new Uint8Array(content));
      }
    }),
    { numRuns: 40 },
  );
});

/** No path is a folder of another one, and none is too long for a file system. */
function isTree(paths: string[]): boolean {
  return paths.every(
    (path) =>
      !paths.some((other) => other.startsWith(`${path}/`)) &&
      path.split("/").every((part) => Buffer.byteLength(part) <= 255),
  );
}

for (const [client, command] of [
  ["bun", "add"],
  ["npm", "install"],
] as const) {
  test(`${client} meets a hostile tarball and nothing lands outside the package`, async () => {
    await using registry = await npmRegistry();
    await using project = await tmpProject({ registry, git: false });
    const outside = project.path("~/outside.txt");
    await project.write("~/outside.txt", "secret");
    registry.publish({
      name: "evil",
      version: "1.0.0",
      files: { "index.js": "1" },
      entries: [
        { kind: "symlink", path: "package/link", target: outside },
        { kind: "hardlink", path: "package/hard", target: outside },
        { kind: "character-device", path: "package/null", major: 1, minor: 3 },
        { path: "package/../../../escaped.txt", content: "x" },
      ],
    });
    expect(await project.run([client, command, "evil"])).toMatchObject({ code: 0 });
    expect(await project.exists("node_modules/evil/index.js")).toBe(true);
    for (const path of ["node_modules/evil/link", "node_modules/evil/hard", "escaped.txt", "../escaped.txt"]) {
      expect(await project.exists(path)).toBe(false);
    }
  });

  test(`${client} refuses bytes that are not a tarball`, async () => {
    await using registry = await npmRegistry();
    registry.publishTarball({ name: "noise", version: "1.0.0", tarball: new TextEncoder().encode("not a tarball") });
    await using project = await tmpProject({ registry, git: false });
    expect((await project.run([client, command, "noise"])).code).toBe(1);
  });
}
