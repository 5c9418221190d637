import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { bench, type CommandContestant, type Group, type Round } from "./harness/bench.ts";
import { write, writeLargePackage, writePackage } from "./hugo/packages.ts";
import { findPeers, leftOut, type Peer, peerVersions } from "./hugo/peers.ts";
import { hugo, installHugo, onBun, onNode, type Runtime, surroundings } from "./hugo/programs.ts";
import { shareFolder } from "./hugo/shared-folder.ts";

shareFolder();
const peers = findPeers();
const env = surroundings();

/** Installs a local folder into an empty project; `arrives` is a file that is there afterwards. */
function install(name: string, command: readonly string[], arrives: string, writeTo = writePackage): CommandContestant {
  return {
    name,
    command,
    env,
    setup: ({ dir }: Round) => {
      writeTo(join(dir, "local"), "local");
      write(dir, { "package.json": { name: "project", version: "1.0.0" } });
      mkdirSync(join(dir, ".git"));
    },
    check: ({ dir }: Round) => {
      if (!existsSync(join(dir, arrives))) throw new Error(`${name} succeeded, but ${arrives} is missing`);
    },
  };
}

function ours(runtime: Runtime, writeTo = writePackage): CommandContestant {
  const command = hugo(runtime, "install", "./local", "--yes");
  const contestant = install("hugo install ./local", command, ".opencode/agents/local-tests.md", writeTo);
  const setup = (round: Round): void => {
    installHugo();
    contestant.setup?.(round);
  };
  return { ...contestant, ours: true, setup };
}

function withPeer(
  peer: Peer,
  name: string,
  words: readonly string[],
  arrives: string,
  writeTo: typeof writePackage,
): CommandContestant[] {
  return peer.available ? [install(name, [...peer.command, ...words], arrives, writeTo)] : [];
}

const inModules = "node_modules/local/skills/local-notes/SKILL.md";
const npm = (writeTo = writePackage): CommandContestant =>
  install("npm i ./local", ["npm", "install", "--install-links", "./local"], inModules, writeTo);
const bunAdd = install("bun add ./local", [...onBun.command, "add", "./local"], inModules);
const npmInstall = npm();

/** Programs that copy only the skills. */
const skillManagers = (writeTo = writePackage): CommandContestant[] => [
  ...withPeer(
    peers.skills,
    "skills add ./local",
    ["add", "./local", "--yes", "--agent", "opencode"],
    ".agents/skills/local-notes/SKILL.md",
    writeTo,
  ),
  ...withPeer(
    peers.openskills,
    "openskills install ./local",
    ["install", "./local", "--yes"],
    ".claude/skills/local-notes/SKILL.md",
    writeTo,
  ),
];

const groups: readonly Group[] = [
  {
    title: "Install a local folder, on Bun",
    baseline: bunAdd.name,
    contestants: [
      bunAdd,
      { ...ours(onBun), expectRatio: { of: npmInstall.name, atMost: 0.33, metric: "cpu" } },
      npmInstall,
    ],
  },
  {
    title: "Install a local folder, on Node",
    baseline: npmInstall.name,
    contestants: [
      npmInstall,
      { ...ours(onNode), expectRatio: { of: npmInstall.name, atMost: 0.5, metric: "cpu" } },
      ...skillManagers(),
    ],
  },
  {
    title: "Install a folder with 1,000 files, on Node",
    baseline: npmInstall.name,
    contestants: [npm(writeLargePackage), ours(onNode, writeLargePackage), ...skillManagers(writeLargePackage)],
  },
];

export default bench({
  title: "Installing a workflow from a local folder",
  about: `Each program installs a folder with two agents, a command and a skill into an empty project. They do not all do the same work:

- \`bun add\` is a native program that copies the folder. Hugo is JavaScript, and its runtime alone takes nearly as long;
  [decision 23](../../docs/decisions/0023-what-a-local-install-costs.md) explains the rest. This comparison has no claim.
- \`hugo install\` also finds out what the package can do, checks each file as OpenCode would, looks for collisions with existing files,
  and changes the lock, configs and files in one transaction that survives a crash: every file and folder is synced to disk.
- In the last comparison, the skill has 1,000 files. \`hugo install\` writes each of them three times: to the store, as the base of later merges, and
  in place. The bases and the files in place are on disk when it ends.
- \`npm i\` also copies the folder (\`--install-links\`) and always runs on Node. \`skills\` and \`openskills\` copy only the skill and sync
  nothing; they run on Node 22, which the newest \`skills\` needs and which starts faster than Node 20.${leftOut(peers)}`,
  rounds: 15,
  versions: peerVersions(peers),
  groups,
});
