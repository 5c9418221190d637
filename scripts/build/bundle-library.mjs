import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { transformSync } from "rolldown/utils";
import { fewFiles, generate, givenByOpencode, inputOptions, isOutOfUse, writeIfChanged } from "./bundle-program.mjs";
import { lateModules } from "./late-modules.mjs";
import { thirdPartyLicenses } from "./licenses.mjs";

/**
 * Writes a library into a folder as it is published: every module that package.json exports, with our other packages inside,
 * and the types of all of it. In the repository its sources are read as they are, which is what the condition `bun` is for.
 *
 * @param together The modules that one file is made for, by its name.
 * @param beside Modules that others find by their place, by the name of their file.
 */
export async function bundleLibrary(source, target, parts) {
  const made = await mkdtemp(join(tmpdir(), "library-"));
  try {
    await writeLibrary(source, made, parts);
    await replaceFiles(made, target);
  } finally {
    await rm(made, { recursive: true });
  }
}

/** Others may read the library, or build it, at the same time: what is the same stays. */
async function replaceFiles(made, target) {
  const filesIn = async (folder) =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const names = new Set(await filesIn(made));
  for (const name of names) await writeIfChanged(join(target, name), await readFile(join(made, name), "utf8"));
  for (const name of await filesIn(target)) {
    const file = join(target, name);
    const isOfAnother = name.endsWith(".tmp") && !(await isOutOfUse(file));
    if (!names.has(name) && !isOfAnother) await rm(file, { force: true });
  }
}

async function writeLibrary(source, target, { together, beside, copied }) {
  const manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const within = (files) => files.map((file) => join(source, file));
  const exported = Object.values(manifest.exports).filter(({ bun }) => bun !== undefined && !bun.includes("*"));
  const input = Object.fromEntries([
    ...exported.map((way) => [way.default.replace(/^\.\/dist\/|\.js$/g, ""), join(source, way.bun)]),
    ...(await internalModules(source, manifest.name)).map((name) => [name, join(source, "src", `${name}.ts`)]),
    ...Object.entries(beside).map(([name, file]) => [name, join(source, file)]),
  ]);
  const starts = Object.fromEntries(Object.entries(together).map(([name, files]) => [name, within(files)]));
  const outputs = await generate(
    { ...inputOptions(source, manifest), input, plugins: [lateModules()] },
    {
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      sourcemap: true,
      codeSplitting: { groups: fewFiles(starts, { shared: 2 }) },
    },
  );
  for (const output of outputs) await write(join(target, "dist", output.fileName), output.code ?? output.source);
  for (const name of copied) await cp(join(source, name), join(target, name), { recursive: true });
  await takeTypesOut(join(target, "builtin/workflows"));
  await cp(join(source, "../../LICENSE"), join(target, "LICENSE"));
  const chunks = outputs.filter(({ type }) => type === "chunk");
  await write(join(target, "THIRD-PARTY-LICENSES"), await thirdPartyLicenses(chunks));
  await copyTypes(source, target, manifest);
  await removeUnreachedTypes(target, manifest);
  const files = ["dist", ...copied, "THIRD-PARTY-LICENSES"];
  await write(join(target, "package.json"), `${JSON.stringify({ ...publishedManifest(manifest), files }, null, 2)}\n`);
}

/** What `./internal/*` has to lead to: the modules that our other packages get from the library when they are installed. */
async function internalModules(source, library) {
  const found = new Set();
  for (const folder of await readdir(join(source, ".."))) {
    const text = await readFile(join(source, "..", folder, "package.json"), "utf8").catch(() => "{}");
    if (JSON.parse(text).dependencies?.[library] === undefined) continue;
    const src = join(source, "..", folder, "src");
    for (const name of (await readdir(src, { recursive: true })).filter((each) => each.endsWith(".ts"))) {
      const code = await readFile(join(src, name), "utf8");
      const imports = code.matchAll(/^import (?!type )[^;]*? from "([^"]+)"|\bimport\("([^"]+)"\)/gm);
      for (const [, early, late = early] of imports) {
        const name = late.startsWith(`${library}/internal/`) ? late.slice(`${library}/internal/`.length) : "";
        if (name !== "") found.add(name);
      }
    }
  }
  // What draws inside OpenCode's terminal is part of the bundles that need it: nothing else has what it imports.
  for (const name of found) {
    const code = await readFile(join(source, "src", `${name}.ts`), "utf8");
    if ([...givenByOpencode].some((given) => code.includes(` from "${given}"`))) found.delete(name);
  }
  return [...found].toSorted();
}

