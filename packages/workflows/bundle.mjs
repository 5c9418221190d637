// Writes the package as it is published: `bun bundle.mjs [folder]`, by default `.build/packages/workflows` of the repository.
//
// What a load of entities needs is some eighty modules, what a run needs another hundred, and a process that starts pays for
// each of them. In the published package each of these is one file, `dist/bundle.js` and `dist/runs.js`, and what both need a
// third, `dist/shared.js`; in the place of each module stands one that passes on what it exports, so that every import, from
// outside or inside, still finds the same classes. Here nothing changes: `tsc -b` is the whole build.
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { stripTypes } from "./src/graph/strip-types.ts";

const here = import.meta.dirname;
const sources = join(here, "src");
/** Where the load of entities starts. */
const entityModules = ["initialize.ts"];
/** Where runs start: whatever builds, checks and executes graphs. */
const runModules = [
  "graph/builder.ts",
  "graph/define-graph.ts",
  "graph/interpret.ts",
  "graph/nodes/",
  "run/embedded/embedded-engine.ts",
  "run/memory/memory-engine.ts",
];

/** Imports modules late, to save time where they are files of their own. */
const lateImporter = join(sources, "registry.ts");

/** Only functions of these are used, none of them as a class. */
const lateBuiltins = /^node:(child_process|crypto|util|zlib)$/;

const transpiler = new Bun.Transpiler({ loader: "ts" });

async function writePackage(folder) {
  await compile();
  const bundles = await planBundles();
  const modules = bundles.flatMap((bundle) => bundle.modules);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  await copyCompiled(folder, new Set(modules.map(({ file }) => compiledName(file))));
  for (const name of ["src", "builtin", "schema", "README.md"])
    await cp(join(here, name), join(folder, name), { recursive: true });
  await compileWorkflows(join(folder, "builtin/workflows"));
  for (const bundle of bundles) await writeBundle(folder, bundle, modules);
  for (const module of modules) await writePassage(folder, module);
  await writeManifest(folder);
}

/** Our own workflows come without types, so that Node 20 runs them without anything that takes them out. */
async function compileWorkflows(folder) {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".ts")) continue;
    const path = join(folder, name);
    await writeFile(path.replace(/\.ts$/, ".js"), stripTypes(await readFile(path, "utf8"), name));
    await rm(path);
  }
}

/** Every module is in one of them, once. */
async function planBundles() {
  const entities = await modulesFrom(entityModules);
  const runs = await modulesFrom(runModules);
  const isShared = (file) => entities.has(file) && runs.has(file);
  const named = (name, files) => ({ name, modules: files.map((file) => ({ file, bundle: name })) });
  const bundles = [
    named("shared.js", [...entities].filter(isShared)),
    named(
      "bundle.js",
      [...entities].filter((file) => !isShared(file)),
    ),
    named(
      "runs.js",
      [...runs].filter((file) => !isShared(file)),
    ),
  ];
  for (const [index, module] of bundles.flatMap((bundle) => bundle.modules).entries()) {
    const { exports } = transpiler.scan(await readFile(module.file, "utf8"));
    Object.assign(module, { id: `m${index}`, names: exports });
  }
  return bundles;
}

