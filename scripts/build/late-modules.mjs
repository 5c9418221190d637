import { promisify } from "node:util";

/** Bun takes longer to load each of them than `hugo list` takes for everything else, and many commands call none of them. */
const slow = /^node:(?:child_process|crypto|fs\/promises|https?|stream\/promises|timers\/promises|tls|url|util|zlib)$/;
const prefix = "\0late:";

/**
 * A rolldown plugin: a slow module of the runtime is loaded when one of its functions is called for the first time. Anything
 * else that such a module exports cannot be imported, and the build says so.
 */
export function lateModules() {
  return {
    name: "late modules",
    resolveId: (id) => (slow.test(id) ? prefix + id : undefined),
    load: (id) => (id.startsWith(prefix) ? functionsOf(id.slice(prefix.length)) : undefined),
  };
}

function functionsOf(name) {
  const functions = Object.entries(process.getBuiltinModule(name)).filter(
    ([each, value]) => typeof value === "function" && each !== "default",
  );
  const exported = functions.map(
    ([each]) => `export function ${each}(...given) {
  const { ${each}: real } = loaded();
  return new.target === undefined ? real(...given) : Reflect.construct(real, given);
}`,
  );
  // Some functions define how `promisify` converts them.
  const promised = functions.filter(([, value]) => promisify.custom in value);
  const converted = promised.map(
    ([each]) =>
      `Object.defineProperty(${each}, Symbol.for("nodejs.util.promisify.custom"), { get: () => loaded().${each}[Symbol.for("nodejs.util.promisify.custom")] });`,
  );
  return `let found;
const loaded = () => (found ??= process.getBuiltinModule(${JSON.stringify(name)}));
${[...exported, ...converted].join("\n")}`;
}
