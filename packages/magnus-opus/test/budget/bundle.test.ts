import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadedAtOnce } from "@atomic/testing/loaded-at-once";
import { publishedPlugin } from "./published-plugin.ts";

test("OpenCode loads less than 300 kB, and the parser for unusual YAML is a separate file", async () => {
  const { file } = await publishedPlugin();
  const texts = [...loadedAtOnce(file).values()];
  expect(Buffer.byteLength(texts.join(""))).toBeGreaterThan(100_000);
  expect(Buffer.byteLength(texts.join(""))).toBeLessThan(300_000);
  expect(statSync(join(dirname(file), "yaml.cjs")).size).toBeLessThan(150_000);
}, 180_000);
