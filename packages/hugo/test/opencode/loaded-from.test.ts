import { expect, test } from "bun:test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { loadedFrom, versionIn } from "../../src/opencode/loaded-from.ts";
import { writeFiles } from "../commands/package-folder.ts";

const packages = "/home/me/.cache/opencode/packages";

test.each([
  ["verse", `${packages}/verse@latest/node_modules/verse`, "", false],
  ["verse@1.0.0", `${packages}/verse@1.0.0/node_modules/verse`, "1.0.0", false],
  ["@org/verse@^1", `${packages}/@org/verse@^1/node_modules/@org/verse`, "^1", false],
  ["./verse", "/project/verse", "", true],
  ["../verse/a.ts", "/verse/a.ts", "", true],
  ["/abs/verse", "/abs/verse", "", true],
  ["file:///abs/a%20b", "/abs/a b", "", true],
])("OpenCode loads %s from %s", (spec, folder, wanted, isPath) => {
  const entry = { file: "/project/opencode.json", index: 0, spec, isTuple: false };
  expect(loadedFrom(entry, { home: "/home/me", env: {} })).toMatchObject({ folder, wanted, isPath });
});

test("the cache is where the environment puts it, and other specs are ignored", () => {
  const entry = (spec: string) => ({ file: "/project/opencode.json", index: 0, spec, isTuple: false });
  const moved = loadedFrom(entry("verse@1.0.0"), { home: "/home/me", env: { XDG_CACHE_HOME: "/cache" } });
  expect(moved?.cacheFolder).toBe("/cache/opencode/packages/verse@1.0.0");
  for (const spec of ["github:org/verse", "verse@npm:other@1", "git+https://host/verse"]) {
    expect(loadedFrom(entry(spec), { home: "/home/me", env: {} })).toBeUndefined();
  }
});

test("the version is read from its package.json", async () => {
  await using folder = await temporaryFolder();
  expect(versionIn(folder.path)).toBeUndefined();
  writeFiles(folder.path, { "package.json": { version: "1.2.3" } });
  expect(versionIn(folder.path)).toBe("1.2.3");
  for (const text of ["{", "null"]) {
    writeFiles(folder.path, { "package.json": text });
    expect(versionIn(folder.path)).toBeUndefined();
  }
});
