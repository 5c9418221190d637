// OpenCode in a version of one's choice, installed from npm beside everything else.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unusedPort } from "@atomic/testing/loopback";
import type { ModelServer } from "@atomic/testing/model-server";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { Project } from "@atomic/testing/project";

const folder = join(import.meta.dirname, "../../../../.build/opencode");

/** The program of that version; its package holds nothing else, and no script of it runs. */
export function opencodeOf(version: string): string {
  if (version === "installed") return opencodeBinary;
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `opencode-${platform}-${process.arch}${process.arch === "x64" ? "-baseline" : ""}`;
  const place = join(folder, version);
  const program = join(place, "node_modules", name, "bin/opencode");
  if (existsSync(program)) return program;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  const flags = ["--workspaces=false", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { success, stderr } = Bun.spawnSync(["npm", "install", ...flags, `${name}@${version}`], { cwd: place });
  if (!success) throw new Error(`${name}@${version} cannot be installed:\n${stderr}`);
  return program;
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly tool?: string;
  readonly state?: { readonly status: string; readonly output?: string; readonly error?: string };
}

/** Its server, by nothing but HTTP: a client of ours is made for one version. */
export class OtherOpencode {
  readonly #url: string;
  readonly #project: Project;

  private constructor(url: string, project: Project) {
    this.#url = url;
    this.#project = project;
  }

  static async serve(program: string, project: Project, model: ModelServer, plugin: string): Promise<OtherOpencode> {
    await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, { plugin: [plugin] }));
    await project.skipPluginInstall();
    const argv = [program, "serve", "--hostname", "127.0.0.1", "--port", String(await unusedPort())];
    const server = await project.start(argv, { leash: true });
    const [, url = ""] = await server.printed(/listening on (http:\S+)/, 60_000);
    return new OtherOpencode(url, project);
  }

  async version(): Promise<string> {
    return ((await this.#ask("GET", "/global/health")) as { version: string }).version;
  }

  async session(): Promise<string> {
    return ((await this.#ask("POST", "/session", {})) as { id: string }).id;
  }

  /** Both end when the agents have nothing left to do. */
  async type(session: string, command: string, words = ""): Promise<string> {
    return await this.#said(`/session/${session}/command`, { command, arguments: words });
  }

  async prompt(session: string, text: string, agent: string): Promise<string> {
    return await this.#said(`/session/${session}/message`, { agent, parts: [{ type: "text", text }] });
  }

  /** Of the tools that were called in a session, in order. */
  async results(session: string): Promise<readonly string[]> {
    const messages = (await this.#ask("GET", `/session/${session}/message`)) as { parts: Part[] }[];
    return messages.flatMap(({ parts }) =>
      parts.flatMap(({ tool, state }) => (tool === undefined ? [] : [`${tool}: ${state?.error ?? state?.output}`])),
    );
  }

  /** OpenCode's own log file. */
  async log(): Promise<string> {
    const folder = "~/.local/share/opencode/log";
    const files = await this.#project.tree(folder);
    return (await Promise.all(files.map((file) => this.#project.read(`${folder}/${file}`)))).join("");
  }

  async #said(path: string, body: object): Promise<string> {
    const { parts } = (await this.#ask("POST", path, body)) as { parts: Part[] };
    return parts.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\n");
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const url = `${this.#url}${path}?directory=${encodeURIComponent(this.#project.dir)}`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    return JSON.parse(text);
  }
}
