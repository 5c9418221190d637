// Strangers' projects that a user has cloned and runs Hugo in.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { cloned, project } from "../cloned-project.ts";
import type { Hostile } from "../hostile-package.ts";
import { agent, type Files, folder, harmless, json } from "../making.ts";
import { SECRET } from "../world.ts";

const unsafe = (says: string | RegExp) => ({ code: "place-unsafe", says }) as const;
const sha = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** What `undo` would take back, as a stranger wrote it down. */
function remembered(path: string, content: string, after?: string): Files {
  const before = { hash: sha(content), mode: 0o644 };
  const generation = {
    version: 1,
    title: "install x",
    files: [{ path, before, ...(after !== undefined && { after: sha(after) }) }],
  };
  const hex = sha(content).slice("sha256:".length);
  return {
    ".opencode/.hugo/generations/000001.json": json(generation),
    [`.opencode/.hugo/bases/${hex}`]: content,
  };
}

const evilConfig = json({ plugin: ["./evil.js"] });

/** A record of an interrupted change, with a right checksum. */
function record(phase: string, entry: object, more: object = {}): Files {
  const body = json({ id: "0123456789ab", entries: [entry], folders: [], prune: [], ...more });
  const sha256 = createHash("sha256").update(body).digest("hex");
  return {
    [`.opencode/.hugo/transaction.${phase}`]: `${json({ format: "durable-files transaction 1", sha256 })}\n${body}\n`,
  };
}

