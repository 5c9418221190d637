// Makes `bin/hugo.js`, and `dist/bundle/` that it runs: the program with all that it needs, a file for each command. One that
// starts from hundreds of files takes twice as long. Run it with Bun; it is quick enough to run it every time.
import { statSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Bun takes longer for each of them than `hugo list` for all the rest, and most commands need them late or never. */
const slowModules =
  /^node:(?:child_process|crypto|fs\/promises|https?|stream\/promises|timers\/promises|tls|url|zlib)$/;

/**
 * What commands share lies in as many files as there are sets of commands that share something, and to find a file costs as
 * much as 10 kB of code. So all of `others` load what `all` of them need nearly anyway, and it lies in few.
 */
const together = [
  {
    all: "operations/enable.ts",
    others: namesIn("operations", "diff disable health install outdated remove status switch undo verify"),
  },
  {
    all: "operations/install.ts",
    others: [
      ...namesIn("operations", "build ci info update"),
      ...namesIn("fetch", "dependencies/install-dependencies git/from-git registry/from-registry tarball/unpack"),
      "report/approval.ts",
    ],
  },
];

process.chdir(import.meta.dirname); // paths from here are in the files, and in the hashes of their names
const folder = fileURLToPath(new URL("dist/bundle", import.meta.url));

const asBuilt = {
  target: "node",
  conditions: ["bun"], // the sources of our packages, so that nothing needs to be compiled before
};

// Answers the most frequent command by itself: each further file takes longer than all that is done for it.
const bin = await Bun.build({
  ...asBuilt,
  entrypoints: [sourceOf("bin.ts")],
  plugins: [
    {
      name: "the program apart",
      setup: (build) =>
        build.onResolve({ filter: /^\.\/main\.ts$/ }, () => ({
          path: "../dist/bundle/main.js",
          external: true,
        })),
    },
  ],
});

// The program, and what OpenCode loads as a plugin.
const program = await Bun.build({
  ...asBuilt,
  entrypoints: [sourceOf("main.ts"), sourceOf("plugin.ts")],
  splitting: true,
  naming: { chunk: "[name]-[hash].[ext]" },
  plugins: [
    {
      name: "few files",
      setup: (build) => build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, loadTogether),
    },
    {
      // In a file of its own, as few commands need so much. At run time it is looked for beside the package that parses
      // with it, where a bundle is not.
      name: "yaml beside",
      setup: (build) =>
        build.onLoad(
          { filter: /[/\\]yaml-parser\.ts$/ },
          changing('(import.meta.url)("yaml")', '(import.meta.url)("./yaml.cjs")'),
        ),
    },
    {
      // The one thing that is wanted of a slow module and is not a function.
      name: "certificates when they are needed",
      setup: (build) =>
        build.onLoad(
          { filter: /[/\\]registry[/\\]connection\.ts$/ },
          changing("tls.rootCertificates", 'process.getBuiltinModule("node:tls").rootCertificates'),
        ),
    },
    {
      name: "tools described",
      setup: (build) => build.onLoad({ filter: /[/\\]plugin[/\\]definition-of\.ts$/ }, describeTools),
    },
    {
      name: "slow modules of the runtime when they are needed",
      setup: (build) => {
        build.onResolve({ filter: slowModules }, ({ path }) => ({ path, namespace: "when-needed" }));
        build.onLoad({ filter: slowModules, namespace: "when-needed" }, loadWhenNeeded);
      },
    },
  ],
});

function sourceOf(name) {
  return fileURLToPath(import.meta.resolve(`./src/${name}`));
}

function namesIn(folder, names) {
  return names.split(" ").map((name) => `${folder}/${name}.ts`);
}

async function loadTogether({ path }) {
  const needed = together.filter(({ others }) => others.some((other) => sourceOf(other) === path));
  if (needed.length === 0) return undefined;
  const imports = needed.map(({ all }) => `import ${JSON.stringify(sourceOf(all))};`);
  return { contents: [await readFile(path, "utf8"), ...imports].join("\n"), loader: "ts" };
}

/** Loads a source with something else in the place of one thing. */
function changing(from, to) {
  return async ({ path }) => {
    const source = await readFile(path, "utf8");
    if (!source.includes(from)) throw new Error(`${path} has no ${from}, which ${import.meta.filename} expects`);
    return { contents: source.replaceAll(from, () => to), loader: "ts" };
  };
}

/** OpenCode asks with its first request to a model; to find it out then, every operation would have to be loaded. */
async function describeTools() {
  const { tools } = await import("./src/plugin/tools.ts");
  const { definitionOf } = await import("./src/plugin/definition-of.ts");
  const described = await Promise.all(tools.map(async (tool) => [tool.name, await definitionOf(tool)]));
  const contents = `const definitions = ${JSON.stringify(Object.fromEntries(described))};
export const definitionOf = async ({ name }) => definitions[name];`;
  return { contents, loader: "js" };
}

/** Its functions under their names, each of which gets the real one when it is called. */
async function loadWhenNeeded({ path }) {
  // What `promisify` treats in a special way would be treated in the ordinary one, so it cannot be imported at all.
  const names = Object.entries(await import(path)).filter(
    ([name, value]) => typeof value === "function" && name !== "default" && !(promisify.custom in value),
  );
  const functions = names.map(
    ([name]) => `export function ${name}(...given) {
  const { ${name}: real } = process.getBuiltinModule(${JSON.stringify(path)});
  return new.target === undefined ? real(...given) : Reflect.construct(real, given);
}`,
  );
  return { contents: functions.join("\n"), loader: "js" };
}

// Only the functions of a slow module can be had when they are needed: whoever wants more of one has to say so above.
for (const log of [...bin.logs, ...program.logs]) throw log;

const yaml = await Bun.build({
  target: "node",
  format: "cjs",
  entrypoints: [Bun.resolveSync("yaml", import.meta.dirname)],
  naming: "yaml.cjs",
});

const own = `${folder}-${process.pid}`; // whoever bundles at the same time has another one
await mkdir(folder, { recursive: true });
await mkdir("bin", { recursive: true });
await mkdir(own, { recursive: true });
// The entries last: a command that starts at this moment finds the old program or the new one whole.
const outputs = [...yaml.outputs, ...program.outputs];
for (const output of outputs.toSorted((a, b) => Number(a.kind === "entry-point") - Number(b.kind === "entry-point"))) {
  await put(output, join(folder, output.path), 0o644);
}
await put(bin.outputs[0], join("bin", "hugo.js"), 0o755);
await rm(own, { recursive: true });

async function put(output, file, mode) {
  const whole = join(own, output.path);
  await writeFile(whole, await output.text(), { mode });
  await rename(whole, file);
}

const names = outputs.map(({ path }) => path.replace(/^\.\//, ""));
const forPublishing = process.argv.includes("--only");
for (const old of await readdir(folder)) {
  if (!names.includes(old) && (forPublishing || isOutOfUse(join(folder, old))))
    await rm(join(folder, old), { force: true });
}

/** A command that has started before may still load a part of the old program. */
function isOutOfUse(file) {
  const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs > 60_000;
}
