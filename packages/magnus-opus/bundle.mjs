// Makes `dist/bundle/plugin.js`, what OpenCode loads, `dist/bundle/graph.js`, what workflows/implement.ts needs, and
// `bin/magnus-opus.js`, what a shell runs: each with all that it needs, so that nothing is looked for at run time but the
// Markdown beside them. Run it with Bun.
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

process.chdir(import.meta.dirname); // paths from here are in the files
const folder = join("dist", "bundle");
const own = `${folder}-${process.pid}`; // whoever bundles at the same time has another one
await mkdir(own, { recursive: true });
await mkdir(folder, { recursive: true });

/** Only frontmatter that is more than plain needs it. At run time it is looked for beside the file that asks. */
const yamlBeside = (place) => ({
  name: "yaml beside",
  setup: (build) =>
    build.onLoad({ filter: /[/\\]yaml-parser\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const wanted = '(import.meta.url)("yaml")';
      if (!source.includes(wanted)) throw new Error(`${path} has no ${wanted}, which ${import.meta.filename} expects`);
      return { contents: source.replaceAll(wanted, () => `(import.meta.url)(${JSON.stringify(place)})`), loader: "ts" };
    }),
});

const asBuilt = {
  target: "node",
  conditions: ["bun"], // the sources of our packages, so that nothing needs to be compiled before
  minify: true,
};

async function bundle(source, { to, yaml, mode = 0o644 }) {
  const { outputs, logs } = await Bun.build({ ...asBuilt, entrypoints: [source], plugins: [yamlBeside(yaml)] });
  for (const log of logs) throw log;
  await put(await outputs[0].text(), to, mode);
}

/** Whole or not at all: an OpenCode that starts at this moment finds the old one or the new one. */
async function put(text, to, mode) {
  const whole = join(own, "next.js");
  await writeFile(whole, text);
  await chmod(whole, mode);
  await rename(whole, to);
}

const yaml = await Bun.build({
  target: "node",
  format: "cjs",
  minify: true,
  entrypoints: [Bun.resolveSync("yaml", join(import.meta.dirname, "../workflows"))],
});
await put(await yaml.outputs[0].text(), join(folder, "yaml.cjs"), 0o644);
await bundle("src/plugin.ts", { to: join(folder, "plugin.js"), yaml: "./yaml.cjs" });
await bundle("src/graph/steps.ts", { to: join(folder, "graph.js"), yaml: "./yaml.cjs" });
if (existsSync("src/cli.ts")) {
  await mkdir("bin", { recursive: true });
  await bundle("src/cli.ts", { to: join("bin", "magnus-opus.js"), yaml: "../dist/bundle/yaml.cjs", mode: 0o755 });
}
await rm(own, { recursive: true });
