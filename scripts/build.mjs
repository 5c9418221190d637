// Makes what runs: `node scripts/build.mjs` compiles the packages and bundles those that are published. With names
// (`node scripts/build.mjs hugo-pm magnus-opus`) it only bundles these packages. @atomic/workflows is written as it is
// published into `.build/packages/workflows`, or with `--to=<folder>` into another folder.
// Tests and the test bench are read as they are by Bun; their types are a matter of `npm run check`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** By folder in `packages`: where each program starts, and what is special about its bundle. */
const programs = {
  atomic: {
    entries: { main: "src/main.ts" },
    late: { "database-source": "src/opencode/database-source.ts" }, // what draws in OpenCode loads it by its name
    page: "src/page/browser/main.ts",
    // The registry finds the builtin workflows beside its own package.
    terminal: { entry: "src/opencode/plugin.ts", keepOut: /^@atomic\/workflows\/internal\/entities\// },
  },
  hugo: {
    entries: { main: "src/main.ts", plugin: "src/plugin.ts" },
    together: { list: "src/commands/list.ts" }, // nearly every command needs what this one needs
    yaml: true,
  },
  "magnus-opus": {
    entries: { cli: "src/cli/main.ts", plugin: "src/plugin.ts", graph: "src/graph/steps.ts" },
    together: { sessions: "src/plugin/session-hooks.ts" }, // every first message needs it
    terminal: { entry: "src/tui/plugin.ts" },
    yaml: true,
    minify: true, // OpenCode loads the plugin at every start
  },
};

const workflows = {
  // What loads entities, what a workflow file imports, and what checks and runs a graph: each is imported by a process that has
  // just started.
  together: {
    registry: [
      "src/entities.ts",
      "src/entities/initialize.ts",
      "src/entities/formats/all.ts",
      "src/entities/opencode-namesakes.ts",
    ],
    workflow: ["src/index.ts"],
    runs: [
      "src/toolkit.ts",
      "src/run/embedded/embedded-engine.ts",
      "src/run/memory/memory-engine.ts",
      "src/entities/workflow-arguments.ts", // too small for a file of its own, which the other two would share
    ],
  },
  beside: { hooks: "src/modules/hooks.ts" },
  copied: ["README.md", "builtin", "schema"],
};

async function build({ names, exact, to }) {
  if (names.length === 0) compile();
  const { bundleProgram } = await import("./build/bundle-program.mjs");
  for (const [name, program] of Object.entries(programs)) {
    const folder = join(root, "packages", name);
    if (!existsSync(folder)) continue;
    if (names.length === 0 || names.includes(manifestOf(folder).name)) await bundleProgram(folder, program, { exact });
  }
  const library = join(root, "packages/workflows");
  if (existsSync(library) && (names.length === 0 || names.includes("@atomic/workflows"))) {
    const { bundleLibrary } = await import("./build/bundle-library.mjs");
    await bundleLibrary(library, to ?? join(root, ".build/packages/workflows"), workflows);
  }
}

function compile() {
  const published = readdirSync(join(root, "packages")).filter((name) => {
    const folder = join(root, "packages", name);
    return existsSync(join(folder, "package.json")) && !manifestOf(folder).private;
  });
  const args = ["-b", ...published.map((name) => join("packages", name))];
  const { status, signal, error } = spawnSync(join(root, "node_modules", ".bin", "tsc"), args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status === 0) return;
  console.error(`tsc ${args.join(" ")}: ${error?.message ?? `ended with ${signal ?? status}`}`);
  process.exit(1);
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

const args = process.argv.slice(2);
await build({
  names: args.filter((arg) => !arg.startsWith("--")),
  exact: args.includes("--exact"),
  to: args.find((arg) => arg.startsWith("--to="))?.slice("--to=".length),
});
