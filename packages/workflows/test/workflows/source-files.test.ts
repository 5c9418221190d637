import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { changedFiles, sourceFiles } from "../../src/modules/source-files.ts";

test("a workflow's files are its module and what that imports or reads from beside it", async () => {
  await using project = await tmpProject({ git: false });
  const files = {
    ".atomic/workflows/release.ts": `import { x } from "./lib/x";
import type { Y } from '../../src/y.js';
export * from "./lib/x.ts";
import fs from "node:fs";
import pkg from "pkg";
const late = () => import("./late.mjs");
const old = require("./old.json");
const prompt = new URL("prompts/go.md", import.meta.url);
const text = "from './missing.ts'";`,
    ".atomic/workflows/lib/x.ts": `import "./x.ts"; import "../release.ts"; import "../node_modules/pkg/own.js";`,
    "src/y.ts": "export type Y = 1;",
    ".atomic/workflows/late.mjs": "",
    ".atomic/workflows/old.json": "{}",
    ".atomic/workflows/prompts/go.md": `import "./not-code.ts"`,
    ".atomic/workflows/prompts/not-code.ts": "",
    ".atomic/workflows/node_modules/pkg/own.js": "",
    ".atomic/workflows/other.ts": "",
  };
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
  const read = () =>
    sourceFiles([project.path(".atomic/workflows/release.ts"), project.path(".atomic/workflows/other.ts")]);
  const before = read();
  expect(Object.keys(before)).toEqual([
    "../../src/y.ts",
    "late.mjs",
    "lib/x.ts",
    "old.json",
    "other.ts",
    "prompts/go.md",
    "release.ts",
  ]);
  expect(read()).toEqual(before);
  await project.write(".atomic/workflows/prompts/go.md", "changed");
  await project.write(".atomic/workflows/late.mjs", `import "./added.ts"`);
  await project.write(".atomic/workflows/added.ts", "");
  expect(changedFiles(before, read())).toEqual(["added.ts", "late.mjs", "prompts/go.md"]);
});
