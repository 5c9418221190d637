// The same answers on every runtime that the package promises, and `yaml` loaded only by a document that needs it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

setDefaultTimeout(180_000);

const repository = join(import.meta.dirname, "../../..");
const source = join(import.meta.dirname, "../src/entities");

const EXPECTED = {
  listed: ["a.md", "b/c.md"],
  unreadable: "file-not-utf8",
  plain: { name: "x", tools: ["Read", "Bash(git:*)"], text: "a\nb\n" },
  loadedByPlain: [],
  loadedByFull: true,
  full: { a: { b: [1, { c: "é" }] } },
  refused: "frontmatter-syntax 3:14",
  recovered: { description: "Use when: foo" },
  tooDeep: "frontmatter-too-deep",
  place: { line: 2, column: 5 },
};

function probe(modules: string, extension: string, files: string): string {
  const from = (name: string) => JSON.stringify(join(modules, name + extension));
  return `
    import { createRequire } from "node:module";
    import { listFiles } from ${from("discover")};
    import { parseFrontmatter } from ${from("frontmatter/parse")};
    import { recoverLikeClaude } from ${from("frontmatter/recover")};
    import { readTextFile } from ${from("read-file")};
    const root = ${JSON.stringify(files)};
    const { cache } = createRequire(root + "/x.js");
    const { files } = listFiles(root, { pattern: "**/*.md" });
    const bad = readTextFile(root + "/bad.txt");
    const plain = parseFrontmatter(readTextFile(files[0].path).text).values;
    const loadedByPlain = Object.keys(cache).filter((path) => path.includes("/yaml/"));
    const full = parseFrontmatter('---\\na: {b: [1, {c: "\\\\u00e9"}]}\\n---\\n');
    const loadedByFull = Object.keys(cache).some((path) => path.includes("/yaml/"));
    const [refused] = parseFrontmatter("---\\nname: x\\ndescription: Use when: foo\\n---\\n").diagnostics;
    const recovered = parseFrontmatter("---\\ndescription: Use when: foo\\n---\\n", { recover: recoverLikeClaude });
    const deep = parseFrontmatter("---\\na: " + "[".repeat(10_000) + "\\n---\\n");
    console.log(JSON.stringify({
      listed: files.map((file) => file.relative),
      unreadable: bad.diagnostic.code,
      plain,
      loadedByPlain,
      loadedByFull,
      full: full.values,
      refused: refused.code + " " + refused.line + ":" + refused.column,
      recovered: recovered.values,
      tooDeep: deep.diagnostics[0].code,
      place: full.positionOf(["a", "b"]),
    }));`;
}

/** A folder to list, with the probe beside it, and `node_modules` within reach of compiled code. */
async function workshop(modules: (folder: string) => string, extension: string) {
  const folder = await temporaryFolder("frontmatter-");
  const files = join(folder.path, "files");
  mkdirSync(join(files, "b"), { recursive: true });
  writeFileSync(join(files, "a.md"), "---\nname: x\ntools: [Read, Bash(git:*)]\ntext: |\n  a\n  b\n---\nBody\n");
  writeFileSync(join(files, "b/c.md"), "");
  writeFileSync(join(files, "bad.txt"), Buffer.from([0xff]));
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module", "imports": { "#yaml": "yaml" } }');
  symlinkSync(join(repository, "node_modules"), join(folder.path, "node_modules"));
  const script = join(folder.path, "probe.mjs");
  writeFileSync(script, probe(modules(folder.path), extension, files));
  return { path: folder.path, script, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function run(command: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([...command], { env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}${errors}`);
  return output;
}

/** Compiles as the package build does, but into a folder of its own. */
async function compile(folder: string): Promise<void> {
  const config = {
    extends: join(repository, "tsconfig.base.json"),
    compilerOptions: { rootDir: source, outDir: join(folder, "dist"), composite: false, incremental: false },
    files: ["discover", "frontmatter/parse", "read-file"].map((name) => join(source, `${name}.ts`)),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  await run([join(repository, "node_modules/.bin/tsc"), "-p", folder]);
}

test("on this Bun, from source", async () => {
  await using shop = await workshop(() => source, ".ts");
  expect(JSON.parse(await run([process.execPath, shop.script]))).toEqual(EXPECTED);
});

test("on the Bun inside OpenCode, from source", async () => {
  await using shop = await workshop(() => source, ".ts");
  expect(JSON.parse(await run([opencodeBinary, shop.script], { BUN_BE_BUN: "1" }))).toEqual(EXPECTED);
});

test("on Node, compiled", async () => {
  await using shop = await workshop((folder) => join(folder, "dist"), ".js");
  await compile(shop.path);
  expect(JSON.parse(await run(["node", shop.script]))).toEqual(EXPECTED);
});