export const projects: readonly Hostile[] = [
  {
    what: "CVE-2026-21852: a project that sets up every program that Hugo could start",
    make: (world) => {
      const names = ["bun", "npm", "node", "git", "sh", "ssh", "opencode"];
      const trap = (name: string) => `#!/bin/sh\n${world.trap(`program-${name}`)}\n`;
      world.registry.publish({ name: "needed", version: "1.0.0", files: { "index.js": "" } });
      const command = cloned(world, {
        files: {
          ...Object.fromEntries(
            names.flatMap((name) => [`node_modules/.bin/${name}`, name].map((path) => [path, trap(name)])),
          ),
          "bunfig.toml": 'preload = ["./preload.ts"]\n[install]\nregistry = "http://127.0.0.1:1/"\n',
          "preload.ts": `require("node:child_process").execSync(${json(world.trap("preload"))});\n`,
          ".env": "BUN_CONFIG_REGISTRY=http://127.0.0.1:1/\nHUGO_PACKAGE_MANAGER=evil\n",
          ".npmrc": "script-shell=./sh\ngit=./git\nignore-scripts=false\nnode-options=--require ./preload.ts\n",
          ".git/config": `[core]\n\tfsmonitor = ${world.trap("fsmonitor")}\n\tsshCommand = ${world.trap("sshCommand")}\n`,
          ".git/hooks/post-checkout": trap("hook"),
        },
      });
      const cwd = command.cwd ?? "";
      for (const name of names)
        for (const path of [`node_modules/.bin/${name}`, name]) chmodSync(join(cwd, path), 0o755);
      const plugin = folder(world, "plug", {
        ...harmless,
        "package.json": json({ name: "plug", version: "1.0.0", main: "index.js", dependencies: { needed: "1.0.0" } }),
        "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
        "index.js": "export default async () => ({});\n",
      });
      const PATH = ["node_modules/.bin", ".", "", join(cwd, "node_modules/.bin"), cwd, world.project.env.PATH].join(
        delimiter,
      );
      return { ...command, argv: ["install", "--yes", "--force", plugin], env: { PATH } };
    },
    expected: {
      installed: ({ printed }) => {
        if (!printed.includes("needed")) throw new Error("The dependency was not reported.");
      },
    },
  },
  project(
    "CVE-2026-25724: a .opencode that is a link to elsewhere",
    { links: { ".opencode": "../../outside" } },
    unsafe("points outside the project"),
  ),
  project(
    "a .opencode that is a link to elsewhere, for a command that only looks",
    { links: { ".opencode": "../../outside" }, argv: ["list"] },
    unsafe("points outside the project"),
  ),
  project(
    "a folder of agents that is a link to elsewhere",
    { links: { ".opencode/agents": "../../../outside/agents" } },
    unsafe("symbolic link"),
  ),
  project(
    "an agent that is a link to elsewhere",
    { links: { ".opencode/agents/looker.md": "../../../../home/.ssh/id_canary" } },
    unsafe("symbolic link"),
  ),
  project(
    "a hugo.json that is a link to elsewhere",
    { links: { ".opencode/hugo.json": "../../../outside/secret.md" }, argv: ["list"] },
    unsafe("symbolic link"),
  ),
  project(
    "a state folder that is a link to elsewhere",
    { links: { ".opencode/.hugo": "../../../empty" } },
    unsafe("symbolic link"),
  ),
  project(
    "a store that is a link to elsewhere",
    { links: { ".opencode/.hugo/store": "../../../../empty" } },
    unsafe(/symbolic link|points outside/),
  ),
  project(
    "a staging folder that is a link to elsewhere",
    { links: { ".opencode/.hugo/staging": "../../../../empty" } },
    unsafe("symbolic link"),
  ),
  project(
    "bases that are a link to elsewhere",
    { links: { ".opencode/.hugo/bases": "../../../../empty" } },
    unsafe(/symbolic link|points outside/),
  ),
  project(
    "generations that are a link to elsewhere",
    { links: { ".opencode/.hugo/generations": "../../../../empty" } },
    unsafe(/symbolic link|points outside/),
  ),
  project(
    "a lock that is a link to elsewhere",
    { links: { ".opencode/.hugo/lock": "../../../../outside" } },
    unsafe(/link|folder|lock/),
  ),
  project(
    "an opencode.json that is a link to the user's own",
    (world) => ({
      links: { "opencode.json": "../../home/.config/opencode/opencode.json" },
      argv: [
        "install",
        "--yes",
        folder(world, "plug", {
          ...harmless,
          "package.json": json({ name: "plug", version: "1.0.0", main: "index.js" }),
          "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
          "index.js": "export default async () => ({});\n",
        }),
      ],
    }),
    unsafe("points outside the project"),
  ),
  project(
    "an opencode.json that is a link to a secret",
    { links: { "opencode.json": "../../home/.ssh/id_canary" }, argv: ["list"] },
    { code: "config-invalid", says: "points outside the project" },
  ),
  ...[
    ["~/.config/opencode/opencode.jsonc", undefined],
    ["~/.config/opencode/opencode.json", undefined],
    ["~/.bashrc", undefined],
    ["../../outside/new.md", undefined],
    [".opencode/../../../outside/new.md", undefined],
    [".opencode/plugin/evil.js", undefined],
    [".git/hooks/pre-commit", undefined],
  ].map(([path = "", after]) =>
    project(
      `a history whose last change was ${path}`,
      { files: remembered(path, evilConfig, after), argv: ["undo", "--yes"] },
      {
        code: "undo-blocked",
        says: /does not manage|changes after/,
      },
    ),
  ),
  ...["commit", "undo", "done", "intent"].map((phase) =>
    project(
      `an interrupted change (${phase}) of a file elsewhere`,
      {
        files: record(phase, {
          kind: "delete",
          target: "../../../../outside/secret.md",
          old: sha(`---\ndescription: ${SECRET}\n---\n${SECRET}\n`),
          new: "absent",
        }),
        argv: ["list"],
      },
      unsafe("not in this project"),
    ),
  ),
  project(
    "an interrupted change that would tidy up an empty folder elsewhere",
    {
      files: record(
        "done",
        { kind: "delete", target: "../../../../empty/gone", old: sha("x"), new: "absent" },
        { prune: ["../../../../empty"] },
      ),
      argv: ["list"],
    },
    unsafe("not in this project"),
  ),
  ...(
    [
      [".opencode/agents/looker.md", undefined, unsafe("FIFO")],
      [".opencode/hugo.json", ["list"], unsafe("FIFO")],
      ["opencode.json", ["list"], unsafe("FIFO")],
      [".opencode/.hugo/.gitignore", undefined, unsafe("never creates there")],
      [".npmrc", ["search", "x"], { code: "setting-invalid", says: ".npmrc" }],
    ] as const
  ).map(
    ([path, argv, expected]): Hostile => ({
      what: `a FIFO in the place of ${path}, which would be waited for without end`,
      make: (world) => {
        const command = cloned(world, argv === undefined ? {} : { argv });
        const file = join(command.cwd ?? "", path);
        mkdirSync(dirname(file), { recursive: true });
        Bun.spawnSync(["mkfifo", file]);
        return command;
      },
      expected,
    }),
  ),
  project(
    "files of the project with escape sequences in their names and configs",
    {
      files: {
        ".opencode/agents/\u001b]0;owned\u0007.md": agent(),
        ".opencode/agent/looker.md": agent(),
        "opencode.json": json({
          plugin: ["\u001b[2J@1.0.0", "./\u202e.js"],
          agent: { looker: { prompt: "x" }, "\u001b[2J": {} },
        }),
      },
    },
    {
      installed: ({ printed }) => {
        if (!printed.includes("looker")) throw new Error(printed);
      },
    },
  ),
  project(
    "state of the first Hugo that names files elsewhere",
    {
      files: {
        ".opencode/state.json": json({
          version: 1,
          workflows: {
            evil: {
              source: "x",
              version: "1.0.0",
              files: [{ source: "a.md", destination: "../../../outside/secret.md", hash: "0".repeat(64) }],
            },
          },
        }),
      },
      argv: ["list"],
    },
    { code: "legacy-invalid", says: "state.json" },
  ),
  project(
    "a hugo key in opencode.json with the keys of every object",
    {
      files: {
        "opencode.json": '{ "hugo": { "workflows": { "__proto__": { "package": "x" } }, "__proto__": { "x": 1 } } }',
      },
      argv: ["list"],
    },
    { code: "legacy-invalid", says: "opencode.json" },
  ),
];
