import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { lateModules } from "./late-modules.mjs";
import { thirdPartyLicenses } from "./licenses.mjs";

/**
 * Writes `dist/bundle` of a package: its entries with everything they need, except for what package.json names as a
 * dependency. Everything imported late is a separate file, so a command loads only its own code.
 *
 * @param late Files that are loaded by name, and not when the program starts.
 * @param terminal What draws inside OpenCode's terminal. OpenCode looks through every file that it can reach before it draws
 *   anything, so it shares none with the program, and `keepOut` is what is found in a dependency instead.
 * @param exact Also removes what an earlier build left behind at once: for a package that is packed.
 */
export async function bundleProgram(
  folder,
  { entries, together = {}, late = {}, terminal, yaml = false, minify = false, page },
  { exact = false } = {},
) {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const within = (files) => Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(folder, file)]));
  const input = within(entries);
  const options = inputOptions(folder, manifest);
  const outputs = await generate(
    { ...options, input: { ...input, ...within(late) }, plugins: [lateModules()] },
    {
      format: "esm",
      minify,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: { groups: fewFiles({ ...input, ...within(together) }) },
    },
  );
  if (terminal !== undefined && existsSync(join(folder, terminal.entry))) {
    const { entry, keepOut } = terminal;
    const external = (id) => givenByOpencode.has(id) || id === "#yaml" || (keepOut?.test(id) ?? false);
    outputs.push(
      ...(await generate(
        { ...options, input: { tui: join(folder, entry) }, external },
        { format: "esm", entryFileNames: "[name].js", chunkFileNames: "tui-[name]-[hash].js" },
      )),
    );
  }
  // Its own file, because few files need so much of a parser. `imports` in package.json says where `#yaml` is.
  if (yaml) {
    const parser = { format: "cjs", minify, entryFileNames: "yaml.cjs", codeSplitting: false };
    outputs.push(...(await generate({ ...options, input: parserOfYaml(folder), external: [] }, parser)));
  }
  // For a browser, with everything it needs: the program puts it into the page that it serves.
  if (page !== undefined && existsSync(join(folder, page))) {
    const script = { format: "esm", minify: true, entryFileNames: "page.js", codeSplitting: false };
    const transform = { ...options.transform, define: { "process.platform": '"browser"' } };
    const forBrowser = { ...options, transform, platform: "browser", input: join(folder, page), external: [] };
    outputs.push(...(await generate(forBrowser, script)));
  }
  outputs.push(...typesOfPlugins(manifest));
  await writeOutputs(join(folder, "dist", "bundle"), outputs, { exact });
  await writeIfChanged(join(folder, "THIRD-PARTY-LICENSES"), await thirdPartyLicenses(outputs));
  await writeIfChanged(join(folder, "LICENSE"), await readFile(join(folder, "../../LICENSE"), "utf8"));
}

/** Modules that OpenCode gives to plugins of its terminal. */
export const givenByOpencode = new Set(["@opentui/core", "@opentui/solid", "solid-js"]);

/**
 * Finding a file costs as much as reading 10 kB of code, and nineteen commands share code in more than a hundred ways. So
 * what one of `starts` loads at once is one file, another for what two of them share, and what many commands load is one.
 */
export function fewFiles(starts, { shared = 8 } = {}) {
  const names = Object.keys(starts);
  const reached = new Map();
  const startsOf = (id, modules) => {
    if (reached.size === 0) for (const name of names) reached.set(name, importedAtOnce(starts[name], modules));
    return names.filter((name) => reached.get(name).has(id));
  };
  // A group takes what its modules import along, so those that most entries share come first.
  const atStart = names.map((_, index) => ({
    debugName: `imported at once by ${index + 1}`,
    name: (id, modules) => {
      const found = startsOf(id, modules);
      return found.length === index + 1 ? found.join("-") : null;
    },
    priority: index + 2,
  }));
  return [...atStart, { name: "shared", minShareCount: shared, priority: 1 }];
}

function importedAtOnce(file, modules) {
  const found = new Set([file].flat());
  for (const id of found)
    if (modules.getModuleInfo(id) === null) throw new Error(`${id} is not a part of the program.`);
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

export function inputOptions(folder, manifest) {
  return {
    cwd: folder,
    platform: "node",
    onLog: failOnWarnings,
    external: isExternal(manifest),
    transform: { target: "es2022" }, // as tsc writes it, for Node 20
    resolve: { conditionNames: ["bun", "default"] }, // our own packages from their sources
  };
}

/** What the package gets from elsewhere when it is installed. Everything else becomes a part of the bundle. */
function isExternal({ dependencies = {}, peerDependencies = {}, imports = {} }) {
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...imports });
  return (id) => names.some((name) => id === name || id.startsWith(`${name}/`));
}

export async function generate(input, output) {
  const bundle = await rolldown(input);
  try {
    return (await bundle.generate(output)).output;
  } finally {
    await bundle.close();
  }
}

/** What OpenCode calls in a plugin, by the export that it looks for. */
const pluginTypes = {
  "./server": "server: (input: unknown) => Promise<object>",
  "./tui": "tui: (api: unknown) => Promise<void>",
};

/** For programs that import a plugin. What it gets and returns is OpenCode's matter, whose types are not ours to ship. */
function typesOfPlugins({ exports = {} }) {
  return Object.entries(pluginTypes).flatMap(([path, member]) => {
    if (exports[path] === undefined) return [];
    const code = `declare const plugin: {
  readonly id: string;
  readonly ${member};
};
export default plugin;
`;
    return [{ fileName: basename(exports[path]).replace(/js$/, "d.ts"), code, modules: {} }];
  });
}

/** As @atomic/workflows finds it. */
function parserOfYaml(folder) {
  return createRequire(join(folder, "../workflows/package.json")).resolve("yaml");
}

/** A late import of something that is loaded anyway is only pointless; any other warning is a mistake. */
function failOnWarnings(level, { code, message }) {
  if (level === "warn" && code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(message);
}

/** File by file and the entries last: a command that starts meanwhile finds the old program or the new one, whole. */
async function writeOutputs(folder, outputs, { exact }) {
  await mkdir(folder, { recursive: true });
  const entriesLast = outputs.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry));
  for (const { fileName, code } of entriesLast) await writeIfChanged(join(folder, fileName), code);
  const names = new Set(outputs.map(({ fileName }) => fileName));
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!names.has(name) && (exact || (await isOutOfUse(file)))) await rm(file, { recursive: true, force: true });
  }
}

/** A command that started before may still load a part of the old program. */
export async function isOutOfUse(file) {
  const { mtimeMs } = await stat(file).catch(whenMissing({ mtimeMs: 0 }));
  return Date.now() - mtimeMs > 60_000;
}

export async function writeIfChanged(file, text) {
  const old = await readFile(file, "utf8").catch(whenMissing(undefined));
  if (old === text) return;
  const whole = `${file}.${process.pid}.tmp`; // another build may run at the same time
  await mkdir(dirname(file), { recursive: true });
  await writeFile(whole, text);
  await rename(whole, file);
}

function whenMissing(value) {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
