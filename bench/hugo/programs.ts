/** Hugo as it is after `npm install hugo-pm`, and the surroundings that every contestant runs in. */
import { copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { quiet } from "./peers.ts";
import { makeOnce, shared } from "./shared-folder.ts";

export interface Runtime {
  readonly name: "Node" | "Bun";
  readonly command: readonly string[];
}

export const onNode: Runtime = { name: "Node", command: ["node"] };
export const onBun: Runtime = { name: "Bun", command: [process.execPath] };

const source = join(import.meta.dirname, "../../packages/hugo");

/** `hugo …`, wherever it is run. `installHugo` comes first. */
export function hugo(runtime: Runtime, ...words: readonly string[]): string[] {
  return [...runtime.command, shared("hugo/node_modules/hugo-pm/bin/hugo.js"), ...words];
}

/** In a folder with nothing else in it: a runtime reads the folders that it loads from. */
export function installHugo(): void {
  makeOnce("hugo", (folder) => {
    const target = join(folder, "node_modules/hugo-pm");
    for (const file of ["package.json", "bin/hugo.js"]) copy(file, target);
    for (const entry of ["main.js", "plugin.js"]) copyWithParts(`dist/bundle/${entry}`, target);
    copy("dist/bundle/yaml.cjs", target);
    for (const name of ["probe", "templates"]) cpSync(join(source, name), join(target, name), { recursive: true });
  });
}

/** A bundle folder also holds what an earlier program may still load. */
function copyWithParts(file: string, target: string, done: Set<string> = new Set()): void {
  if (done.has(file)) return;
  done.add(file);
  copy(file, target);
  const parts = readFileSync(join(source, file), "utf8").matchAll(/"\.\/([\w-]+\.c?js)"/g);
  for (const [, name = ""] of parts) copyWithParts(join(dirname(file), name), target, done);
}

function copy(file: string, target: string): void {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  copyFileSync(join(source, file), join(target, file));
}

/** A separate home, so none of the user's files are read and nothing is reported. */
export function surroundings(): Record<string, string> {
  const home = makeOnce("home", () => undefined);
  const npm = { npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" };
  return { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), npm_config_offline: "true", ...npm, ...quiet };
}

/** Runs something that a bench needs before it can measure. */
export function prepare(command: readonly string[], cwd: string): string {
  const env = { ...process.env, ...surroundings() };
  const { success, stdout, stderr } = Bun.spawnSync([...command], { cwd, env, stdin: "ignore" });
  if (!success) throw new Error(`${command.join(" ")} failed in ${cwd}:\n${stdout}${stderr}`);
  return stdout.toString();
}
