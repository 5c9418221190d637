/** The plugins to compare: ours as it is published, one that does next to nothing, and the one that most people use. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadedAtOnce } from "@atomic/testing/loaded-at-once";

export interface Plugin {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly version?: string;
}

const repository = fileURLToPath(new URL("../..", import.meta.url));
const peersFolder = join(repository, ".build/bench-peers/plugins");

export function findPlugins(): readonly Plugin[] {
  const trivial = fileURLToPath(import.meta.resolve("./trivial-plugin.mjs"));
  const plugins = [plugin("trivial plugin", trivial), plugin("magnus-opus", bundled())];
  const peer = join(installed(), "node_modules/oh-my-opencode");
  if (!existsSync(peer)) return plugins;
  const { main, version } = JSON.parse(readFileSync(join(peer, "package.json"), "utf8")) as Record<string, string>;
  return [...plugins, { ...plugin("oh-my-opencode", join(peer, main ?? "")), version: version ?? "" }];
}

function plugin(name: string, file: string): Plugin {
  const texts = [...loadedAtOnce(file).values()];
  return { name, file, bytes: Buffer.byteLength(texts.join("")) };
}

function bundled(): string {
  const cwd = join(repository, "packages/magnus-opus");
  const build = join(repository, "scripts/build.mjs");
  const { success, stderr } = Bun.spawnSync(["node", build, "magnus-opus"]);
  if (!success) throw new Error(`magnus-opus cannot be bundled:\n${stderr}`);
  return join(cwd, "dist/bundle/plugin.js");
}

/** Nothing of theirs runs while they are installed. */
function installed(): string {
  const wanted = readFileSync(fileURLToPath(import.meta.resolve("./peers.json")), "utf8");
  const stamp = join(peersFolder, ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return peersFolder;
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(join(peersFolder, "package.json"), wanted);
  process.stderr.write("Installing the plugins to compare with (half a gigabyte)…\n");
  const flags = ["--workspaces=false", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { success, stderr } = Bun.spawnSync(["npm", "install", ...flags], { cwd: peersFolder });
  if (success) writeFileSync(stamp, wanted);
  else process.stderr.write(`They could not be installed and are left out:\n${stderr}\n`);
  return peersFolder;
}
