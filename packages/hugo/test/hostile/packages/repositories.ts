// Git repositories: crafted trees, and configuration that would like to run something.
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hostile } from "../hostile-package.ts";
import {
  agent,
  blob,
  craftedRepository,
  json,
  leavesOut,
  onlyHarmless,
  repository,
  skill,
  subtree,
  type TreeEntry,
} from "../making.ts";
import type { World } from "../world.ts";

const looker = subtree("agents", [blob("looker.md", agent())]);

const crafted = (what: string, entries: readonly TreeEntry[], expected: Hostile["expected"]): Hostile => ({
  what,
  make: async (world) => (await craftedRepository(world, "evil", entries)).packageUrl,
  expected,
});

const outside = { code: "package-unsafe", says: "points outside" } as const;

export const repositories: readonly Hostile[] = [
  crafted("a tree with an entry that climbs out", [looker, subtree("..", [blob("slip.md", "x")])], outside),
  crafted("a tree with an entry that is a path", [looker, blob("../../slip.md", "x")], outside),
  crafted("a tree with an entry called like the folder itself", [looker, blob(".", "x")], outside),
  crafted(
    "CVE-2014-9390 (git): a tree with its own .git",
    [looker, subtree(".git", [subtree("hooks", [blob("post-checkout", "#!/bin/sh\n")])])],
    { installed: onlyHarmless },
  ),
  crafted(
    "CVE-2014-9390: a tree with a .GIT inside of a skill",
    [subtree("skills", [subtree("s", [blob("SKILL.md", skill("s")), subtree(".GIT", [blob("config", "[core]\n")])])])],
    { code: "package-unsafe", says: "git" },
  ),
  crafted(
    "CVE-2022-24765: a repository inside of a skill, with a program in its configuration",
    [
      subtree("skills", [
        subtree("s", [
          blob("SKILL.md", skill("s")),
          subtree(".git", [
            blob("HEAD", "ref: refs/heads/main\n"),
            blob("config", "[core]\n\tfsmonitor = touch /tmp/x\n"),
          ]),
        ]),
      ]),
    ],
    { code: "package-unsafe", says: "git" },
  ),
  crafted(
    "CVE-2018-11235, CVE-2018-17456 (git): submodules with a path and an address that mean something else",
    [
      looker,
      blob(".gitmodules", '[submodule "../../x"]\n\tpath = -u./payload\n\turl = -u./payload\n'),
      { mode: "160000", name: "sub", content: "" },
    ],
    { installed: onlyHarmless },
  ),
  crafted(
    "a tree that has one name twice, as a link and as a folder",
    [{ mode: "120000", name: "agents", content: "../../../outside" }, subtree("agents", [blob("looker.md", agent())])],
    { installed: onlyHarmless },
  ),
  crafted(
    "a link to a file elsewhere in a tree",
    [looker, subtree("skills", [subtree("s", [{ mode: "120000", name: "SKILL.md", content: "/etc/passwd" }])])],
    { installed: onlyHarmless },
  ),
  {
    what: "code in its own node_modules, which no user would see and no hash would cover",
    make: async (world) =>
      (
        await repository(world, "bundled", {
          "package.json": json({ name: "bundled", version: "1.0.0", main: "index.js" }),
          "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
          "index.js": 'import "evil";\nexport default async () => ({});\n',
          "node_modules/evil/index.js": "process.exit(1);\n",
          "node_modules/evil/package.json": json({ name: "evil", main: "index.js" }),
        })
      ).packageUrl,
    expected: { installed: leavesOut("node_modules/evil/index.js") },
  },
  {
    what: "filters, and what a repository would have substituted at a checkout",
    make: async (world) => {
      const repo = await repository(world, "filters", {
        ".gitattributes": "*.md filter=evil export-subst ident working-tree-encoding=UTF-16\n",
        ".gitconfig": `[filter "evil"]\n\tsmudge = ${world.trap("smudge")}\n`,
        ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:1/\n",
      });
      return repo.packageUrl;
    },
    expected: { installed: onlyHarmless },
  },
  {
    what: "hooks and programs in the configuration of the repository that is fetched from",
    make: async (world) => {
      const repo = await repository(world, "configured", {});
      arm(world, repo.dir);
      return repo.packageUrl;
    },
    expected: { installed: onlyHarmless },
  },
  {
    what: "CVE-2022-39253 (git): objects that are links to files elsewhere",
    make: async (world) => {
      const repo = await repository(world, "objects", {});
      mkdirSync(join(repo.dir, "objects/zz"));
      symlinkSync(`${world.root}/outside/secret.md`, join(repo.dir, "objects/zz/secret"));
      return repo.packageUrl;
    },
    expected: { installed: onlyHarmless },
  },
  {
    what: "a message of the host with escape sequences",
    make: async (world) => {
      const repo = await repository(world, "noisy", {});
      writeFileSync(join(repo.dir, "HEAD"), "ref: refs/heads/\u001b]0;owned\u0007\n");
      return `${repo.packageUrl}#gone`;
    },
    expected: { code: "version-not-found", says: "has no tag" },
  },
];

/** Every setting of a repository that names a program. */
function arm({ trap }: World, dir: string): void {
  const names = ["post-checkout", "post-merge", "reference-transaction", "pre-receive", "post-update", "pre-auto-gc"];
  for (const name of names) {
    const hook = join(dir, "hooks", name);
    mkdirSync(join(dir, "hooks"), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\n${trap(`hook-${name}`)}\n`);
    chmodSync(hook, 0o755);
  }
  const settings = [
    ["core", "fsmonitor"],
    ["core", "sshCommand"],
    ["core", "alternateRefsCommand"],
    ["core", "pager"],
    ["core", "gitProxy"],
    ["uploadpack", "packObjectsHook"],
    ["diff", "external"],
  ].map(([section, key]) => `[${section}]\n\t${key} = ${trap(`setting-${key}`)}\n`);
  appendFileSync(join(dir, "config"), settings.join(""));
}
