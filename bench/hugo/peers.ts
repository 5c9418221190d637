/** Other people's programs, installed apart and in exact versions when a bench is first run. One that is missing is left out. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const names = ["openskills", "rulesync", "skills"] as const;

type PeerName = (typeof names)[number];

export type Peer =
  | { readonly available: true; readonly version: string; readonly command: readonly string[] }
  | { readonly available: false; readonly reason: string };

export type Peers = Readonly<Record<PeerName, Peer>>;

/** Child processes inherit what was found, so all of them know the same contestants. */
const variable = "HUGO_BENCH_PEERS";
const peersFolder = join(import.meta.dirname, "../peers");

/** Call it when a bench is loaded: it does its work only in the process that runs the benches, not in child processes. */
export function findPeers(folder: string = peersFolder): Peers {
  const known = process.env[variable];
  if (known !== undefined) return JSON.parse(known) as Peers;
  installPeers(folder);
  const peers = Object.fromEntries(names.map((name) => [name, findPeer(name, folder)])) as Peers;
  process.env[variable] = JSON.stringify(peers);
  return peers;
}

/** Nothing of theirs runs while they are installed. */
function installPeers(folder: string): void {
  const wanted = readFileSync(join(folder, "package.json"), "utf8");
  const stamp = join(folder, "node_modules", ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  process.stderr.write("Installing the programs to compare with…\n");
  const flags = ["--workspaces=false", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { success, stderr } = Bun.spawnSync(["npm", "install", "--prefix", folder, ...flags], { cwd: folder });
  if (success) writeFileSync(stamp, wanted);
  else process.stderr.write(`They could not be installed and are left out:\n${stderr}\n`);
}

function findPeer(name: PeerName, folder: string): Peer {
  const home = join(folder, "node_modules", name);
  const file = join(home, "package.json");
  if (!existsSync(file)) return { available: false, reason: "could not be installed" };
  const { version, bin } = JSON.parse(readFileSync(file, "utf8")) as { version: string; bin: Record<string, string> };
  // Newer ones need a newer Node than ours.
  const own = join(folder, "node_modules", `node-${process.platform}-${process.arch}`, "bin/node");
  const command = [existsSync(own) ? own : "node", join(home, bin[name] ?? "")];
  const env = { ...process.env, ...quiet };
  const { success } = Bun.spawnSync([...command, "--version"], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  return success ? { available: true, version, command } : { available: false, reason: `${version} does not run here` };
}

/** Keeps them from phoning home: they are asked not to, and everything but loopback goes to a proxy that does not exist. */
export const quiet: Readonly<Record<string, string>> = {
  CI: "1",
  DISABLE_TELEMETRY: "1",
  DO_NOT_TRACK: "1",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
};

export function peerVersions(peers: Peers): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (peers[name].available ? [[name, peers[name].version]] : [])));
}

/** A line for the report, or nothing if all of them are there. */
export function leftOut(peers: Peers): string {
  const missing = names.flatMap((name) => (peers[name].available ? [] : [`${name} (${peers[name].reason})`]));
  return missing.length === 0 ? "" : `\n- Left out: ${missing.join(", ")}.`;
}
