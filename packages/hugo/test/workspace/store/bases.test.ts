import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { hashOf } from "../../../src/packages/hash.ts";
import { BaseStore } from "../../../src/workspace/store/bases.ts";

test("any bytes can be read back by their hash", async () => {
  await using folder = await temporaryFolder();
  const bases = new BaseStore(folder.path);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 4 }), async (contents) => {
      await bases.put(contents);
      for (const bytes of contents) expect(Buffer.from(bases.get(hashOf(bytes))!)).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 50 },
  );
});

test("content that was never stored is missing, and changed content is not returned", async () => {
  await using folder = await temporaryFolder();
  const bases = new BaseStore(folder.path);
  expect(bases.get(hashOf(""))).toBeUndefined();
  await bases.put([Buffer.from("kept")]);
  const [name = ""] = fs.readdirSync(join(folder.path, "bases"));
  fs.writeFileSync(join(folder.path, "bases", name), "changed");
  expect(bases.get(hashOf("kept"))).toBeUndefined();
  await bases.put([Buffer.from("kept")]);
  expect(bases.get(hashOf("kept"))).toEqual(Buffer.from("kept"));
});

test("no folder is made for nothing", async () => {
  await using folder = await temporaryFolder();
  await new BaseStore(folder.path).put([]);
  expect(fs.readdirSync(folder.path)).toEqual([]);
});
