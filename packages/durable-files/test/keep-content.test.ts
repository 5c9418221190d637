import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { keepContent, unfinishedEnd } from "../src/files/keep-content.ts";
import { hashOf } from "../src/files/plain-file.ts";

test("content is kept under its name, in a folder that is created, whatever is there already", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a/b/content");
  const bytes = Buffer.from("content");
  await keepContent(path, bytes, hashOf(bytes));
  expect(fs.readFileSync(path, "utf8")).toBe("content");
  const { ino } = fs.statSync(path);
  await keepContent(path, bytes, hashOf(bytes));
  expect(fs.statSync(path).ino).toBe(ino);
  // Damaged, and half a file from a process that was killed.
  fs.writeFileSync(path, "contens");
  fs.writeFileSync(path + unfinishedEnd, "con");
  await keepContent(path, bytes, hashOf(bytes));
  expect(fs.readFileSync(path, "utf8")).toBe("content");
  expect(fs.readdirSync(join(folder.path, "a/b"))).toEqual(["content"]);
});

test("a folder that is a file is reported with the path", async () => {
  await using folder = await temporaryFolder();
  fs.writeFileSync(join(folder.path, "file"), "");
  const path = join(folder.path, "file/content");
  await expect(keepContent(path, Buffer.from("x"), hashOf(Buffer.from("x")))).rejects.toMatchObject({
    code: "io",
    message: expect.stringContaining(`${path} cannot be written`),
  });
});
