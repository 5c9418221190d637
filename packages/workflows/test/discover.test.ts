import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { compareCodePoints } from "../src/entities/code-point-order.ts";
import { type ListOptions, listFiles } from "../src/entities/discover.ts";

// Making thousands of files takes its time on a busy disk.
setDefaultTimeout(180_000);

/** A folder with these files in it, made in this order. */
async function tree(...files: string[]) {
  const folder = await temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), "");
  }
  return folder;
}

function names(root: string, pattern: string, options: Partial<ListOptions> = {}): string[] {
  const { files, diagnostics } = listFiles(root, { pattern, ...options });
  expect(diagnostics).toEqual([]);
  for (const file of files) expect(file.path).toBe(join(root, file.relative));
  return files.map(({ relative }) => relative);
}

function codes(root: string, pattern: string, options: Partial<ListOptions> = {}) {
  const { files, diagnostics } = listFiles(root, { pattern, ...options });
  for (const { hint } of diagnostics) expect(hint).toBeString();
  return { files: files.map(({ relative }) => relative), codes: diagnostics.map(({ code }) => code) };
}

describe("finds the files that match the pattern", () => {
  const files = [
    "a.md",
    "b.txt",
    "c.agent.md",
    ".md",
    ".hidden.md",
    "SKILL.md",
    "s/SKILL.md",
    "s/x.md",
    "s/t/SKILL.md",
    "s/t/y.md",
  ];
  test.each<[string, string[]]>([
    ["*.md", [".hidden.md", "SKILL.md", "a.md", "c.agent.md"]],
    ["*.agent.md", ["c.agent.md"]],
    ["SKILL.md", ["SKILL.md"]],
    ["*/SKILL.md", ["s/SKILL.md"]],
    ["*/*.md", ["s/SKILL.md", "s/x.md"]],
    ["**/SKILL.md", ["SKILL.md", "s/SKILL.md", "s/t/SKILL.md"]],
    ["**/*.md", [".hidden.md", "SKILL.md", "a.md", "c.agent.md", "s/SKILL.md", "s/t/SKILL.md", "s/t/y.md", "s/x.md"]],
    ["*.json", []],
  ])("%s", async (pattern, expected) => {
    await using folder = await tree(...files);
    expect(names(folder.path, pattern)).toEqual(expected);
  });

  test.each(["", "**", "*", "a/b.md", "***/x", "*/*/x.md", "/x.md", "*a*b"])("%p is not a valid pattern", (pattern) => {
    expect(() => listFiles("/nowhere", { pattern })).toThrow("is not a pattern like");
  });

  test("the paths are absolute even if the root is not", async () => {
    await using folder = await tree("a.md");
    const [file] = listFiles(join(folder.path, ".", "x", ".."), { pattern: "*.md" }).files;
    expect(file?.path).toBe(join(folder.path, "a.md"));
  });
});

describe("files are sorted by code point", () => {
  test("whatever order they were created in", async () => {
    const files = ["a-b.md", "a/b.md", "B.md", "a.md", "ä.md", "z.md", "\uffee.md", "😀.md"];
    const expected = ["B.md", "a-b.md", "a.md", "a/b.md", "z.md", "ä.md", "\uffee.md", "😀.md"];
    await using forth = await tree(...files);
    await using back = await tree(...files.toReversed());
    expect(names(forth.path, "**/*.md")).toEqual(expected);
    expect(names(back.path, "**/*.md")).toEqual(expected);
  });

  test("which is the order of the UTF-8 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        return Math.sign(compareCodePoints(a, b)) === Buffer.compare(Buffer.from(a), Buffer.from(b));
      }),
    );
  });
});

