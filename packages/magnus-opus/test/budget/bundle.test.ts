import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadedAtOnce } from "@atomic/testing/loaded-at-once";
import { scanPlainYaml } from "@atomic/workflows/internal/entities/frontmatter/scan";
import { splitFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/split";
import { packageRoot } from "../../src/package-root.ts";
import { publishedPlugin } from "./published-plugin.ts";

test("OpenCode starts with less than 300 kB; what sessions and unusual YAML need are separate files", async () => {
  const { file } = await publishedPlugin();
  const texts = [...loadedAtOnce(file).values()];
  expect(Buffer.byteLength(texts.join(""))).toBeGreaterThan(100_000);
  expect(Buffer.byteLength(texts.join(""))).toBeLessThan(300_000);
  // What only sessions need: the events of a run, for example.
  expect(texts.filter((text) => text.includes("run-started"))).toEqual([]);
  expect(statSync(join(dirname(file), "yaml.cjs")).size).toBeLessThan(150_000);
}, 180_000);

test("no file of ours needs that parser, which would be a third of what the plugin does at a start", () => {
  const files = ["agents", "commands", "skills", "stacks"].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(packageRoot, folder, name)),
  );
  const frontmatters = files.flatMap((file) => {
    const split = splitFrontmatter(readFileSync(file, "utf8"));
    return split.kind === "present" ? [{ file, yaml: split.yaml }] : [];
  });
  expect(frontmatters.length).toBeGreaterThan(30);
  expect(frontmatters.filter(({ yaml }) => scanPlainYaml(yaml) === undefined).map(({ file }) => file)).toEqual([]);
});
