// Loaded by the real OpenCode in a trial project, in place of a plugin: runs the plugin as OpenCode does, and writes down
// what it adds. OpenCode's own answers do not include tools, hooks and logins.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const keysOf = (value) => (isRecord(value) ? Object.keys(value) : []);

/** The functions that OpenCode calls: those of a default object, or of every export, each once. */
function serversOf(module) {
  const { default: main } = module;
  const isObject = isRecord(main) && ("id" in main || "server" in main || "tui" in main);
  const plugins = isObject ? [main] : [...new Set(Object.values(module))];
  return plugins.map((plugin) => {
    const server = typeof plugin === "function" ? plugin : plugin?.server;
    if (typeof server !== "function") throw new Error("one of its exports is not a function");
    return server;
  });
}

/**
 * The names under which OpenCode calls it. OpenCode also calls exports that are mere helpers and keeps what they return,
 * but never calls that: all other names of OpenCode's hooks have a dot.
 */
function hooksIn(returned) {
  const isHook = (name) => name.includes(".") || name === "event" || name === "dispose";
  const called = keysOf(returned).filter((name) => isHook(name) && typeof returned[name] === "function");
  return isRecord(returned.provider) ? [...called, "provider"] : called;
}

/** The names in SKILL.md files below a folder; without a name, that of the folder. */
function skillsBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => basename(path) === "SKILL.md")
    .map((path) => {
      const [, name] = /^name:\s*["']?([^"'\n]+)/m.exec(readFileSync(join(folder, path), "utf8").slice(0, 4000)) ?? [];
      return name?.trim() ?? basename(dirname(join(folder, path)));
    });
}

/** What a config hook added: names of entities, and the other settings that it changed. */
function addedTo(before, after) {
  const added = (key) => keysOf(after[key]).filter((name) => !(name in (before[key] ?? {})));
  const named = ["agent", "command", "mcp", "provider", "skills"];
  const changed = keysOf(after).filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]));
  const paths = (after.skills?.paths ?? []).filter((path) => !(before.skills?.paths ?? []).includes(path));
  return {
    agents: added("agent"),
    commands: added("command"),
    mcp: added("mcp"),
    providers: added("provider"),
    skills: paths.flatMap(skillsBelow),
    settings: changed.filter((key) => !named.includes(key) && !key.startsWith("plugin")),
  };
}

async function server(input, { entry, answer }) {
  // The answer ends the program: nothing else of the plugin runs.
  const finish = (content) => {
    writeFileSync(answer, JSON.stringify(content));
    process.exit(0);
  };
  const fail = (error) =>
    finish({ problem: isRecord(error) || error instanceof Error ? error.message : String(error) });
  try {
    const all = [];
    for (const each of serversOf(await import(entry))) all.push((await each(input, undefined)) ?? {});
    return {
      config: async (config) => {
        try {
          const before = JSON.parse(JSON.stringify(config));
          for (const hooks of all) await hooks.config?.(config);
          finish({
            ...addedTo(before, JSON.parse(JSON.stringify(config))),
            tools: all.flatMap((hooks) => keysOf(hooks.tool)),
            logins: all.flatMap((hooks) => (typeof hooks.auth?.provider === "string" ? [hooks.auth.provider] : [])),
            hooks: all.flatMap(hooksIn),
          });
        } catch (error) {
          fail(error);
        }
      },
    };
  } catch (error) {
    return fail(error);
  }
}

export default { id: "hugo-probe", server };
