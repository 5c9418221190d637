import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import type { Context } from "../context.ts";
import { removeTree } from "../sources/remove-tree.ts";
import { temporaryFolder } from "../sources/temporary-folder.ts";
import { findOpencode, type Opencode } from "./opencode.ts";

/**
 * A project with its own home folder, where OpenCode finds one package and nothing else from this machine: no settings,
 * no logins, no variables. What the package's code writes to the home folder or the project is removed with it.
 */
export interface TrialProject {
  readonly opencode: Opencode;
  /** Where OpenCode is started. */
  readonly project: string;
  /** Where the package goes, as if it had been installed. */
  readonly package: string;
  /** Writes the config; without it, OpenCode starts with an empty one. */
  configure(plugins: readonly JsonValue[]): void;
  remove(): void;
}

/** Undefined if OpenCode is not installed. @param beside Folders whose programs are not used. */
export function trialProject(context: Context, beside: readonly string[]): TrialProject | undefined {
  const root = temporaryFolder();
  const [home, project, folder] = ["home", "project", "package"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  // Nothing listens there, so the trial fetches nothing, and its code cannot reach anything by the usual means.
  const nowhere = "http://127.0.0.1:9/";
  const env = {
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: root,
    npm_config_registry: nowhere,
    npm_config_fetch_retries: "0",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    NO_PROXY: "localhost,127.0.0.1",
    PATH: context.env.PATH,
    HUGO_OPENCODE: context.env.HUGO_OPENCODE,
  };
  const { cwd, signal } = context;
  const opencode = findOpencode({ cwd, beside, home, env, ...(signal && { signal }) }, project);
  const remove = (): void => removeTree(root);
  if (opencode === undefined) {
    remove();
    return undefined;
  }
  for (const path of [home, project]) mkdirSync(path);
  // Bun applies the nearest one to every import, and everyone on this machine can write to the folder around this one.
  writeFileSync(join(root, "tsconfig.json"), "{}\n");
  const configure = (plugins: readonly JsonValue[]): void => {
    const config = { $schema: "https://opencode.ai/config.json", ...(plugins.length > 0 && { plugin: plugins }) };
    writeFileSync(join(project, "opencode.json"), JSON.stringify(config));
    // OpenCode installs its own plugin package into each config folder, unless a lock file says that it is there.
    for (const folder of [join(env.XDG_CONFIG_HOME, "opencode"), join(project, ".opencode")]) {
      mkdirSync(join(folder, "node_modules"), { recursive: true });
      const packages = { "": { dependencies: { "@opencode-ai/plugin": "*" } } };
      writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
    }
  };
  return { opencode, project, package: folder, configure, remove };
}
