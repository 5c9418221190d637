// Makes `dist/bundle/`, which the bin runs: the program with all that it needs, a file for each command. One that starts from
// hundreds of files takes twice as long. Run it with Bun; it is quick enough to run it every time.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("dist/bundle", import.meta.url));

const { outputs } = await Bun.build({
  entrypoints: [fileURLToPath(import.meta.resolve("./src/main.ts"))],
  target: "node",
  splitting: true,
  conditions: ["bun"], // the sources of our packages, so that nothing needs to be compiled before
  naming: { chunk: "[name]-[hash].[ext]" },
  plugins: [{ name: "yaml inside", setup: (build) => build.onLoad({ filter: /[/\\]yaml-parser\.ts$/ }, bundleYaml) }],
});

/** At run time it is looked for beside the package that parses with it, where a bundle is not. */
async function bundleYaml({ path }) {
  const source = await readFile(path, "utf8");
  const contents = source.replace('createRequire(import.meta.url)("yaml")', 'require("yaml")');
  if (contents === source) throw new Error(`${path} does not load yaml the way that ${import.meta.filename} expects`);
  return { contents, loader: "ts" };
}

await mkdir(folder, { recursive: true });
const names = outputs.map(({ path }) => path.replace(/^\.\//, ""));
// A command that starts at this moment finds the old program or the new one whole.
for (const output of outputs.toSorted((a, b) => Number(a.kind === "entry-point") - Number(b.kind === "entry-point"))) {
  const file = join(folder, output.path);
  await writeFile(`${file}.new`, await output.text());
  await rename(`${file}.new`, file);
}
for (const old of await readdir(folder)) if (!names.includes(old)) await rm(join(folder, old), { recursive: true });
