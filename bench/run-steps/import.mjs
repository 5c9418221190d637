// Imports one engine in a fresh process, on Node or on Bun: `import.mjs <what> [milliseconds]`.
const [, , what, milliseconds] = process.argv;

const jobs = {
  nothing: () => true,
  work: () => {
    const begun = process.cpuUsage();
    for (;;) {
      const { user, system } = process.cpuUsage(begun);
      if (user + system >= Number(milliseconds) * 1000) return true;
    }
  },
  atomic: async () => {
    const { graph } = await import("@atomic/workflows");
    await import("@atomic/workflows/graph");
    const { embeddedEngine } = await import("@atomic/workflows/engine");
    return typeof graph === "function" && typeof embeddedEngine === "function";
  },
  mastra: async () => typeof (await theirs("@mastra/core/workflows")).createWorkflow === "function",
  langgraph: async () => typeof (await theirs("@langchain/langgraph")).StateGraph === "function",
};

/** Not a dependency of ours: installed beside this file. */
async function theirs(name) {
  return await import(name);
}

if (!(await jobs[what]())) throw new Error(`${what} was not imported`);
process.exit(); // some leave things open
