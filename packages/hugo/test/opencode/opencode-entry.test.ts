import { expect, test } from "bun:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { findEntry } from "../../src/opencode/opencode-entry.ts";
import { writeFiles } from "../commands/package-folder.ts";
import { entryCases, filesOf } from "./entry-cases.ts";

test.each(Object.entries(entryCases))("of a package with %s", async (_, entryCase) => {
  await using folder = await temporaryFolder();
  writeFiles(folder.path, filesOf("p", entryCase));
  const { ofPackage, ofPath } = entryCase;
  for (const [isPath, expected] of [
    [false, ofPackage],
    [true, ofPath],
  ] as const) {
    const found = findEntry(folder.path, { isPath });
    const url = expected === undefined ? undefined : pathToFileURL(`${folder.path}/${expected}`).href;
    expect(found.kind === "entry" ? found.url : undefined).toBe(url as string);
  }
});

test("the OpenCode versions that a package needs are included", async () => {
  await using folder = await temporaryFolder();
  writeFiles(folder.path, { "package.json": { main: "a.js", engines: { opencode: ">=2" } } });
  expect(findEntry(folder.path, { isPath: false })).toMatchObject({ engineRange: ">=2" });
});

test("a file is its own entry, and what is not there or not JSON has none", async () => {
  await using folder = await temporaryFolder();
  writeFiles(folder.path, { "a.js": "", "package.json": "{" });
  expect(findEntry(`${folder.path}/a.js`, { isPath: true })).toMatchObject({ kind: "entry" });
  expect(findEntry(folder.path, { isPath: true })).toMatchObject({ kind: "none", because: "it has no package.json" });
  expect(findEntry(`${folder.path}/b`, { isPath: true })).toMatchObject({ kind: "none" });
});
