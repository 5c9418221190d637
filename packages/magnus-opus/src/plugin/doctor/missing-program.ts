// Whether the test command can start at all: its program, and the runner that it names, as far as that can be seen without running tests.
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { namesRunner } from "../../evidence/test-counts.ts";

const run = promisify(execFile);

interface Command {
  readonly argv: readonly [string, ...string[]];
  readonly script?: string | undefined;
}

/** What was not found, in words; undefined if nothing is known to be missing. */
export async function missingProgram(
  { argv, script = "" }: Command,
  directory: string,
  path: string,
): Promise<string | undefined> {
  const folders = path.split(delimiter);
  const [program] = argv;
  if (!isProgram(program, directory, folders)) return program;
  const module = argv[argv.indexOf("-m") + 1];
  if (/^(?:.*\/)?python[\d.]*$/.test(program) && argv.includes("-m") && module !== undefined) {
    return (await hasModule(argv, module, directory, path)) ? undefined : `the Python module ${module}`;
  }
  // Scripts also find what is installed in node_modules, here or above; where another folder has it, it cannot be seen from here.
  const places = above(directory);
  if (/\bcd\s/.test(script) || places.some((folder) => isFile(join(folder, ".pnp.cjs")))) return undefined;
  const withPackages = [...places.map((folder) => join(folder, "node_modules", ".bin")), ...folders];
  const parts = script.split(/[;&|]+/).map((part) => part.replace(/^\s*[\w:.-]+:\s/, ""));
  for (const part of [argv.join(" "), ...parts].filter(namesRunner)) {
    const [first = "", ...words] = part.split(/\s+/).filter((word) => word !== "" && !/^\w+=/.test(word));
    // Other words may mean anything to a shell.
    if (/^[\w./-]+$/.test(first) && !isProgram(first, directory, withPackages)) return first;
    const file = words.find((word) => !word.startsWith("-"));
    const isStarted = first === "node" && !words.includes("--test") && file !== undefined;
    if (isStarted && !isFile(resolve(directory, file))) return file;
  }
  return undefined;
}

/** Looks for a module as `python -m` does, without importing it. */
async function hasModule(argv: Command["argv"], module: string, cwd: string, path: string): Promise<boolean> {
  const look = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec(sys.argv[1].split('.')[0]) else 3)";
  const [program, ...options] = argv.slice(0, argv.indexOf("-m")) as [string, ...string[]];
  try {
    await run(program, [...options, "-c", look, module], { cwd, env: { ...process.env, PATH: path }, timeout: 10_000 });
    return true;
  } catch (error) {
    // Any other failure says nothing about the module.
    return (error as { readonly code?: unknown }).code !== 3;
  }
}

function isProgram(name: string, directory: string, folders: readonly string[]): boolean {
  return name.includes("/") ? isFile(resolve(directory, name)) : folders.some((folder) => isFile(join(folder, name)));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function above(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...above(dirname(folder))];
}