describe("follows links", () => {
  test("to files and folders, inside and outside", async () => {
    await using outside = await tree("o.md", "d/p.md", "k/SKILL.md");
    await using folder = await tree("a.md");
    symlinkSync(join(outside.path, "o.md"), join(folder.path, "linked.md"));
    symlinkSync(join(outside.path, "d"), join(folder.path, "dir"));
    symlinkSync(join(outside.path, "k"), join(folder.path, "skill"));
    expect(names(folder.path, "**/*.md")).toEqual(["a.md", "dir/p.md", "linked.md", "skill/SKILL.md"]);
    expect(names(folder.path, "*/SKILL.md")).toEqual(["skill/SKILL.md"]);
  });

  test("and a root that is a link", async () => {
    await using folder = await tree("real/a.md");
    symlinkSync("real", join(folder.path, "root"));
    expect(names(join(folder.path, "root"), "**/*.md")).toEqual(["a.md"]);
  });

  test("and lists a file twice if it can be reached in two ways", async () => {
    await using folder = await tree("z/x.md");
    symlinkSync("z", join(folder.path, "a"));
    expect(names(folder.path, "**/*.md")).toEqual(["a/x.md", "z/x.md"]);
  });

  test("but not in circles", async () => {
    await using folder = await tree("a.md", "d/b.md", "e/c.md");
    symlinkSync(".", join(folder.path, "self"));
    symlinkSync("..", join(folder.path, "d/up"));
    symlinkSync("../e", join(folder.path, "d/to-e"));
    symlinkSync("../d", join(folder.path, "e/to-d"));
    const { files, diagnostics } = listFiles(folder.path, { pattern: "**/*.md" });
    const found = files.map(({ relative }) => relative);
    expect(found).toEqual(["a.md", "d/b.md", "d/to-e/c.md", "e/c.md", "e/to-d/b.md"]);
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(["folder-loop"]));
  });

  test("but not to nothing", async () => {
    await using folder = await tree("a.md", "s/x");
    symlinkSync("nothing", join(folder.path, "dead.md"));
    symlinkSync("round.md", join(folder.path, "round.md"));
    symlinkSync("nothing", join(folder.path, "s/SKILL.md"));
    symlinkSync("nothing", join(folder.path, "unrelated"));
    expect(codes(folder.path, "*.md")).toEqual({ files: ["a.md"], codes: ["file-missing", "file-missing"] });
    expect(codes(folder.path, "*/SKILL.md")).toEqual({ files: [], codes: ["file-missing"] });
  });
});

describe("what is not a file", () => {
  test("a folder named like one is a warning, and is still searched", async () => {
    await using folder = await tree("x.md/y.md", "s/SKILL.md/z");
    const { files, diagnostics } = listFiles(folder.path, { pattern: "**/*.md" });
    expect(files.map(({ relative }) => relative)).toEqual(["x.md/y.md"]);
    expect(diagnostics).toMatchObject([
      { severity: "warning", code: "file-not-regular", path: join(folder.path, "s/SKILL.md") },
      { severity: "warning", code: "file-not-regular", path: join(folder.path, "x.md") },
    ]);
    expect(codes(folder.path, "*/SKILL.md")).toEqual({ files: [], codes: ["file-not-regular"] });
  });

  test("a FIFO is an error if it matches, and ignored if not", async () => {
    await using folder = await tree("s/a.md");
    execFileSync("mkfifo", [join(folder.path, "p.md"), join(folder.path, "p.txt"), join(folder.path, "s/SKILL.md")]);
    expect(codes(folder.path, "*.md")).toEqual({ files: [], codes: ["file-not-regular"] });
    expect(codes(folder.path, "*/SKILL.md")).toEqual({ files: [], codes: ["file-not-regular"] });
  });
});

describe("a root", () => {
  test("that does not exist is empty", () => {
    expect(listFiles("/nowhere/at/all", { pattern: "*.md" })).toEqual({ files: [], diagnostics: [], broken: [] });
  });

  test("that is empty is empty", async () => {
    await using folder = await tree();
    expect(names(folder.path, "**/*.md")).toEqual([]);
  });

  test("that is a file is an error", async () => {
    await using folder = await tree("a.md");
    expect(codes(join(folder.path, "a.md"), "*.md")).toEqual({ files: [], codes: ["folder-unreadable"] });
  });
});

