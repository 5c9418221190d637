// A workflow is loaded from a file wherever it lies, on every runtime, also where nothing is installed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { build, type Loaded, loadOn, runtimes } from "./runtimes.ts";

setDefaultTimeout(180_000);

const imports = `import { defineGraph, toolNode } from "@atomic/workflows";
`;

function tidy(name: string, description = "Tidies up"): string {
  return `${imports}export default defineGraph({ name: "${name}", description: "${description}" }, (g) =>
  g.start(toolNode({ id: "sweep", run: (): number => 1 })));\n`;
}

const files = {
  "tidy.ts": tidy("tidy"),
  "plain.js": tidy("plain").replace(": number", ""),
  "builder.ts": `import { graph, waitNode } from "@atomic/workflows";
const args = { depth: { type: "number" }, topic: { type: "rest" } } as const;
export default graph({ name: "builder", arguments: args }).start(waitNode({ prompt: "Go on?" }));\n`,
  "Helped.ts": `import { words } from "./steps/words.ts";\n${tidy("helped").replace('"Tidies up"', "words as string")}`,
  "steps/words.ts": 'import { more } from "../more.js";\nexport const words: string = "first " + more;\n',
  "more.js": 'export const more = "helper";\n',
  // Under node_modules, where Node itself takes no types out; elsewhere, for Bun fetches nothing where it finds such a folder.
  "../../elsewhere/node_modules/pack/workflows/packed.ts": `import { word } from "../steps/word.ts";
${tidy("packed").replace('"Tidies up"', "word as string")}`,
  "../../elsewhere/node_modules/pack/steps/word.ts": 'export const word: string = "from a package";\n',
  "../../elsewhere/uses.ts": `import { word } from "library";\n${tidy("uses").replace('"Tidies up"', "word")}`,
  "../../elsewhere/broken-library.ts": 'import "library/broken";\nexport default 1;\n',
  "../../elsewhere/not-exported.ts": 'import "library/inner";\nexport default 1;\n',
  "../../elsewhere/node_modules/library/package.json": `{ "type": "module", "exports": { ".": "./index.js", "./broken": "./broken.js" } }`,
  "../../elsewhere/node_modules/library/index.js": 'export const word = "from the project";\n',
  "../../elsewhere/node_modules/library/broken.js": 'JSON.parse("{");\n',
  // Another copy of this package, which must never be loaded.
  "../../elsewhere/node_modules/@atomic/workflows/package.json": '{ "name": "@atomic/workflows", "exports": {} }',
  "endings.ts": `import { words } from "./steps/words";
import { words as again } from "./steps/words.js";
import data from "./steps/data.json" with { type: "json" };
const awaited: string = await Promise.resolve(words === again ? "once" : "twice");
${tidy("endings").replace('"Tidies up"', `awaited + " " + data.word`)}`,
  "steps/data.json": '{ "word": "data" }',
  "identity.ts": `import { GraphError } from "@atomic/workflows";
${tidy("identity").replace('"Tidies up"', 'GraphError === globalThis.GraphErrorOfProgram ? "same" : "another"')}`,
  "enum.ts": `enum Color { Red = 1 }\n${tidy("enum").replace('"Tidies up"', "String(Color.Red)")}`,

  "mimics-name.js": `throw new SyntaxError("The requested module './x.js' does not provide an export named 'y'");\n`,
  "mimics-package.js": `throw new Error("Cannot find package '@swc/wasm-typescript' imported from here");\n`,
  "mimics-own.js": `throw new Error("Package subpath './x' is not defined imported from hooks");\n`,
  "mimics-place.js":
    'throw Object.assign(new Error("odd"), { position: { file: "/other.ts", line: 7, column: 7 } });\n',
  "mimics-code.ts": `const code: string = "ERR_MODULE_NOT_FOUND";
throw Object.assign(new Error("no key"), { code });\n`,
  "mimics-bare-code.js": 'throw { code: "ERR_MODULE_NOT_FOUND", message: "no stack" };\n',
  "no-file-late.js": 'export default await import("./steps/gone.js");\n',
  "close-own.ts": 'import { x } from "@atomic/workflows/entitie";\nexport default x;\n',

  "syntax.ts": "const one: number = 1;\nexport default (;\n",
  "syntax-js.js": "const one = 1;\nexport default (;\n",
  "repeated.ts": "const one: number = 1;\n  const one = 2;\nexport default one;\n",
  "inner-syntax.ts": 'import "./steps/broken.ts";\nexport default 1;\n',
  "steps/broken.ts": "let one: number;\nlet one = 2;\n",
  "inner-json.ts": 'import data from "./steps/bad.json" with { type: "json" };\nexport default data;\n',
  "steps/bad.json": '{\n  "one": 1,\n  "two" 2\n}\n',
  "throws.ts": 'const why: string = "no disk";\n\nthrow new Error(why);\n',
  "throws-syntax.ts": 'export default JSON.parse("{");\n',
  "common.js": 'module.exports = require("@atomic/workflows");\n',
  "throws-text.js": 'throw "just a text";\n',
  "no-file.ts": 'import { words } from "./steps/gone.ts";\nexport default words;\n',
  "no-package.ts": 'import { z } from "package-that-nobody-has";\nexport default z;\n',
  "no-name.ts": 'import { word } from "./steps/words.ts";\nexport default word;\n',
  "no-own.ts": 'import { x } from "@atomic/workflows/graph/gone";\nexport default x;\n',
  "no-default.ts": `${tidy("no-default").replace("export default", "export const flow =")}`,
  "nothing.js": "export {};\n",
  "a-promise.ts": "export default Promise.resolve(1);\n",
  "other.ts": tidy("tidy"),
  "twice.ts": `${imports}const one = toolNode({ id: "one", run: () => 1 });
export default defineGraph({ name: "twice" }, (g) => g.start(one).then(one));\n`,
  "open.ts": `import { graph } from "@atomic/workflows";
export default graph({ name: "open" }).if(() => true);\n`,
};