/** Types, and the modules that stay as they are, come from the compiler. */
async function compile() {
  const tsc = join(here, "../../node_modules/.bin/tsc");
  const child = Bun.spawn([tsc, "-b", here], { stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("The package does not compile.");
}

/** These modules, or all of a folder, and all that they import of this package. */
async function modulesFrom(starts) {
  const found = new Set();
  const open = [];
  for (const start of starts) {
    const names = start.endsWith("/") ? (await readdir(join(sources, start))).map((name) => start + name) : [start];
    open.push(...names.map((name) => join(sources, name)));
  }
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const { imports } = transpiler.scan(await readFile(file, "utf8"));
    for (const { path } of imports) if (path.startsWith(".")) open.push(resolve(dirname(file), path));
  }
  return found;
}

/** `src/frontmatter/scan.ts` is `frontmatter/scan.js` in `dist`. */
function compiledName(file) {
  return relative(sources, file).replaceAll("\\", "/").replace(/\.ts$/, ".js");
}

async function copyCompiled(folder, bundled) {
  const dist = join(here, "dist");
  for (const name of await readdir(dist, { recursive: true })) {
    const file = name.replaceAll("\\", "/");
    const [stem, ending] = file.split(/(\.(?:d\.ts|js)(?:\.map)?$)/);
    // The compiler leaves behind what it made of sources that are gone.
    if (ending === undefined || !existsSync(join(sources, `${stem}.ts`))) continue;
    if (!bundled.has(file.replace(/\.map$/, ""))) await cp(join(dist, file), join(folder, "dist", file));
  }
}

/** One file with everything that any of its modules exports, under names that are unique. */
async function writeBundle(folder, { name, modules }, all) {
  const everything = modules
    .filter(({ names }) => names.length > 0)
    .map(({ file, id, names }) => {
      const pairs = names.map((each) => `${each} as ${id}_${each}`);
      return `export { ${pairs.join(", ")} } from ${JSON.stringify(file)};`;
    });
  const entry = join(sources, name);
  const elsewhere = new Map(all.filter(({ bundle }) => bundle !== name).map((module) => [module.file, module]));
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: everything.join("\n") },
    target: "node",
    // Our own packages from their sources, into the bundle; `yaml` is looked for when it is needed.
    conditions: ["bun"],
    external: ["yaml"],
    sourcemap: "linked",
    naming: name,
    plugins: [
      {
        name: "once, at once or late",
        setup: (build) => {
          build.onResolve({ filter: /^\.\/shared\.js$/ }, ({ path }) => ({ path, external: true }));
          build.onResolve({ filter: lateBuiltins }, ({ path }) => ({ path, namespace: "late" }));
          build.onLoad({ filter: /./, namespace: "late" }, ({ path }) => ({
            contents: lateBuiltin(path),
            loader: "js",
          }));
          build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const module = elsewhere.get(path);
            if (module !== undefined) return { contents: passageTo("./", module), loader: "ts" };
            return path === lateImporter ? await loadAtOnce(path, all) : undefined;
          });
        },
      },
    ],
  });
  for (const output of outputs) {
    const text = await output.text();
    const isMap = output.path.endsWith(".map");
    await writeFile(join(folder, "dist", isMap ? `${name}.map` : name), isMap ? withPublishedPaths(text) : text);
  }
}

/** A module that is imported late saves time where it is a file of its own; inside a bundle it costs some. */
async function loadAtOnce(path, modules) {
  const early = [];
  const source = await readFile(path, "utf8");
  const contents = source.replace(/\bimport\("(\.[^"]+)"\)/g, (_late, target) => {
    const { id, names } = modules.find(({ file }) => file === resolve(dirname(path), target));
    early.push(`import { ${names.map((name) => `${name} as ${id}_${name}`).join(", ")} } from "${target}";`);
    return `({ ${names.map((name) => `${name}: ${id}_${name}`).join(", ")} })`;
  });
  if (early.length === 0)
    throw new Error(`${path} imports nothing late: take this step out of ${import.meta.filename}`);
  // In one line with the first, so that the others stay where the map says.
  return { contents: `${early.join(" ")} ${contents}`, loader: "ts" };
}

/**
 * A module of the runtime that is loaded when one of its functions is called. Many runs call none before they have started,
 * and these take longer than all that is ours: on Bun more than half of the import.
 */
function lateBuiltin(name) {
  const functions = Object.entries(process.getBuiltinModule(name)).filter(([, value]) => typeof value === "function");
  const passed = functions.map(([each]) => `export function ${each}(...args) { return loaded().${each}(...args); }`);
  return `let found;
    function loaded() { return (found ??= process.getBuiltinModule(${JSON.stringify(name)})); }
    ${passed.filter((each) => !each.startsWith("export function default(")).join("\n")}`;
}

/** As seen from `dist`, in a folder of installed packages. */
function withPublishedPaths(text) {
  const map = JSON.parse(text);
  const sources = map.sources.map((source) =>
    source.replace(/^.*?(?:([\w-]+)\/)?src\//, (_path, folder) =>
      folder === undefined || folder === "workflows" ? "../src/" : `../../${folder}/src/`,
    ),
  );
  return JSON.stringify({ ...map, sources });
}

async function writePassage(folder, module) {
  const name = compiledName(module.file);
  await mkdir(dirname(join(folder, "dist", name)), { recursive: true });
  await writeFile(join(folder, "dist", name), passageTo("../".repeat(name.split("/").length - 1) || "./", module));
}

/** A module in the place of one that is in a bundle. `dist` is where the bundles are. */
function passageTo(dist, { bundle, id, names }) {
  const pairs = names.map((each) => `${id}_${each} as ${each}`);
  return names.length === 0 ? "export {};\n" : `export { ${pairs.join(", ")} } from "${dist}${bundle}";\n`;
}

/** Without the sources for Bun, which would compile them one by one, and without what only this repository needs. */
async function writeManifest(folder) {
  const { devDependencies, scripts, files, exports, ...manifest } = JSON.parse(
    await readFile(join(here, "package.json"), "utf8"),
  );
  const published = Object.entries(exports).map(([path, { bun, ...targets }]) => [path, targets]);
  const whole = { ...manifest, files: ["dist", "src", "builtin", "schema"], exports: Object.fromEntries(published) };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(whole, null, 2)}\n`);
}

if (import.meta.main) await writePackage(resolve(process.argv[2] ?? join(here, "../../.build/packages/workflows")));
