// Run by each runtime: node runtime-probe.mjs <folder of the modules> <their extension>. Prints what parse and edit gave.
import { pathToFileURL } from "node:url";

const [folder, extension] = process.argv.slice(2);
const load = (name) => import(new URL(`jsonc/${name}${extension}`, `${pathToFileURL(folder)}/`));
const [{ parseJsonc }, { toValue }, { editJsonc }] = await Promise.all(["parse", "value", "edit"].map(load));

const text = '\ufeff{\r\n\t"plugin": [\r\n\t\t"a" // why\r\n\t],\r\n\t"__proto__": { "x": 1 },\r\n}';
const inserted = editJsonc(text, [{ op: "insert", path: ["plugin"], value: ["b", { c: 1 }] }]);
const value = toValue(parseJsonc(inserted).root);
let refused;
try {
  parseJsonc(text.slice(0, -1), { file: "opencode.json" });
} catch (error) {
  refused = { code: error.code, message: error.message };
}
const restored = editJsonc(inserted, [{ op: "remove", path: ["plugin", 1] }]) === text;
console.log(JSON.stringify({ inserted, value, polluted: value.x ?? {}.x ?? null, refused, restored }));
