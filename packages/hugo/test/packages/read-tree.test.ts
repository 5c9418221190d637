import { describe, expect, test } from "bun:test";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { hashTree, pathsBelow, textOf } from "../../src/packages/tree.ts";
import { refusal } from "../refusal.ts";
import { tree } from "../tree.ts";

async function write(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

describe("the files of a package", () => {
  test("are read completely and sorted, without files that are not content", async () => {
    await using folder = await temporaryFolder();
    await write(folder.path, {
      "b/run.sh": "#!/bin/sh",
      "a.md": "text\n",
      ".git/config": "x",
      "node_modules/x/index.js": "x",
      "b/node_modules/y.js": "kept",
    });
    await chmod(join(folder.path, "b/run.sh"), 0o755);
    const files = readPackageTree(folder.path);
    expect([...files.keys()]).toEqual(["a.md", "b/node_modules/y.js", "b/run.sh"]);
    expect(files.get("b/run.sh")?.executable).toBe(true);
    expect(files.get("a.md")?.executable).toBe(false);
    expect(textOf(files, "a.md")).toBe("text\n");
    expect(textOf(files, "none")).toBeUndefined();
    expect(pathsBelow(files, "b")).toEqual(["b/node_modules/y.js", "b/run.sh"]);
    expect(pathsBelow(files, "")).toHaveLength(3);
  });

  test.each<[string, (root: string) => Promise<unknown>, string]>([
    ["a link to a file outside", (root) => symlink("/etc/hostname", join(root, "x.md")), '"x.md", which is a link'],
    ["a link to a file inside", (root) => symlink("a.md", join(root, "x.md")), '"x.md", which is a link'],
    ["a link to a folder", (root) => symlink("/etc", join(root, "x")), '"x", which is a link'],
    ["a link to nothing", (root) => symlink("gone", join(root, "x")), '"x", which is a link'],
    ["a FIFO", (root) => Bun.$`mkfifo ${join(root, "x.md")}`.quiet(), "is a FIFO"],
    ["a backslash", (root) => writeFile(join(root, "..\\x"), ""), "contains a backslash"],
    ["a colon", (root) => writeFile(join(root, "a:b"), ""), "contains a colon"],
    ["a reserved name", (root) => writeFile(join(root, "CON.md"), ""), "reserved on Windows"],
    ["a trailing dot", (root) => writeFile(join(root, "a."), ""), "ends with a dot"],
    ["a line break", (root) => writeFile(join(root, "a\nb"), ""), "a control character"],
    ["an escape sequence", (root) => writeFile(join(root, "a\u001b[2J"), ""), "invisible character"],
    ["a reversed name", (root) => writeFile(join(root, "a\u202eb"), ""), "invisible character"],
    ["bytes that are not text", (root) => writeFile(Buffer.from(`${root}/a\xff`, "latin1"), ""), "not UTF-8"],
    ["names in two cases", (root) => write(root, { "A.md": "", "a.md": "" }), '"A.md" and "a.md"'],
    [
      "names in two forms",
      (root) => write(root, { "\u00e9": "", "e\u0301": "" }),
      "the same file on many file systems",
    ],
    ["folders in two cases", (root) => write(root, { "X/a": "", "x/b": "" }), '"X" and "x"'],
    ["too many files", (root) => write(root, { "1": "", "2": "", "3": "", "4": "" }), "more than 4 files"],
    ["too many bytes", (root) => write(root, { big: "x".repeat(200) }), "more than 100 bytes"],
    ["too deep folders", (root) => write(root, { "1/2/3/4": "" }), "deeper than 2 folders"],
  ])("are refused with %s", async (_, plant, problem) => {
    await using folder = await temporaryFolder();
    await write(folder.path, { "a.md": "" });
    await plant(folder.path);
    const error = refusal(() => readPackageTree(folder.path, { files: 4, bytes: 100, depth: 2 }));
    expect(error.code).toBe("package-unsafe");
    expect(error.message).toContain(problem);
    expect(error.at).toBe(folder.path);
  });

  test("that are not text have none", () => {
    const files = tree({ zero: "a\0b", latin1: Buffer.from("\xff", "latin1"), ok: "ä" });
    expect(["zero", "latin1", "ok"].map((path) => textOf(files, path))).toEqual([undefined, undefined, "ä"]);
  });
});

describe("the hash of a tree", () => {
  const base = { "a.md": "one", "b/c.md": "two" };
  test("is the same for the same files in any order", () => {
    const reversed = new Map([...tree(base)].reverse());
    expect(hashTree(reversed)).toBe(hashTree(tree(base)));
    expect(hashTree(tree(base))).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each<[string, Record<string, string>]>([
    ["a byte", { "a.md": "onf", "b/c.md": "two" }],
    ["a name", { "a.mx": "one", "b/c.md": "two" }],
    ["an additional file", { ...base, x: "" }],
    ["a missing file", { "a.md": "one" }],
    ["bytes moved from one file to the next", { "a.md": "onet", "b/c.md": "wo" }],
    ["a file that contains how the next one begins", { "a.md": "one6 b/c.md - two" }],
    ["bytes moved from content to a name", { "a.md": "one6 b/c.md - 3 two" }],
  ])("changes with %s", (_, files) => {
    expect(hashTree(tree(files))).not.toBe(hashTree(tree(base)));
  });

  test("changes with the executable bit", () => {
    const plain = new Map([["x", { bytes: Buffer.from("x"), executable: false }]]);
    const script = new Map([["x", { bytes: Buffer.from("x"), executable: true }]]);
    expect(hashTree(plain)).not.toBe(hashTree(script));
  });
});
