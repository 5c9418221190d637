// Makes what runs: the compiled packages, and the bundles of those that are published as few files. Quick when nothing changed.
// Tests and the test bench are read as they are by Bun; their types are a matter of `npm run check`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundled = ["hugo", "magnus-opus"];

function build() {
  run("tsc", "-b", ...packages().map((name) => join("packages", name)));
  for (const name of bundled) run("bun", join("packages", name, "bundle.mjs"));
}

/** The published ones. */
function packages() {
  return readdirSync(join(root, "packages")).filter((name) => {
    const manifest = join(root, "packages", name, "package.json");
    return existsSync(manifest) && !JSON.parse(readFileSync(manifest, "utf8")).private;
  });
}

function run(tool, ...args) {
  const { status, signal, error } = spawnSync(join(root, "node_modules", ".bin", tool), args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status === 0) return;
  console.error(`${[tool, ...args].join(" ")}: ${error?.message ?? `ended with ${signal ?? status}`}`);
  process.exit(1);
}

build();
