import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bench, type CommandContestant, type Contestant, type Group } from "./harness/bench.ts";
import { projectWith, write, writePackage } from "./hugo/packages.ts";
import { findPeers, leftOut, type Peer, peerVersions } from "./hugo/peers.ts";
import { hugo, onBun, onNode, prepare, type Runtime, surroundings } from "./hugo/programs.ts";
import { makeOnce, shared, shareFolder } from "./hugo/shared-folder.ts";

shareFolder();
const peers = findPeers();
const env = surroundings();

const startsName = { Bun: "bun -e 0", Node: "node -e 0" } as const;

function onlyStart(runtime: Runtime): CommandContestant {
  return { name: startsName[runtime.name], command: [...runtime.command, "-e", "0"], env };
}

function list(runtime: Runtime, count: number, name: string): CommandContestant {
  return {
    name,
    ours: true,
    command: hugo(runtime, "list"),
    cwd: shared(`project-${count}`),
    env,
    setup: () => projectWith(count),
  };
}

/** Lists two packages that were installed in its own way. */
function peerList(name: string, command: readonly string[], install: (project: string) => void): CommandContestant {
  const project = `project-of-${name.replaceAll(" ", "-")}`;
  const setup = (): string =>
    makeOnce(project, (folder) => {
      for (const each of ["first", "second"]) writePackage(join(folder, each), each);
      write(folder, { "package.json": { name: "project", version: "1.0.0" } });
      mkdirSync(join(folder, ".git"));
      install(folder);
    });
  return { name, command, cwd: shared(project), env, setup };
}

function withPeer(peer: Peer, contestant: (command: readonly string[]) => Contestant): Contestant[] {
  return peer.available ? [contestant(peer.command)] : [];
}

const both = ["./first", "./second"];
const bunPmLs = peerList("bun pm ls", [...onBun.command, "pm", "ls"], (folder) => {
  prepare([...onBun.command, "add", ...both], folder);
});
const npmLs = peerList("npm ls", ["npm", "ls"], (folder) => {
  prepare(["npm", "install", ...both], folder);
});
const skillsList = withPeer(peers.skills, (command) =>
  peerList("skills list", [...command, "list"], (folder) => {
    for (const each of both) prepare([...command, "add", each, "--yes", "--agent", "opencode"], folder);
  }),
);
const openskillsList = withPeer(peers.openskills, (command) =>
  peerList("openskills list", [...command, "list"], (folder) => {
    for (const each of both) prepare([...command, "install", each, "--yes"], folder);
  }),
);
const rulesyncDoctor = withPeer(peers.rulesync, (command) =>
  peerList("rulesync doctor", [...command, "doctor"], (folder) => {
    prepare([...command, "init"], folder);
  }),
);

/** What is claimed, as a multiple of the CPU time of a runtime that does nothing. */
function besideStart(runtime: Runtime, atMost: number, others: readonly Contestant[]): Group {
  const of = startsName[runtime.name];
  const ours = { ...list(runtime, 2, "hugo list"), expectRatio: { of, atMost, metric: "cpu" } } as const;
  const title = `List two workflows, on ${runtime.name}`;
  return { title, baseline: of, contestants: [onlyStart(runtime), ours, ...others] };
}

function growth(runtime: Runtime): Group {
  const few = list(runtime, 2, "2 workflows");
  const many = list(runtime, 200, "200 workflows");
  return {
    title: `List 200 workflows, on ${runtime.name}`,
    baseline: few.name,
    contestants: [few, { ...many, expectRatio: { of: few.name, atMost: 2.5, metric: "cpu" } }],
  };
}

export default bench({
  title: "Listing installed workflows",
  about: `Each program lists two packages that it installed from local folders; \`rulesync\` has no list command, so it checks its folder
with \`doctor\`. The output is discarded.

- \`hugo list\` runs the package as npm installs it. It reads \`hugo.json\` and every config that OpenCode would read, with the same
  reader as every other command.
- \`bun -e 0\` and \`node -e 0\` are runtimes that do nothing. A module that only imports \`node:fs\` takes 1.3 times as much on
  Node and 1.7 times as much on Bun.
- Half of the 200 workflows are copied, with four files each; the other half are plugins.
- \`skills\`, \`openskills\` and \`rulesync\` run on Node 22, which the newest ones need and which starts faster than Node 20.${leftOut(peers)}`,
  rounds: 25,
  versions: peerVersions(peers),
  groups: [
    besideStart(onBun, 5, [bunPmLs]),
    besideStart(onNode, 1.4, [npmLs, ...skillsList, ...openskillsList, ...rulesyncDoctor]),
    growth(onBun),
    growth(onNode),
  ],
});
