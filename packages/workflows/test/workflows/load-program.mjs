// Loads workflows on whichever runtime it is started with: node load-program.mjs <folder of the compiled package> <files…>
// A file that is followed by `=<text>` is written first, so that one process can load a file, change it and load it again.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...loads] = process.argv.slice(2);
const at = (module) => pathToFileURL(join(folder, module)).href;
const { loadWorkflow } = await import(at("graph/load-workflow.js"));
const { GraphError } = await import(at("graph/graph-error.js"));
const { toMermaid } = await import(at("graph/pictures.js"));

// A workflow of the test compares it with what it imports.
globalThis.GraphErrorOfProgram = GraphError;

const results = [];
for (const load of loads) {
  const [path, text] = load.split(/=(.*)/s);
  if (text !== undefined) writeFileSync(path, text);
  const displayName = basename(path).replace(/\.[tj]s$/, "");
  const entity = { type: "workflow", name: displayName.toLowerCase(), displayName, source: { path } };
  try {
    const { name, description, argumentHint, assemble } = await loadWorkflow(entity);
    results.push({ name, description, argumentHint, chart: toMermaid(assemble().json) });
  } catch (error) {
    const { code, at, message, hint } = error;
    results.push({ error: code ?? "unexpected", at, message: code === undefined ? error.stack : message, hint });
  }
}
console.log(JSON.stringify(results));
