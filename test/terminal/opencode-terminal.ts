// OpenCode's own terminal with our plugins, as users get them: published, and installed by Hugo.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { unusedPort } from "@atomic/testing/loopback";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { type Terminal, terminal } from "@atomic/testing/terminal";
import { hugo } from "../journeys/hugo.ts";

const repository = join(import.meta.dirname, "../..");

export const atomicProgram = join(repository, "packages/atomic/bin/atomic.js");

/** What each of our packages is published as, with what it needs. */
const folders = {
  "@atomic/cli": [
    ...["packages/atomic", ".build/packages/workflows"],
    ...["node_modules/yaml", "node_modules/@swc/wasm-typescript"],
  ],
  "magnus-opus": ["packages/magnus-opus"],
} as const;

type OurPlugin = keyof typeof folders;

/** Ptys and the processes in them are looked at as Linux shows them. */
export const isOnLinux = process.platform === "linux";
/** They type into the real OpenCode key by key, which takes minutes. `npm test` has one of them, in versions.test.ts. */
export const isHere = isOnLinux && process.env.JOURNEYS === "full";
if (!isHere) console.warn("skipped: most of OpenCode's own terminal, which `npm run journeys` drives on Linux");

const slow = { deadline: 60_000 } as const;

export interface TerminalSetup {
  readonly plugins: readonly OurPlugin[];
  readonly files?: Readonly<Record<string, FileContent>>;
  /** Gives OpenCode a port, so runs can use its server. */
  readonly port?: boolean;
  /** The program; by default the installed one. */
  readonly opencode?: string;
  readonly cols?: number;
  readonly rows?: number;
}

export class OpencodeTerminal implements AsyncDisposable {
  readonly project: Project;
  readonly model: ModelServer;
  readonly term: Terminal;
  readonly #registry: NpmRegistry;
  /** Of OpenCode's server, if it has a port. */
  readonly url: string | undefined;

  private constructor(parts: {
    project: Project;
    model: ModelServer;
    term: Terminal;
    registry: NpmRegistry;
    url?: string;
  }) {
    ({ project: this.project, model: this.model, term: this.term } = parts);
    this.#registry = parts.registry;
    this.url = parts.url;
  }

  static async open({ plugins, files = {}, port = false, opencode, cols = 120, rows = 36 }: TerminalSetup) {
    await bundlePackages("hugo-pm", "@atomic/cli", "magnus-opus", "@atomic/workflows");
    const registry = await npmRegistry();
    const model = await modelServer({ models: ["model-1"] });
    const project = await tmpProject({ registry, files });
    await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, { autoupdate: false }));
    for (const plugin of plugins) {
      for (const folder of folders[plugin]) await publishFolder(registry, project, join(repository, folder));
      await hugo(project, "install", plugin, "--yes");
    }
    await project.skipPluginInstall();
    const number = port ? await unusedPort() : undefined;
    const flags = number === undefined ? [] : ["--hostname", "127.0.0.1", "--port", String(number)];
    const argv = [opencode ?? opencodeBinary, ...flags];
    const term = await terminal(argv, { cols, rows, cwd: project.dir, env: project.env });
    const url = number === undefined ? {} : { url: `http://127.0.0.1:${number}` };
    const self = new OpencodeTerminal({ project, model, term, registry, ...url });
    await self.see("ctrl+p commands");
    await self.gone("Finishing startup");
    return self;
  }

  /** `atomic …` in another shell of the same user. */
  async shell(...args: readonly string[]) {
    const env = this.url === undefined ? {} : { ATOMIC_OPENCODE_URL: this.url };
    const argv = ["node", atomicProgram, ...args];
    const ended = this.project.run(argv, { env, timeout: 120_000 });
    return { ended: async () => await ended };
  }

  async see(what: string | RegExp): Promise<void> {
    await this.#when(what, (text) => (typeof what === "string" ? text.includes(what) : text.search(what) >= 0));
  }

  async gone(what: string): Promise<void> {
    await this.#when(`no ${what}`, (text) => !text.includes(what));
  }

  /** Looks only at whole frames: OpenCode marks where one begins and ends, and a pty passes it on in pieces. */
  async #when(what: string | RegExp, holds: (text: string) => boolean): Promise<void> {
    const condition = ({ isInFrame, screen }: Terminal): boolean => !isInFrame && holds(screen().join("\n"));
    try {
      await this.term.waitFor(condition, slow);
    } catch (cause) {
      throw new Error(`Not seen: ${what}\n${this.term.snapshot()}`, { cause });
    }
  }

  /**
   * Types into the field that has the focus. OpenCode gives it back to the prompt a moment after a dialog or a page is gone from the
   * screen, and what is typed until then is lost; the cursor is shown from then on.
   */
  async type(text: string): Promise<void> {
    try {
      await this.term.waitFor(({ isInFrame, isCursorShown }) => !isInFrame && isCursorShown, slow);
    } catch (cause) {
      throw new Error(`No field has the focus.\n${this.term.snapshot()}`, { cause });
    }
    this.term.type(text);
  }

  /** OpenCode draws toasts over the right edge. */
  async toastsGone(): Promise<void> {
    await this.#when("no toast", (text) => !text.split("\n").some((row) => /┃ {2}\S.*? {2}┃/.test(row.slice(30))));
  }

  /** What is inside of the dialog on the screen. */
  async dialog(): Promise<string> {
    await this.see("esc later");
    const rows = this.term.screen();
    const end = rows.findIndex((row) => row.includes("esc later"));
    const left = Math.max(0, rows[end]?.search(/\S/) ?? 0);
    const top = Math.floor(this.term.rows / 4);
    const inside = rows.slice(top, end + 1).map((row) => row.slice(left, left + 112).replace(/ {10,}\S.*$/, ""));
    return this.#anonymous(inside.filter((row) => row.trim() !== ""));
  }

  /** OpenCode's sidebar, from its title to the end of what plugins add. */
  sidebar(): string {
    const rows = this.term.screen().map((row) => row.slice(this.term.cols - 40));
    const end = rows.findIndex((row) => row.startsWith("Context"));
    return this.#anonymous(rows.slice(0, end).filter((row) => row.trim() !== ""));
  }

  /** The screen without empty rows, and without what differs from run to run. */
  screen(): string {
    return this.#anonymous(this.term.screen().filter((row) => row.trim() !== "" && !row.includes("● Tip")));
  }

  runIds(): readonly string[] {
    const folder = this.project.path(".atomic/runs");
    return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
  }

  #anonymous(rows: readonly string[]): string {
    const text = rows.map((row) => row.trimEnd()).join("\n");
    return this.runIds()
      .reduce((all, id) => all.replaceAll(id, "<run>"), text)
      .replaceAll(/\S*\/atomic-\w+\/project\S*/g, "<project>")
      .replaceAll(/ses_\w+/g, "<session>")
      .replaceAll(/\b1\.\d+\.\d+$/gm, "<version>")
      .replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)?m?s\b/g, "<duration>")
      .replaceAll(/(?<=\S) {2,}(?=\S)/g, "  ");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.term[Symbol.asyncDispose]();
    await this.project[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.#registry[Symbol.asyncDispose]();
  }
}
