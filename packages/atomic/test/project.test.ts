import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { findProject } from "../src/entities/load-entities.ts";

const marks = [".git", ".claude", "opencode.json"];

test.each([
  ["a folder with a mark is its own project", ["a/.git", "a/b/.claude"], "a/b", "a/b"],
  ["a folder below belongs to the nearest one with a mark", ["a/.git", "a/b/c"], "a/b/c", "a"],
  ["a folder inside of a mark belongs to the project", ["a/.claude/commands"], "a/.claude/commands", "a"],
  ["without any mark each folder is on its own", ["a/b"], "a/b", "a/b"],
  [
    "the home folder is not the project of the folders in it",
    ["home/.claude", "home/notes"],
    "home/notes",
    "home/notes",
  ],
  ["a project in the home folder is found", ["home/.claude", "home/p/.git", "home/p/src"], "home/p/src", "home/p"],
  ["in the home folder itself, it is the project", ["home/.claude"], "home", "home"],
  ["a folder above the home folder is never the project", [".git", "home/notes"], "home/notes", "home/notes"],
])("%s", async (_, folders, from, expected) => {
  await using root = await temporaryFolder();
  for (const folder of folders) mkdirSync(join(root.path, folder), { recursive: true });
  const options = { home: join(root.path, "home"), marks };
  expect(findProject(join(root.path, from), options)).toBe(join(root.path, expected));
});

test("the top of the file system is where the search ends", () => {
  expect(findProject("/", { home: "/nowhere", marks: ["no such file"] })).toBe("/");
});
