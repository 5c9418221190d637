import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { newMark, OrphanGuard } from "./marked-processes.ts";
import { toolsDir } from "./opencode/binary.ts";
import { skipPluginInstall } from "./opencode/plugin-install.ts";
import { type Exit, OwnedProcess } from "./owned-process.ts";
import "./suppressed-error.ts";

/** Text or bytes as they are; any other value is written as JSON. */
export type FileContent = string | Uint8Array | object;

export interface ProjectOptions {
  /** Make it a git repository with one commit that holds `files` (default: yes). */
  readonly git?: boolean;
  /** By path: relative to the project, or `~/…` for the private home. */
  readonly files?: Readonly<Record<string, FileContent>>;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where packages come from; without it every install fails at once instead of reaching the network. */
  readonly registry?: { readonly env: Readonly<Record<string, string>> };
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** Added to the project's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Milliseconds after which the command is killed and the call rejects (default: one minute). */
  readonly timeout?: number;
}

export interface RunResult extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A temporary project with a private home, removed with everything that runs in it, also when this process is killed.
 *
 * ```ts
 * await using project = await tmpProject({ files: { "opencode.json": { $schema: "https://opencode.ai/config.json" } } });
 * const { stdout } = await project.run(["git", "log", "--oneline"]);
 * expect(await project.json("opencode.json")).toEqual({ $schema: "https://opencode.ai/config.json" });
 * ```
 */