test("a folder without read permission is an error, and the others are listed", async () => {
  await using folder = await tree("a.md", "closed/b.md", "open/c.md");
  chmodSync(folder.path, 0o755);
  chmodSync(join(folder.path, "closed"), 0);
  expect(listWithoutRights(folder.path)).toEqual({ files: ["a.md", "open/c.md"], codes: ["folder-unreadable"] });
  chmodSync(join(folder.path, "closed"), 0o755);
});

describe("stays within its limits", () => {
  test("of depth", async () => {
    await using folder = await tree("a.md", "1/b.md", "1/2/c.md", "1/2/3/d.md");
    expect(names(folder.path, "**/*.md", { maxDepth: 3 })).toHaveLength(4);
    expect(codes(folder.path, "**/*.md", { maxDepth: 2 })).toEqual({
      files: ["1/2/c.md", "1/b.md", "a.md"],
      codes: ["folder-too-deep"],
    });
  });

  test("of depth, in a tree that is only deep", async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, ..."x".repeat(200)), { recursive: true });
    expect(codes(folder.path, "**/*.md")).toEqual({ files: [], codes: ["folder-too-deep"] });
  });

  test("of number, with one diagnostic, and the same files every time", async () => {
    await using folder = await tree(...range(5, (at) => `a${at}.md`), ...range(5, (at) => `d/b${at}.md`), "e/c.md");
    expect(names(folder.path, "**/*.md", { maxEntries: 13 })).toHaveLength(11);
    const cut = codes(folder.path, "**/*.md", { maxEntries: 11 });
    expect(cut).toEqual({ files: range(5, (at) => `a${at}.md`), codes: ["folder-too-large"] });
    expect(codes(folder.path, "*.md", { maxEntries: 6 })).toEqual({ files: [], codes: ["folder-too-large"] });
  });

  test("of number, when links multiply", async () => {
    await using folder = await tree("0/x.md");
    for (let at = 1; at <= 16; at += 1) {
      mkdirSync(join(folder.path, `${at}`));
      for (const name of ["a", "b"]) symlinkSync(`../${at - 1}`, join(folder.path, `${at}`, name));
    }
    const { diagnostics } = listFiles(folder.path, { pattern: "**/*.md", maxEntries: 10_000 });
    expect(diagnostics.map(({ code }) => code)).toEqual(["folder-too-large"]);
  });

  test("in a folder so large that entries are counted while reading", async () => {
    const name = "n".repeat(240);
    await using folder = await temporaryFolder();
    for (const file of range(4_500, (at) => `${name}-${at}.md`)) closeSync(openSync(join(folder.path, file), "w"));
    expect(names(folder.path, "*.md")).toHaveLength(4_500);
    expect(codes(folder.path, "*.md", { maxEntries: 4_499 })).toEqual({ files: [], codes: ["folder-too-large"] });
  });
});

function range(count: number, name: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => name(at));
}

/** Root may read everything, so the question is asked by a process without rights. */
function listWithoutRights(root: string): ReturnType<typeof codes> {
  if (process.getuid?.() !== 0) return codes(root, "**/*.md");
  const module = JSON.stringify(join(import.meta.dir, "../src/entities/discover.ts"));
  const script = `import { listFiles } from ${module};
    const { files, diagnostics } = listFiles(${JSON.stringify(root)}, { pattern: "**/*.md" });
    console.log(JSON.stringify({ files: files.map((f) => f.relative), codes: diagnostics.map((d) => d.code) }));`;
  const drop = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "-e", script];
  return JSON.parse(
    execFileSync("setpriv", drop, { encoding: "utf8", env: { ...process.env, HOME: "/dev/null/home" } }),
  );
}
