import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "@opencode-ai/sdk/v2";
import type { WireName } from "./model/wire.ts";
import { opencodeBinary } from "./opencode/binary.ts";
import { type ModelAddress, opencodeConfig } from "./opencode/config.ts";
import { OpencodeServer } from "./opencode/server.ts";
import type { ProgramOptions, Project, RunResult } from "./project.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface OpencodeOptions {
  /** The scripted model; it becomes the user's global config. Without it, the project's own config must name a provider. */
  readonly model?: ModelAddress;
  /** How OpenCode talks to the model (default: chat completions). */
  readonly wire?: WireName;
  /** Plugins for the global config: package specs, folders, or `file://…` URLs of TypeScript sources. */
  readonly plugins?: NonNullable<Config["plugin"]>;
  /** More of the global config. A project's own opencode.json wins over it. */
  readonly config?: Config;
  readonly env?: Readonly<Record<string, string>>;
}

export interface OpencodeRunOptions extends OpencodeOptions, Pick<ProgramOptions, "cwd" | "timeout"> {
  readonly prompt: string;
  readonly agent?: string;
  readonly args?: readonly string[];
}

export interface OpencodeRunResult extends RunResult {
  /** What `--format json` printed, parsed. */
  readonly events: readonly OpencodeOutput[];
  /** Everything the model said, joined. */
  readonly text: string;
}

/** One line of `opencode run --format json`. */
export interface OpencodeOutput {
  readonly type: string;
  readonly sessionID?: string;
  readonly part?: {
    readonly type: string;
    readonly text?: string;
    readonly tool?: string;
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

/**
 * `opencode run` to its end.
 *
 * ```ts
 * const { text } = await opencodeRun(project, { model, prompt: "say hi" });
 * ```
 */
export async function opencodeRun(project: Project, options: OpencodeRunOptions): Promise<OpencodeRunResult> {
  const agent = options.agent === undefined ? [] : ["--agent", options.agent];
  const argv = ["run", "--format", "json", ...agent, ...(options.args ?? [])];
  // On the command line OpenCode would wrap the prompt in quotes; from stdin it arrives as it is.
  const result = await opencode(project, argv, { ...options, stdin: options.prompt });
  const events = result.stdout
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as OpencodeOutput] : []));
  const text = events.flatMap((event) => (event.type === "text" ? [event.part?.text ?? ""] : [])).join("\n");
  return { ...result, events, text };
}

/**
 * `opencode serve` until disposed. One server can serve many sessions and folders, so share it between the tests of a file.
 *
 * ```ts
 * await using server = await opencodeServe(project, { model, plugins: [pathToFileURL("src/plugin.ts").href] });
 * const { text } = await server.ask("say hi");
 * ```
 */
export async function opencodeServe(project: Project, options: OpencodeOptions = {}): Promise<OpencodeServer> {
  await writeGlobalConfig(project, options);
  return await OpencodeServer.start(project, options.env);
}

/** The config as OpenCode sees it after merging every file and every plugin. */
export async function debugConfig(project: Project, options: OpencodeOptions & ProgramOptions = {}): Promise<Config> {
  return (await debug(project, ["config"], options)) as Config;
}

export interface AgentInfo {
  readonly name: string;
  readonly description?: string;
  readonly mode: string;
  readonly permission: readonly { readonly permission: string; readonly pattern: string; readonly action: string }[];
  readonly prompt?: string;
  readonly [key: string]: unknown;
}

export interface SkillInfo {
  readonly name: string;
  readonly description: string;
  readonly location: string;
  readonly content: string;
}

/** Every skill that OpenCode found, including its own. */
export async function debugSkills(
  project: Project,
  options: OpencodeOptions & ProgramOptions = {},
): Promise<SkillInfo[]> {
  return (await debug(project, ["skill"], options)) as SkillInfo[];
}

export interface Resolved {
  readonly config: Config;
  readonly agents: readonly AgentInfo[];
  readonly skills: readonly SkillInfo[];
}

/** The resolved config, agents and skills, with one start of OpenCode. */
export async function debugAll(project: Project, options: OpencodeOptions = {}): Promise<Resolved> {
  await using opencode = watchedOpencode(project, options);
  return await opencode.resolved();
}

export interface WatchedOpencode extends AsyncDisposable {
  /** How OpenCode reads the project now. */
  resolved(): Promise<Resolved>;
}

/**
 * One OpenCode that reads the project again whenever it is asked. It keeps the code of plugins that it has loaded, so a plugin
 * that changes in place needs a new OpenCode.
 */
export function watchedOpencode(project: Project, options: OpencodeOptions = {}): WatchedOpencode {
  let server: OpencodeServer | undefined;
  return {
    async resolved() {
      if (server === undefined) server = await opencodeServe(project, options);
      else {
        await project.skipPluginInstall();
        await server.reload();
      }
      const { client } = server;
      const { data: config } = await client.config.get({}, { throwOnError: true });
      const { data: agents } = await client.app.agents({}, { throwOnError: true });
      const { data: skills } = await client.app.skills({}, { throwOnError: true });
      return { config, agents, skills: skills as SkillInfo[] };
    },
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
    },
  };
}

/** Any `opencode` command line. */
export async function opencode(
  project: Project,
  args: readonly string[],
  options: OpencodeOptions & ProgramOptions = {},
): Promise<RunResult> {
  return await runPrepared(project, [opencodeBinary, ...args], options);
}

async function runPrepared(
  project: Project,
  argv: readonly string[],
  options: OpencodeOptions & ProgramOptions,
): Promise<RunResult> {
  await writeGlobalConfig(project, options);
  await project.skipPluginInstall();
  return await project.run(argv, options);
}

/** OpenCode ends without waiting for a pipe to take all that it has printed. */
const intoFile = 'output=$1; shift; exec "$@" > "$output"';

async function debug(project: Project, args: string[], options: OpencodeOptions & ProgramOptions): Promise<unknown> {
  await using folder = await temporaryFolder("opencode-debug-");
  const output = join(folder.path, "stdout");
  const argv = ["/bin/sh", "-c", intoFile, "sh", output, opencodeBinary, "debug", ...args];
  const { code, stderr } = await runPrepared(project, argv, options);
  const stdout = await readFile(output, "utf8");
  if (code !== 0) throw new Error(`opencode debug ${args.join(" ")} ended with ${code}:\n${stderr}${stdout}`);
  return JSON.parse(stdout);
}

async function writeGlobalConfig(project: Project, { model, wire, plugins, config }: OpencodeOptions): Promise<void> {
  if (!model) return;
  const plugin = [...(config?.plugin ?? []), ...(plugins ?? [])];
  const content = opencodeConfig(model, { ...config, ...(plugin.length > 0 ? { plugin } : {}) }, wire);
  await project.write("~/.config/opencode/opencode.json", content);
}