/** Our own workflows come without types, so no runtime has to load a type stripper. */
async function takeTypesOut(folder) {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".ts"))) {
    const { code } = transformSync(name, await readFile(join(folder, name), "utf8"));
    await write(join(folder, name.replace(/ts$/, "js")), code);
    await rm(join(folder, name));
  }
}

/**
 * Without the sources for Bun, which would compile them one by one, without what only the repository needs, and without the types of
 * `./internal/*`: our own packages, which import from there, are compiled here.
 */
function publishedManifest({ devDependencies: _development, scripts: _scripts, exports, ...manifest }) {
  const ways = Object.entries(exports).map(([path, { bun: _source, types, ...targets }]) => [
    path,
    types === undefined || isInternal(path) ? targets : { types, ...targets },
  ]);
  return { ...manifest, exports: Object.fromEntries(ways) };
}

/** The library's types from the compiler, and those of our other packages, which are not published. */
async function copyTypes(source, target, { devDependencies }) {
  const inside = Object.keys(devDependencies).filter(
    (name) => name.startsWith("@atomic/") && name !== "@atomic/testing",
  );
  const packages = new Map();
  for (const name of inside) {
    const folder = join(source, "..", name.slice("@atomic/".length));
    const { exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    packages.set(name, { folder, exports, types: join(target, "dist/types", name.slice("@atomic/".length)) });
  }
  await copyTypesOf(source, join(target, "dist"), packages);
  for (const { folder, types } of packages.values()) await copyTypesOf(folder, types, packages);
}

/** Most modules are internal: of their types, only those stay that a public module mentions. */
async function removeUnreachedTypes(target, { exports }) {
  const publicTypes = Object.entries(exports).filter(([path, { types }]) => types !== undefined && !isInternal(path));
  const reached = new Set(publicTypes.map(([, { types }]) => join(target, types)));
  for (const file of reached) {
    const text = await readFile(file, "utf8");
    for (const [, path] of text.matchAll(/(?:from |import\()"(\.[^"]+)"/g))
      reached.add(join(dirname(file), path.replace(/\.[jt]s$/, ".d.ts")));
  }
  for (const name of await readdir(join(target, "dist"), { recursive: true })) {
    const file = join(target, "dist", name);
    if (name.endsWith(".d.ts") && !reached.has(file)) await rm(file);
  }
}

function isInternal(path) {
  return path.startsWith("./internal/");
}

async function copyTypesOf(folder, types, packages) {
  const dist = join(folder, "dist");
  for (const name of await readdir(dist, { recursive: true })) {
    // The compiler leaves behind what it made of sources that are gone.
    if (!name.endsWith(".d.ts") || !existsSync(join(folder, "src", name.replace(/\.d\.ts$/, ".ts")))) continue;
    const file = join(types, name);
    const text = await readFile(join(dist, name), "utf8");
    const own = text.replace(/"(@atomic\/[^/"]+)\/([^"]+)"/g, (specifier, from, path) => {
      const found = packages.get(from);
      if (found === undefined) return specifier;
      const declared = (found.exports[`./${path}`]?.types ?? found.exports["./*"].types.replace("*", path)).slice(
        "./dist/".length,
      );
      const way = relative(dirname(file), join(found.types, declared))
        .replaceAll("\\", "/")
        .replace(/\.d\.ts$/, ".js");
      return JSON.stringify(way.startsWith(".") ? way : `./${way}`);
    });
    await write(file, own.replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  }
}

async function write(file, text) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