let folder: TemporaryFolder;
/** Paths as people have them. */
const at = (name: string): string => join(folder.path, "späce #1 (100%41)/.atomic/workflows", name);
const names = Object.keys(files).filter((name) => !/^(steps|more)|node_modules\/(?!pack\/workflows)/.test(name));

beforeAll(async () => {
  build();
  folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(name)), { recursive: true });
    await Bun.write(at(name), text);
  }
});

afterAll(() => folder[Symbol.asyncDispose]());

describe.each(runtimes)("on %s", (runtime, command) => {
  let loaded: Map<string, Loaded>;
  let printed: string;
  let askedOf: readonly string[];

  beforeAll(async () => {
    const { results, stderr, asked } = await loadOn(command, names.map(at), { cwd: folder.path });
    loaded = new Map(names.map((name, i) => [name, results[i] as Loaded]));
    printed = stderr;
    askedOf = asked;
  });

  test.each([
    ["TypeScript", "tidy.ts", { name: "tidy", description: "Tidies up" }],
    ["JavaScript", "plain.js", { name: "plain" }],
    ["a builder, with arguments", "builder.ts", { name: "builder", argumentHint: "[topic] | --depth <n>" }],
    ["files beside it, whatever its case", "Helped.ts", { name: "helped", description: "first helper" }],
    [
      "a package",
      "../../elsewhere/node_modules/pack/workflows/packed.ts",
      { name: "packed", description: "from a package" },
    ],
    ["imports without an ending, with .js for .ts, and of JSON", "endings.ts", { description: "once data" }],
    ["a project with packages", "../../elsewhere/uses.ts", { description: "from the project" }],
    ["imports of the classes that the program has", "identity.ts", { description: "same" }],
  ])("a workflow is loaded from %s", (_from, name, expected) => {
    expect(loaded.get(name)).toMatchObject(expected);
    expect(loaded.get(name)?.chart).toStartWith("flowchart");
  });

  test("warnings are not shown to the user", () => {
    expect(printed).toBe("");
  });

  test("nothing is fetched, not even a package that is missing", () => {
    expect(askedOf).toEqual([]);
  });

  test.each([
    ["syntax.ts", "syntax", ":2:17", "."],
    ["syntax-js.js", "syntax", ":2:17", ";"],
    ["repeated.ts", "syntax", ":2:9", "has already been declared."],
    ["throws.ts", "throws", /^:3:\d+$/, "Importing the module failed: no disk."],
    ["throws-syntax.ts", "throws", runtime === "Node" ? ":1:21" : /^:1:\d+$/, "Importing the module failed: "],
    ["throws-text.js", "throws", "", "Importing the module failed: just a text."],
    ["no-file.ts", "import-missing", ":1:23", "Cannot find module './steps/gone.ts'."],
    ["no-package.ts", "import-missing", ":1:19", "Cannot find package 'package-that-nobody-has'."],
    ["no-name.ts", "import-missing", /^(:1:10)?$/, "word"],
    ["no-own.ts", "import-missing", ":1:19", "Cannot find module '@atomic/workflows/graph/gone'."],
    ["../../elsewhere/not-exported.ts", "import-missing", ":1:8", "library/inner"],
    ["../../elsewhere/broken-library.ts", "throws", "", "Importing the module failed: "],
    ["mimics-name.js", "throws", /^:1:\d+$/, "does not provide an export named"],
    ["mimics-package.js", "throws", /^:1:\d+$/, "Cannot find package '@swc/wasm-typescript' imported from here."],
    ["mimics-own.js", "throws", /^:1:\d+$/, "Package subpath './x' is not defined"],
    ["mimics-place.js", "throws", /^:1:\d+$/, "Importing the module failed: odd."],
    ["mimics-code.ts", "throws", /^:2:\d+$/, "Importing the module failed: no key."],
    ["mimics-bare-code.js", "throws", "", "Importing the module failed: no stack."],
    ["no-file-late.js", "import-missing", ":1:29", "Cannot find module './steps/gone.js'."],
    ["no-default.ts", "no-graph", "", 'The module has no default export, but it exports a graph as "flow".'],
    ["nothing.js", "no-graph", "", "The module has no default export."],
    ["a-promise.ts", "no-graph", "", "Its default export is a promise, not a graph."],
    ["other.ts", "other-name", "", 'The graph is named "tidy", but the file is named "other".'],
    ["twice.ts", "graph-invalid", "", 'one: The id "one" is already used by another node.'],
    ["open.ts", "graph-invalid", "", "An .if() is missing .endif()."],
  ] as const)("%s is refused: %s", (name, error, where, message) => {
    const found = loaded.get(name);
    expect(found?.error).toBe(error);
    expect(found?.at).toStartWith(at(name));
    expect(found?.at?.slice(at(name).length)).toEqual(typeof where === "string" ? where : expect.stringMatching(where));
    expect(found?.message).toStartWith(`${found?.at}: `);
    expect(found?.message).toContain(message);
    expect(found?.message).not.toContain("?workflow=");
  });

  test("a misspelled module of this package gets a suggestion", () => {
    expect(loaded.get("close-own.ts")).toMatchObject({
      error: "import-missing",
      hint: "Did you mean @atomic/workflows/entities?",
    });
  });

  test("syntax that Node would have to compile is refused with its place, but runs on Bun", () => {
    const refused = { error: "syntax", at: `${at("enum.ts")}:1:1`, hint: expect.stringContaining("enum") };
    expect(loaded.get("enum.ts")).toMatchObject(runtime === "Node" ? refused : { description: "1" });
  });

  test("a question mark in the path works on Node, and Bun's limit is named", async () => {
    const path = join(folder.path, "why?/tidy.ts");
    await mkdir(dirname(path), { recursive: true });
    const { results } = await loadOn(command, [[path, tidy("tidy")]], { cwd: folder.path });
    const refused = { error: "file-missing", message: expect.stringContaining("Bun cannot load a file from a path") };
    expect(results[0]).toMatchObject(runtime === "Node" ? { name: "tidy" } : refused);
  });

  test("a workflow that requires our modules gets the hint to import them", () => {
    expect(loaded.get("common.js")).toMatchObject({ error: "throws", hint: expect.stringContaining("Use `import`") });
  });

  test("each problem with the graph is on a separate line", () => {
    expect(loaded.get("twice.ts")?.message).toContain('has a problem:\n  one: The id "one" is already used');
  });

  test("if a file beside the workflow cannot be parsed, the error names that file", () => {
    expect(loaded.get("inner-syntax.ts")).toMatchObject({ error: "syntax", at: `${at("steps/broken.ts")}:2:5` });
  });

  test("if JSON beside the workflow cannot be parsed, the error names it, with the place", () => {
    expect(loaded.get("inner-json.ts")).toMatchObject({ error: "syntax", at: `${at("steps/bad.json")}:3:9` });
  });

  test("a workflow that has changed is loaded as it is now, with what it imports", async () => {
    const changing = (description: string): string => tidy("changing", description);
    const word = 'import { word } from "./steps/word.ts";\n';
    const { results } = await loadOn(
      command,
      [
        [at("changing.ts"), changing("first")],
        [at("changing.ts"), word + changing("second").replace('"second"', "word")],
        [at("steps/word.ts"), 'export const word = "third";'],
        at("changing.ts"),
        [at("steps/word.ts"), 'export const word: string = "fourth";'],
        at("changing.ts"),
      ],
      { cwd: folder.path },
    );
    const shown = [0, 1, 3, 5].map((i) => results[i]?.description ?? results[i]?.error);
    expect(shown).toEqual(["first", "import-missing", "third", "fourth"]);
    await Bun.file(at("steps/word.ts")).delete();
  });
});
