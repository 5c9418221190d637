// Writes the package as it is published: `bun bundle.mjs [folder]`, by default `.build/packages/workflows` of the repository.
//
// What a load of entities needs is some eighty modules, and a process that starts pays for each of them. In the published
// package they are one file, `dist/bundle.js`; in the place of each stands a module that passes on what it exports, so that
// every import, from outside or inside, still finds the same classes. Here nothing changes: `tsc -b` is the whole build.
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

const here = import.meta.dirname;
const sources = join(here, "src");
/** Where the load of entities starts. */
const start = join(sources, "initialize.ts");
const bundleName = "bundle.js";

const transpiler = new Bun.Transpiler({ loader: "ts" });

async function writePackage(folder) {
  await compile();
  const modules = await modulesFrom(start);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  await copyCompiled(folder, new Set(modules.map(({ file }) => compiledName(file))));
  for (const name of ["src", "builtin", "README.md"])
    await cp(join(here, name), join(folder, name), { recursive: true });
  await writeBundle(folder, modules);
  for (const module of modules) await writePassage(folder, module);
  await writeManifest(folder);
}

/** Types, and the modules that stay as they are, come from the compiler. */
async function compile() {
  const tsc = join(here, "../../node_modules/.bin/tsc");
  const child = Bun.spawn([tsc, "-b", here], { stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("The package does not compile.");
}

/** The module and all that it imports of this package, each with what it exports besides types. */
async function modulesFrom(first) {
  const found = new Map();
  const open = [first];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const { imports, exports } = transpiler.scan(await readFile(file, "utf8"));
    found.set(file, { file, id: `m${found.size}`, names: exports });
    for (const { path } of imports) if (path.startsWith(".")) open.push(resolve(dirname(file), path));
  }
  return [...found.values()];
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

/** One file with everything that any of the modules exports, under names that are unique. */
async function writeBundle(folder, modules) {
  const everything = modules
    .filter(({ names }) => names.length > 0)
    .map(({ file, id, names }) => {
      const pairs = names.map((name) => `${name} as ${id}_${name}`);
      return `export { ${pairs.join(", ")} } from ${JSON.stringify(file)};`;
    });
  const entry = join(sources, bundleName);
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: everything.join("\n") },
    target: "node",
    // Our own packages from their sources, into the bundle; `yaml` is looked for when it is needed.
    conditions: ["bun"],
    external: ["yaml"],
    sourcemap: "linked",
    naming: bundleName,
    plugins: [
      {
        name: "nothing is late",
        setup: (build) => build.onLoad({ filter: /[/\\]registry\.ts$/ }, ({ path }) => loadAtOnce(path, modules)),
      },
    ],
  });
  for (const output of outputs) {
    const text = await output.text();
    const isMap = output.path.endsWith(".map");
    await writeFile(
      join(folder, "dist", isMap ? `${bundleName}.map` : bundleName),
      isMap ? withPublishedPaths(text) : text,
    );
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

async function writePassage(folder, { file, id, names }) {
  const name = compiledName(file);
  const path = `${"../".repeat(name.split("/").length - 1) || "./"}${bundleName}`;
  const pairs = names.map((each) => `${id}_${each} as ${each}`);
  const text = names.length === 0 ? "export {};\n" : `export { ${pairs.join(", ")} } from "${path}";\n`;
  await mkdir(dirname(join(folder, "dist", name)), { recursive: true });
  await writeFile(join(folder, "dist", name), text);
}

/** Without the sources for Bun, which would compile them one by one, and without what only this repository needs. */
async function writeManifest(folder) {
  const { devDependencies, scripts, files, exports, ...manifest } = JSON.parse(
    await readFile(join(here, "package.json"), "utf8"),
  );
  const published = Object.entries(exports).map(([path, { bun, ...targets }]) => [path, targets]);
  const whole = { ...manifest, files: ["dist", "src", "builtin"], exports: Object.fromEntries(published) };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(whole, null, 2)}\n`);
}

if (import.meta.main) await writePackage(resolve(process.argv[2] ?? join(here, "../../.build/packages/workflows")));
