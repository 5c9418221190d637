import { expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import { checkEntryText } from "../../../src/commands/author/check-package.ts";
import { readJsonObject } from "../../../src/packages/json-part.ts";
import { defaultWithoutId, valueExports } from "../../../src/packages/manifest/entry-code.ts";

function check(code: string, json: object = { dependencies: { known: "*" } }): string[] {
  const part = readJsonObject(JSON.stringify(json), { file: "package.json", code: "manifest-invalid", hint: "" });
  return checkEntryText("src/plugin.ts", code, part).map(({ at, message }) => `${at} ${message.split(",", 1)[0]}`);
}

test.each([
  ['export const VERSION = "1";', "VERSION"],
  ["export let count = 0;", "count"],
  ["export const names: string[] = [];", "names"],
  ["export const settings = { loud: true };", "settings"],
  ["export const isLoud = true;", "isLoud"],
  ["export const cache = new Map();", "cache"],
  ["export const nothing = null;", "nothing"],
])("%s is not a plugin", (code, name) => {
  expect(check(`\n${code}\nexport default async () => ({});\n`)).toEqual([
    `src/plugin.ts:2:1 the export "${name}" is not a function`,
  ]);
  expect(check(`${code}\nexport default { id: "p", server: async () => ({}) };\n`)).toEqual([]);
  expect(check(`${code}\nexport default defineWorkflow({ id: "p", root: "." });\n`)).toEqual([]);
});

test.each([
  'const plugin = { id: "p", server: async () => ({}) };\nexport default plugin;\n',
  "import { plugin } from './plugin.ts';\nexport default plugin\n",
  "export default createPlugin({});\n",
])("a value is fine next to %j, which may be an object", (code) => {
  expect(check(`export const VERSION = "1";\n${code}`)).toEqual([]);
});

test.each([
  "const plugin = async () => ({});\nexport default plugin;\n",
  "const $plugin: Plugin = ({ client }) => ({});\nexport default $plugin;\n",
  "async function plugin() {}\nexport default plugin;\n",
  "export default function plugin() {}\n",
  "export default (input) => ({});\n",
  "export default input => ({});\n",
  "export const plugin = async () => ({});\n",
])("a value is harm beside %j", (code) => {
  expect(check(`export const VERSION = "1";\n${code}`)).toEqual([
    'src/plugin.ts:1:1 the export "VERSION" is not a function',
  ]);
});

test.each([
  ["const VERSION = 3;\nexport { plugin, VERSION };", ["VERSION"]],
  ["const VERSION = 3;\nexport { plugin as default, VERSION as version };", ["VERSION"]],
  ["const own = { id: 'p', server };\nconst VERSION = 3;\nexport { own as default, VERSION };", []],
  ["const own = { server };\nexport { plugin, own };", []],
  ["export { plugin, other } from './other.ts';\nconst other = 3;", []],
])("a list of exports is looked through: %j", (code, names) => {
  const found = check(`const plugin = async () => ({});\n${code}\n`);
  expect(found.map((problem) => /"(.*)"/.exec(problem)?.[1])).toEqual(names);
});

test.each([
  "export const plugin = async () => ({});",
  "export const plugin = function () {};",
  "export const plugin: Plugin = async () => ({});",
  "export async function plugin() {}",
  "export const plugin = { id: 'p', server };",
  "export type Settings = { loud: boolean };",
  "export interface Settings { loud: boolean }",
  'const VERSION = "1";',
])("%s is none of our business", (code) => {
  expect(check(code)).toEqual([]);
});

test.each([
  "export default { server };",
  "export default { server: async () => ({ id: 1 }) };",
  "export default {\n  // id: later\n  async server({ client }) { return { id: client.id }; },\n};",
  'export default { name: "id, id", "server": run };',
  "const plugin: PluginModule = { server };\nexport default plugin;\n",
])("%s is loaded from the registry alone", (code) => {
  const line = code.startsWith("const") ? 2 : 1;
  expect(check(code)).toEqual([`src/plugin.ts:${line}:1 the default export has no "id"`]);
});

test.each([
  'export default { server, id: "p" };',
  'export default { "id": "p", async server() {} };',
  "export default { ...base, server };",
  "export default { [key]: 1, server };",
  "export default { tui };",
  "export default async () => ({ server: 1 });",
  "export default defineWorkflow({ server });",
  "export default { server: `{`",
])("%s is not reported, because it is unclear", (code) => {
  expect(check(code)).toEqual([]);
});

const units = [
  "/*",
  "\\`",
  "`",
  '"',
  "'\\",
  "const a:",
  "export default a ",
  " ",
  "{",
  "...",
  "//x",
  "export {a ",
  "export {a,",
  "a,",
];
units.push(
  "export const a:",
  "export const a = {",
  "const a = ",
  "a as default",
  "export ",
  "function a ",
  "let a=new ",
  ";\n",
);

test.each(units)("the text is read in time that grows with it, also of %j", (unit) => {
  const start = "export default a\nconst a = { server: ";
  const read = (size: number): void => {
    expect(defaultWithoutId(start + unit.repeat(size))).toBeUndefined();
    defaultWithoutId(unit.repeat(size) + start);
    for (const before of ["", "export default a ", "export {", "export { a as default }\nfunction a() {}\nexport {"]) {
      valueExports(`${before}${unit.repeat(size)}`);
      valueExports(`${before}${unit.repeat(size)}}\n`);
    }
  };
  expect(growth(5_000, read)).toBeLessThan(1.5);
});

test.each([
  ['import left from "left-pad";', "1:19", "left-pad"],
  ['import { pad } from "left-pad/lib/pad.js";', "1:22", "left-pad"],
  ["import * as all from '@org/left/pad';", "1:23", "@org/left"],
  ['import "left-pad";', "1:9", "left-pad"],
  ['export { pad } from "left-pad";', "1:22", "left-pad"],
  ['import {\n  one,\n  two,\n} from "left-pad";', "4:9", "left-pad"],
])("%s needs a dependency", (code, place, name) => {
  expect(check(code)).toEqual([`src/plugin.ts:${place} "${name}" is imported`]);
});

test.each([
  'import known from "known/sub";',
  'import fs from "fs";',
  'import { join } from "node:path";',
  'import { $ } from "bun";',
  'import { test } from "bun:test";',
  'import "./other.ts";',
  'import up from "../up.ts";',
  'import inner from "#inner";',
  'import type { Plugin } from "@opencode-ai/plugin";',
  'export type { Plugin } from "@opencode-ai/plugin";',
  '// import left from "left-pad";',
  '/*\nimport left from "left-pad";\n*/',
])("%s needs none", (code) => {
  expect(check(code)).toEqual([]);
});

test("every kind of dependency that users get will do, and the package itself", () => {
  const json = {
    name: "me",
    peerDependencies: { peer: "*" },
    optionalDependencies: { maybe: "*" },
    devDependencies: { dev: "*" },
  };
  const code = 'import "peer";\nimport "maybe";\nimport "me/inner";\nimport "dev";\n';
  expect(check(code, json)).toEqual(['src/plugin.ts:4:9 "dev" is imported']);
});
