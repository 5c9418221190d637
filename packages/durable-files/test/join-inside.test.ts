import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join, relative } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";

function refusalOf(root: string, path: string): string {
  try {
    return `accepted as ${joinInside(root, path)}`;
  } catch (error) {
    if (error instanceof DurableError && error.code === "unsafe-path") return error.message;
    throw error;
  }
}

test.each([
  "agents/reviewer.md",
  "a",
  ".hidden/x",
  "..a/b..c",
  "%2e%2e/x",
  "a b/c d.md",
  "ünï/代码.md",
  "...a",
  "console/contents.md",
  "x".repeat(255),
])("%s is joined to the root", (path) => {
  expect(joinInside("/nowhere/root", path)).toBe(`/nowhere/root/${path}`);
});

test.each([
  ["", "is empty"],
  [".", "contains the part ."],
  ["..", "contains the part .."],
  ["../x", "contains the part .."],
  ["a/../../b", "contains the part .."],
  ["a/./b", "contains the part ."],
  ["a//b", "has an empty part"],
  ["a/", "has an empty part"],
  ["/etc/passwd", "is absolute"],
  ["//host/share", "is absolute"],
  ["\\\\host\\share", "contains a backslash"],
  ["a\\..\\b", "contains a backslash"],
  ["C:/x", "contains a colon"],
  ["c:x", "contains a colon"],
  ["a/b:stream", "contains a colon"],
  ["a\0b", "contains a control character"],
  ["a\nb", "contains a control character"],
  ["a\r", "contains a control character"],
  ["\u001b[31m", "contains a control character"],
  ["a\u0085b", "contains a control character"],
  ["a/\u009b31m", "contains a control character"],
  ["a\u2028b", "contains a control character"],
  ["a\u202egnp.md", "changes the text direction"],
  ["\u200f/b", "changes the text direction"],
  ["a/\u2066b", "changes the text direction"],
  ["\u061cb", "changes the text direction"],
  ["a/b.", "ends with a dot or a space"],
  ["a./b", "ends with a dot or a space"],
  ["...", "ends with a dot or a space"],
  ["a /b", "ends with a dot or a space"],
  [" a", "starts with a space"],
  ["NUL", "reserved on Windows"],
  ["a/con.md", "reserved on Windows"],
  ["COM1.txt/x", "reserved on Windows"],
  ["x".repeat(256), "too long"],
  ["ü".repeat(128), "too long"],
  [`${"x/".repeat(600)}x`, "too long"],
])("%j is refused: %s", (path, why) => {
  expect(refusalOf("/nowhere/root", path)).toContain(why);
});

test("the offending value is shown without anything a terminal would act on", () => {
  const message = refusalOf("/r", "\u001b]0;title\u0007\u202e/../x");
  expect(message).toStartWith('The path "\\u001b]0;title\\u0007\\u202e/../x" ');
  expect(message).toMatch(/^[ -~]*$/);
  expect(refusalOf("/r", "x".repeat(10_000)).length).toBeLessThan(300);
});

test("links that stay inside the root are followed, links that lead out are refused", async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, "root");
  fs.mkdirSync(join(root, "real/deep"), { recursive: true });
  fs.mkdirSync(join(folder.path, "root-2"));
  fs.writeFileSync(join(folder.path, "secret"), "");
  fs.symlinkSync("real/deep", join(root, "inside"));
  fs.symlinkSync("..", join(root, "out"));
  fs.symlinkSync("../root-2", join(root, "neighbour"));
  fs.symlinkSync("/", join(root, "real/top"));
  fs.symlinkSync("../secret", join(root, "file"));
  fs.symlinkSync("missing", join(root, "nothing"));
  fs.symlinkSync("loop", join(root, "loop"));
  fs.symlinkSync("real/top", join(root, "chain"));

  expect(joinInside(root, "inside/new/x.md")).toBe(join(root, "inside/new/x.md"));
  for (const path of ["out/x", "out/root/x/y", "neighbour/x", "real/top/etc/x", "file", "chain/x", "out"]) {
    const expected = path === "out/root/x/y" ? "accepted" : "leads outside";
    expect(refusalOf(root, path)).toContain(expected);
  }
  expect(refusalOf(root, "nothing/x")).toContain("broken symbolic link");
  expect(refusalOf(root, "loop/x")).toContain("points back to itself");
});

test("a root behind a link, a root that does not exist yet, and a file as parent work", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  fs.mkdirSync(join(path, "real"));
  fs.writeFileSync(join(path, "real/file"), "");
  fs.symlinkSync("real", join(path, "link"));
  expect(joinInside(join(path, "link"), "a/b")).toBe(join(path, "link/a/b"));
  expect(joinInside(join(path, "not/yet"), "a/b")).toBe(join(path, "not/yet/a/b"));
  expect(joinInside(join(path, "real"), "file/b")).toBe(join(path, "real/file/b"));
});

test("no text at all leads out of the root", () => {
  const piece = fc.constantFrom(
    "..",
    ".",
    "/",
    "\\",
    "a",
    "C:",
    "\0",
    "%2e",
    " ",
    "...",
    "//",
    "~",
    "\u2025",
    "\uff0e",
  );
  const paths = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(paths, (path) => {
      if (refusalOf("/nowhere/root", path).startsWith("accepted")) {
        const way = relative("/nowhere/root", joinInside("/nowhere/root", path));
        expect(way).toBe(path);
        expect(way.split("/")).not.toContain("..");
      }
    }),
    { numRuns: 5000 },
  );
});