export async function tmpProject(options: ProjectOptions = {}): Promise<Project> {
  // Resolved, because tools compare paths as text and the temporary folder is a symlink on some systems.
  const root = await realpath(await mkdtemp(join(tmpdir(), "atomic-")));
  const project = new Project(root, { ...options.registry?.env, ...options.env });
  try {
    const { files = {}, git = true } = options;
    for (const dir of [project.dir, project.home, project.env.TMPDIR ?? ""]) await mkdir(dir, { recursive: true });
    await project.write("~/.gitconfig", gitConfig);
    await project.write("~/models.json", offlineCatalogue);
    for (const [path, content] of Object.entries(files)) await project.write(path, content);
    if (git) {
      const commit = "git init -q && git add -A && git commit -q --allow-empty -m 'Start'";
      const { code, stderr } = await project.run(["sh", "-c", commit]);
      if (code !== 0) throw new Error(`Cannot make ${project.dir} a git repository: ${stderr}`);
      await project.write(".git/info/exclude", ".opencode/node_modules\n.opencode/package-lock.json\n");
    }
    await project.skipPluginInstall();
    return project;
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
}

const gitConfig = `[user]
  name = Test
  email = test@example.invalid
[init]
  defaultBranch = main
[commit]
  gpgSign = false
`;

export class Project {
  /** The project folder, free of symlinks. */
  readonly dir: string;
  readonly home: string;
  /** The whole environment for programs of this project; nothing of ours leaks in but `PATH`. */
  readonly env: Readonly<Record<string, string>>;
  readonly #mark: string;
  #guard: OrphanGuard;
  readonly #processes = new Set<OwnedProcess>();

  constructor(root: string, env: Readonly<Record<string, string>>) {
    const mark = newMark();
    this.#mark = mark.text;
    this.#guard = new OrphanGuard({ mark: mark.text, folder: root });
    this.dir = join(root, "project");
    this.home = join(root, "home");
    this.env = {
      PATH: [toolsDir, process.env.PATH ?? ""].join(delimiter),
      HOME: this.home,
      PWD: this.dir,
      TMPDIR: join(root, "tmp"), // OpenCode unpacks libraries there and leaves them
      LANG: "C.UTF-8",
      XDG_CONFIG_HOME: join(this.home, ".config"),
      XDG_DATA_HOME: join(this.home, ".local/share"),
      XDG_STATE_HOME: join(this.home, ".local/state"),
      XDG_CACHE_HOME: join(this.home, ".cache"),
      GIT_CONFIG_NOSYSTEM: "1",
      // Nothing listens on the discard port: an unintended install fails at once and offline.
      npm_config_registry: "http://127.0.0.1:9/",
      // Not the settings of the machine.
      npm_config_globalconfig: join(this.home, "global-npmrc"),
      npm_config_fetch_retries: "0",
      // OpenCode lives for seconds here, too short for its optimizing compilers: a start costs 15 % less CPU without them.
      BUN_JSC_useDFGJIT: "0",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_MODELS_PATH: join(this.home, "models.json"),
      ...env,
      ...mark.env,
    };
  }

  /** An absolute path: of the project, or of the home for `~/…`. */
  path(path = "."): string {
    if (path === "~" || path.startsWith("~/")) return join(this.home, path.slice(1));
    return isAbsolute(path) ? path : resolve(this.dir, path);
  }

  async write(path: string, content: FileContent): Promise<void> {
    const file = this.path(path);
    await mkdir(dirname(file), { recursive: true });
    const plain = typeof content === "string" || content instanceof Uint8Array;
    await writeFile(file, plain ? content : `${JSON.stringify(content, null, 2)}\n`);
  }

  async read(path: string): Promise<string> {
    return await readFile(this.path(path), "utf8");
  }

  async json(path: string): Promise<unknown> {
    return JSON.parse(await this.read(path));
  }

  async exists(path: string): Promise<boolean> {
    try {
      await stat(this.path(path));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await rm(this.path(path), { recursive: true, force: true });
  }

  /** All files below `path`, sorted, without `.git` and `node_modules`; folders only when they are empty. */
  async tree(path = "."): Promise<string[]> {
    const top = this.path(path);
    const walk = async (dir: string): Promise<string[]> => {
      // Without what git, npm and this package put there: never the subject of a test that lists files.
      const entries = (await readdir(dir, { withFileTypes: true })).filter(
        ({ name }) =>
          ![".git", "node_modules"].includes(name) && !join(dir, name).endsWith(join(".opencode", "package-lock.json")),
      );
      if (entries.length === 0 && dir !== top) return [`${relative(top, dir)}/`];
      const found = entries.map((entry) => {
        const at = join(dir, entry.name);
        return entry.isDirectory() ? walk(at) : [relative(top, at)];
      });
      return (await Promise.all(found)).flat();
    };
    return (await walk(top)).sort();
  }

  /** Runs a program to its end. A failing one is a result, not an exception. */
  async run(argv: readonly string[], options: ProgramOptions = {}): Promise<RunResult> {
    const owned = await this.start(argv, options);
    const exit = await owned.end(options.timeout ?? 60_000);
    return { ...exit, stdout: owned.stdout, stderr: owned.stderr };
  }

  /** Starts a program that is ended with the project at the latest, and with it all that it started (on Linux). */
  async start(argv: readonly string[], options: ProgramOptions & { leash?: boolean } = {}): Promise<OwnedProcess> {
    const cwd = options.cwd === undefined ? this.dir : this.path(options.cwd);
    const owned = await OwnedProcess.start(argv, {
      cwd,
      // Programs trust PWD more than they should: OpenCode takes it for the project folder.
      env: { ...this.env, PWD: cwd, ...options.env },
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      leash: options.leash ?? false,
    });
    this.#processes.add(owned);
    void owned.exited.then(() => this.#processes.delete(owned));
    return owned;
  }

  /** Spares OpenCode the npm install of its plugin package, in every config folder that exists. */
  async skipPluginInstall(): Promise<void> {
    await skipPluginInstall(this.path("~/.config/opencode"));
    if (await this.exists(".opencode")) await skipPluginInstall(this.path(".opencode"));
  }

  /** Ends what runs in it, and leaves its folders to the user. */
  async keep(): Promise<void> {
    this.#guard.dismiss();
    this.#guard = new OrphanGuard({ mark: this.#mark });
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#processes].map((owned) => owned.stop()));
    await this.#guard.end();
  }
}

/**
 * OpenCode's catalogue of known models, cut down to one that never answers: reading the real one takes more than a
 * second of every first prompt, and with an empty one OpenCode refuses to resolve agents.
 */
export const offlineCatalogue: object = {
  // The one provider that needs no account, and so is there without any config.
  opencode: {
    id: "opencode",
    name: "Offline",
    npm: "@ai-sdk/openai-compatible",
    api: "http://127.0.0.1:9/v1",
    env: [],
    models: {
      silent: {
        id: "silent",
        name: "Silent",
        attachment: false,
        reasoning: false,
        tool_call: true,
        temperature: false,
        release_date: "2026-01-01",
        cost: { input: 0, output: 0 },
        limit: { context: 200_000, output: 8_000 },
      },
    },
  },
};
