// Runs inside OpenCode's own runtime, in a separate process: imports a plugin as OpenCode does, and writes down why
// OpenCode would not load it. OpenCode itself does not report most of these reasons.
import { writeFileSync } from "node:fs";

const [request, answerFile] = process.argv.slice(2);
const { entry, isPath, engine } = JSON.parse(request);

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isPlugin = (value) => typeof value === "function" || (isRecord(value) && typeof value.server === "function");

function problemWith(module) {
  const { default: main } = module;
  if (isRecord(main) && ("id" in main || "server" in main || "tui" in main)) return problemWithObject(main);
  const names = Object.keys(module);
  if (names.length === 0) return "it exports nothing";
  const [wrong] = names.filter((name) => !isPlugin(module[name]));
  return wrong === undefined
    ? undefined
    : `its export "${wrong}" is not a function, and OpenCode treats every export as a plugin`;
}

function problemWithObject({ id, server, tui }) {
  if (typeof server !== "function") return `its default export has no function "server"`;
  if (tui !== undefined) return `its default export has both "server" and "tui"`;
  if (id !== undefined && (typeof id !== "string" || id.trim() === ""))
    return `its default export has an "id" that is not text`;
  if (isPath && id === undefined)
    return `its default export has no "id", which OpenCode requires for a plugin in a folder`;
  return undefined;
}

async function load() {
  if (engine !== undefined && !Bun.semver.satisfies(engine.version, engine.range)) {
    return `it requires OpenCode ${engine.range}, but this is ${engine.version}`;
  }
  try {
    return problemWith(await import(entry));
  } catch (error) {
    return `it cannot be imported: ${error instanceof Error || isRecord(error) ? error.message : String(error)}`;
  }
}

const problem = await load();
writeFileSync(answerFile, JSON.stringify(problem === undefined ? { loads: true } : { loads: false, problem }));
// What a plugin starts during the import must not keep this process alive.
process.exit(0);
