// A project between files that are none of Hugo's business, and the program in this process.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo, type Ran } from "../cli/hugo.ts";

/** Stands in files outside of `.opencode`: whatever shows it has read one of them. */
export const SECRET = "canary-4b1f-do-not-read";

export interface World extends AsyncDisposable {
  readonly project: Project;
  readonly registry: NpmRegistry;
  /** Holds the project, the home and all canaries. */
  readonly root: string;
  /** Where hostile packages are made. What they are made of is a canary as well, from the first command on. */
  readonly attic: string;
  /** A shell command that shows that something was executed. */
  trap(name: string): string;
  /** Runs the program in the project. */
  hugo(argv: readonly string[], more?: { cwd?: string; env?: Readonly<Record<string, string>> }): Promise<Ran>;
  /** Everything that Hugo must leave alone: path → kind, mode, time and content. */
  surroundings(): ReadonlyMap<string, string>;
  /** The project's own place is as before the first command again. */
  reset(): void;
  /** And nothing is left of the last package. */
  clear(): void;
  /** Ends with the world. */
  own<Resource extends AsyncDisposable>(resource: Resource): Resource;
}

export async function world(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const registry = stack.use(await npmRegistry());
  const project = stack.use(await tmpProject({ registry, files: canaries }));
  const root = dirname(project.dir);
  const attic = join(root, "attic");
  const traps = join(root, "executed");
  for (const folder of [attic, traps, join(root, "empty"), join(project.home, ".cache/hugo")])
    mkdirSync(folder, { recursive: true });
  return {
    project,
    registry,
    root,
    attic,
    trap: (name) => `touch ${join(traps, name)}`,
    hugo: async (argv, { cwd = project.dir, env = {} } = {}) =>
      await hugo(argv, { table: commands, cwd, home: project.home, env: { ...project.env, ...env } }),
    surroundings: () => new Map(entriesBelow(root, root)),
    reset: () => {
      const own = [".opencode", "opencode.json"].map((path) => project.path(path));
      for (const path of own) rmSync(path, { recursive: true, force: true });
    },
    clear: () => {
      // The one that gets by with paths that are too long.
      Bun.spawnSync(["rm", "-rf", attic]);
      mkdirSync(attic);
    },
    own: (resource) => stack.use(resource),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const canaries = {
  "README.md": "# The project\n",
  "src/index.ts": `export const secret = "${SECRET}";\n`,
  "../outside/secret.md": `---\ndescription: ${SECRET}\n---\n${SECRET}\n`,
  "../outside/agents/other.md": `${SECRET}\n`,
  "../project.bak": SECRET,
  "~/.ssh/id_canary": SECRET,
  "~/.bashrc": `export TOKEN=${SECRET}\n`,
  "~/.config/opencode/opencode.json": { $schema: "https://opencode.ai/config.json", username: SECRET },
};

/** Where Hugo runs; a hostile project is made in the attic. */
const PROJECTS = new Set(["project", "attic/project"]);
/** The places that Hugo may change: its own folder there, the config file that plugins are put into, and its cache of tarballs. */
const OWN = new Set([
  ...[...PROJECTS].flatMap((path) => [`${path}/.opencode`, `${path}/opencode.json`]),
  // Verified by their hash each time, so nothing in it is trusted.
  "home/.cache/hugo",
]);

/** Of folders that lie too deep for any program, enough is seen. */
const LONGEST = 2000;

function* entriesBelow(root: string, folder: string): Generator<[string, string]> {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const path = relative(root, file);
    if (OWN.has(path) || (PROJECTS.has(dirname(path)) && name === ".git")) continue;
    const stat = lstatSync(file, { bigint: true });
    const kind = stat.isDirectory()
      ? "folder"
      : stat.isSymbolicLink()
        ? readlinkSync(file)
        : contentOf(file, stat.size);
    // The folder of the project changes its time whenever something of its own is made.
    const time = PROJECTS.has(path) ? "" : ` ${stat.mtimeNs}`;
    yield [path, `${kind} ${stat.mode.toString(8)}${time}`];
    if (stat.isDirectory() && path.length < LONGEST) yield* entriesBelow(root, file);
  }
}

/** Sparse files of gigabytes have no content to speak of. */
function contentOf(file: string, size: bigint): string {
  if (size > 50_000_000n) return `${size} bytes`;
  return lstatSync(file).isFile() ? createHash("sha256").update(readFileSync(file)).digest("hex") : "device";
}

/** The content of every file below a folder, links not followed. */
export function contents(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) found.set(relative(folder, path), readFileSync(path));
      else found.set(relative(folder, path), Buffer.from(entry.isSymbolicLink() ? readlinkSync(path) : "device"));
    }
  };
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) walk(realpathSync(folder));
  return found;
}
