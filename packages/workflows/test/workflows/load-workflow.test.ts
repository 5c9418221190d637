// A workflow is loaded from a file wherever it lies, on every runtime, also where nothing is installed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { build, type Loaded, loadOn, runtimes } from "./runtimes.ts";

setDefaultTimeout(60_000);

const imports = `import { defineGraph } from "@atomic/workflows/graph/define-graph";
import { toolNode } from "@atomic/workflows/graph/nodes/tool";
`;

function tidy(name: string, description = "Tidies up"): string {
  return `${imports}export default defineGraph({ name: "${name}", description: "${description}" }, (g) =>
  g.start(toolNode({ id: "sweep", run: (): number => 1 })));\n`;
}

const files = {
  "tidy.ts": tidy("tidy"),
  "plain.js": tidy("plain").replace(": number", ""),
  "builder.ts": `import { graph } from "@atomic/workflows/graph/builder";
import { waitNode } from "@atomic/workflows/graph/nodes/wait";
const args = { depth: { type: "number" }, topic: { type: "rest" } } as const;
export default graph({ name: "builder", arguments: args }).start(waitNode({ prompt: "Go on?" }));\n`,
  "Helped.ts": `import { words } from "./steps/words.ts";\n${tidy("helped").replace('"Tidies up"', "words as string")}`,
  "steps/words.ts": 'import { more } from "../more.js";\nexport const words: string = "first " + more;\n',
  "more.js": 'export const more = "helper";\n',
  // Under node_modules, where Node itself takes no types out; elsewhere, for Bun fetches nothing where it finds such a folder.
  "../../elsewhere/node_modules/pack/workflows/packed.ts": tidy("packed"),

  "syntax.ts": "const one: number = 1;\nexport default (;\n",
  "syntax-js.js": "const one = 1;\nexport default (;\n",
  "repeated.ts": "const one: number = 1;\n  const one = 2;\nexport default one;\n",
  "inner-syntax.ts": 'import "./steps/broken.ts";\nexport default 1;\n',
  "steps/broken.ts": "let one: number;\nlet one = 2;\n",
  "throws.ts": 'const why: string = "no disk";\n\nthrow new Error(why);\n',
  "throws-syntax.ts": 'export default JSON.parse("{");\n',
  "common.js": 'module.exports = require("@atomic/workflows/graph/define-graph");\n',
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
  "open.ts": `import { graph } from "@atomic/workflows/graph/builder";
export default graph({ name: "open" }).if(() => true);\n`,
};

let folder: TemporaryFolder;
const at = (name: string): string => join(folder.path, ".atomic/workflows", name);
const names = Object.keys(files).filter((name) => !/^(steps|more)/.test(name));

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
    ["a package", "../../elsewhere/node_modules/pack/workflows/packed.ts", { name: "packed" }],
  ])("a workflow is loaded from %s", (_from, name, expected) => {
    expect(loaded.get(name)).toMatchObject(expected);
    expect(loaded.get(name)?.chart).toStartWith("flowchart");
  });

  test("nobody is bothered with warnings", () => {
    expect(printed).toBe("");
  });

  test("nothing is fetched, not even a package that is missing", () => {
    expect(askedOf).toEqual([]);
  });

  test.each([
    ["syntax.ts", "syntax", ":2:17", "."],
    ["syntax-js.js", "syntax", ":2:17", ";"],
    ["repeated.ts", "syntax", ":2:9", "has already been declared."],
    ["throws.ts", "throws", /^:3:\d+$/, "It fails when it is imported: no disk."],
    ["throws-syntax.ts", "throws", runtime === "Node" ? ":1:21" : /^:1:\d+$/, "It fails when it is imported: "],
    ["throws-text.js", "throws", "", "It fails when it is imported: just a text."],
    ["no-file.ts", "import-missing", "", "Cannot find module"],
    ["no-package.ts", "import-missing", "", "Cannot find package 'package-that-nobody-has'"],
    ["no-name.ts", "import-missing", /^(:1:10)?$/, "word"],
    ["no-own.ts", "import-missing", "", "There is no module @atomic/workflows/graph/gone."],
    ["no-default.ts", "no-graph", "", 'It has no default export, but a graph is exported as "flow".'],
    ["nothing.js", "no-graph", "", "It has no default export."],
    ["a-promise.ts", "no-graph", "", "Its default export is a promise, and not a graph."],
    ["other.ts", "other-name", "", 'The graph is called "tidy", and the file "other".'],
    ["twice.ts", "graph-invalid", "", 'one: The id "one" is taken by another.'],
    ["open.ts", "graph-invalid", "", "An .if() lacks .endif()."],
  ] as const)("%s is refused: %s", (name, error, where, message) => {
    const found = loaded.get(name);
    expect(found?.error).toBe(error);
    expect(found?.at).toStartWith(at(name));
    expect(found?.at?.slice(at(name).length)).toEqual(typeof where === "string" ? where : expect.stringMatching(where));
    expect(found?.message).toStartWith(`${found?.at}: `);
    expect(found?.message).toContain(message);
    expect(found?.message).not.toContain("?workflow=");
  });

  test("who requires our modules is told to import them", () => {
    expect(loaded.get("common.js")).toMatchObject({ error: "throws", hint: expect.stringContaining("Use `import`") });
  });

  test("a problem of the graph has a line of its own", () => {
    expect(loaded.get("twice.ts")?.message).toContain('has a problem:\n  one: The id "one" is taken');
  });

  test("a file beside the workflow that cannot be parsed is the one that is named", () => {
    expect(loaded.get("inner-syntax.ts")).toMatchObject({ error: "syntax", at: `${at("steps/broken.ts")}:2:5` });
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
    const told = [0, 1, 3, 5].map((i) => results[i]?.description ?? results[i]?.error);
    expect(told).toEqual(["first", "import-missing", "third", "fourth"]);
    await Bun.file(at("steps/word.ts")).delete();
  });
});
