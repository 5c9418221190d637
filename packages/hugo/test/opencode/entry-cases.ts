import type { Files } from "../commands/package-folder.ts";

/** A package.json and its files, and what OpenCode loads of it: as an npm package, and as a folder. */
export interface EntryCase {
  readonly json: object;
  readonly files: readonly string[];
  readonly ofPackage?: string;
  readonly ofPath?: string;
}

const both = (file: string) => ({ ofPackage: file, ofPath: file });

export const entryCases: Readonly<Record<string, EntryCase>> = {
  main: { json: { main: "lib/a.js" }, files: ["lib/a.js"], ...both("lib/a.js") },
  "main with a dot": { json: { main: "./a.ts" }, files: ["a.ts"], ...both("a.ts") },
  "a server": { json: { exports: { "./server": "./s.js" }, main: "a.js" }, files: ["s.js", "a.js"], ...both("s.js") },
  "a server for import": {
    json: { exports: { "./server": { types: "./s.d.ts", import: "./s.js" } } },
    files: ["s.js"],
    ...both("s.js"),
  },
  "a server by default": { json: { exports: { "./server": { default: "./s.js" } } }, files: ["s.js"], ...both("s.js") },
  "a server for bun alone": { json: { exports: { "./server": { bun: "./s.js" } } }, files: ["s.js"] },
  "a server for bun, and main": {
    json: { exports: { "./server": { bun: "./s.js" } }, main: "a.js" },
    files: ["s.js", "a.js"],
    ...both("a.js"),
  },
  "exports alone": { json: { exports: { ".": "./a.js" } }, files: ["a.js"] },
  "exports alone, with an index": {
    json: { exports: { ".": "./a.js" } },
    files: ["a.js", "index.js"],
    ofPath: "index.js",
  },
  "an index": { json: {}, files: ["index.js"], ...both("index.js") },
  "an index in TypeScript": { json: {}, files: ["index.ts"], ...both("index.ts") },
  "a module": { json: { module: "index.ts" }, files: ["index.ts"], ...both("index.ts") },
  "a module elsewhere": { json: { module: "lib/m.ts" }, files: ["lib/m.ts"], ...both("lib/m.ts") },
  "a module and an index": { json: { module: "lib/m.ts" }, files: ["lib/m.ts", "index.js"], ...both("index.js") },
  "a module and exports": { json: { module: "m.ts", exports: { ".": "./m.ts" } }, files: ["m.ts"] },
  "an index in several forms": {
    json: {},
    files: ["index.cjs", "index.js", "index.mjs", "index.ts"],
    ...both("index.ts"),
  },
  "an index for modules": { json: {}, files: ["index.cjs", "index.js", "index.mjs"], ...both("index.mjs") },
  "exports as text, with an index": { json: { exports: "./a.js" }, files: ["a.js", "index.js"], ...both("index.js") },
  nothing: { json: {}, files: ["a.js"] },
  "an empty main": { json: { main: " " }, files: ["index.js"], ...both("index.js") },
  "a way out": { json: { main: "../../outside.js" }, files: ["index.js"] },
};

/** The files of a case; the code in each says which one it is. */
export function filesOf(id: string, { json, files }: EntryCase): Files {
  const code = (file: string): string =>
    `export default { id: "${id}", server: async () => ({ config: async (config) => {
      config.agent = { ...config.agent, "${id}": { prompt: "${file}" } };
    } }) };\n`;
  return {
    "package.json": { name: id, version: "1.0.0", type: "module", ...json },
    ...Object.fromEntries(files.map((file) => [file, code(file)])),
  };
}
