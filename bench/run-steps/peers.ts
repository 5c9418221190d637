/** Other people's engines, installed apart and in exact versions when the bench is first run. One that is missing is left out. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname;
const repository = fileURLToPath(new URL("../..", import.meta.url));

/** With everything that is newest, or with what runs on Node 20 by its own account. */
type PeerSet = "peers" | "peers-for-node-20";

/** A folder in which the programs find our package, as it is published, and theirs. */
export function preparePeers(set: PeerSet): string {
  const folder = join(repository, ".build/bench-peers", set);
  const wanted = readFileSync(join(here, set, "package.json"), "utf8");
  const stamp = join(folder, ".installed");
  const isInstalled = existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  // What failed is tried again the next time.
  if (!isInstalled && install(folder, wanted)) writeFileSync(stamp, wanted);
  writeOurs(folder);
  return folder;
}

/** A folder in which the programs find our package, as it is published, and nothing else. */
export function prepareOurs(): string {
  const folder = join(repository, ".build/bench-peers/ours");
  writeOurs(folder);
  return folder;
}

/** Nothing of theirs runs while they are installed, but the compiler of the one that is not all JavaScript. */
function install(folder: string, wanted: string): boolean {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), wanted);
  process.stderr.write("Installing the engines to compare with…\n");
  const flags = ["--workspaces=false", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { success, stderr } = Bun.spawnSync(["npm", "install", ...flags], { cwd: folder });
  if (!success) process.stderr.write(`They cannot be installed, and are left out:\n${stderr}\n`);
  const native = "node_modules/better-sqlite3";
  if (!existsSync(join(folder, native)) || existsSync(join(folder, native, "build"))) return success;
  Bun.spawnSync(["npm", "rebuild", "better-sqlite3"], { cwd: folder });
  return success;
}

function writeOurs(folder: string): void {
  const scope = join(folder, "node_modules/@atomic");
  rmSync(scope, { recursive: true, force: true });
  mkdirSync(scope, { recursive: true });
  const programs = [
    import.meta.resolve("./job.mjs"),
    import.meta.resolve("./import.mjs"),
    import.meta.resolve("./growth.mjs"),
  ];
  for (const program of programs.map((url) => fileURLToPath(url)))
    copyFileSync(program, join(folder, basename(program)));
  const build = ["node", join(repository, "scripts/build.mjs"), "@atomic/workflows"];
  const { exitCode, stderr } = Bun.spawnSync([...build, `--to=${join(scope, "workflows")}`]);
  if (exitCode !== 0) throw new Error(`@atomic/workflows cannot be bundled:\n${stderr}`);
}

/** The version that is to be installed. */
export function pinnedVersion(set: PeerSet, name: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(here, set, "package.json"), "utf8"));
  return (dependencies as Readonly<Record<string, string>>)[name]!;
}

/** Undefined if it is not there. */
export function versionOf(folder: string, name: string): string | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : undefined;
}

/** Why a program failed, in one line that names no folder of this machine. */
export function reasonIn(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const line =
    lines.find((each) => /^(?:\w*Error|error)\b.*:/.test(each)) ?? lines.findLast((each) => each !== "") ?? "";
  const reason = line.replaceAll(/(?:file:\/\/)?\/[^\s'"]*\/(?=[^\s'"/]+)/g, "…/").slice(0, 160);
  return reason === "" ? "it failed without a message" : reason;
}

/** Keeps them from phoning home: they are asked not to, and everything but loopback goes to a proxy that does not exist. */
export const quiet: Readonly<Record<string, string>> = {
  CI: "1",
  DISABLE_TELEMETRY: "1",
  DO_NOT_TRACK: "1",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  LANGCHAIN_TRACING_V2: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
};
