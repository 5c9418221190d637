// Runs inside OpenCode's own runtime, in a process of its own: imports a plugin as OpenCode does, and writes down why
// OpenCode would not take it. OpenCode itself says nothing about most of these reasons.
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
    : `its export "${wrong}" is no function, and OpenCode takes every export for a plugin`;
}

function problemWithObject({ id, server, tui }) {
  if (typeof server !== "function") return `its default export has no function "server"`;
  if (tui !== undefined) return `its default export has both "server" and "tui"`;
  if (id !== undefined && (typeof id !== "string" || id.trim() === ""))
    return `its default export has an "id" that is no text`;
  if (isPath && id === undefined) return `its default export has no "id", which OpenCode wants of a plugin in a folder`;
  return undefined;
}

async function load() {
  if (engine !== undefined && !Bun.semver.satisfies(engine.version, engine.range)) {
    return `it wants OpenCode ${engine.range}, and this is ${engine.version}`;
  }
  try {
    return problemWith(await import(entry));
  } catch (error) {
    return `it cannot be imported: ${error instanceof Error || isRecord(error) ? error.message : String(error)}`;
  }
}

const problem = await load();
writeFileSync(answerFile, JSON.stringify(problem === undefined ? { loads: true } : { loads: false, problem }));
// What a plugin starts while it is imported must not keep this process.
process.exit(0);
