// A hugo.json comes with the repository, so it may come from anybody.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashTree } from "../../../src/packages/tree.ts";
import { tree } from "../../tree.ts";
import type { Hostile } from "../hostile-package.ts";
import { folder, json } from "../making.ts";
import type { World } from "../world.ts";

const HASH = `sha256:${"0".repeat(64)}`;

const copied = (more: object = {}) => ({
  package: "evil",
  source: "evil",
  version: "1.0.0",
  tree: HASH,
  delivery: "copy",
  agents: [],
  commands: [],
  skills: [],
  files: {},
  ...more,
});
const plugin = (more: object = {}) => {
  const { files: _, ...rest } = copied({ delivery: "plugin", ...more });
  return rest;
};

type Making = string | object;

/** A clone with this lock, and the command that meets it. */
const locked = (
  what: string,
  lock: Making | ((world: World) => Making),
  argv: readonly string[],
  expected: Hostile["expected"],
  files: Readonly<Record<string, string>> = {},
  more: Pick<Hostile, "once"> = {},
): Hostile => ({
  what: `a lock ${what}`,
  make: (world) => {
    const made = typeof lock === "function" ? lock(world) : lock;
    const text = typeof made === "string" ? made : `${JSON.stringify({ version: 1, workflows: made }, null, 2)}\n`;
    const cwd = folder(world, "project", {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".opencode/hugo.json": text,
      ...files,
    });
    return { argv, cwd };
  },
  expected,
  ...more,
});

/** Hugo enables only a plugin that is there, unchanged. */
const content = { "package.json": json({ name: "evil", version: "1.0.0", main: "index.js" }) };
const hash = hashTree(tree(content));
/** Where OpenCode finds the package that the lock names, whatever the lock remembers. */
const stored = `./.opencode/.hugo/store/${storeEntry("evil", hash, undefined)}/node_modules/evil`;
const inStore = { [`${stored}/package.json`]: content["package.json"] };

function configOf({ attic }: World): unknown {
  return JSON.parse(readFileSync(join(attic, "project/opencode.json"), "utf8")).plugin;
}

const invalid = (says: string | RegExp) => ({ code: "lock-invalid", says }) as const;
const notASource = invalid("is not a source");
const file = (path: string) => ({ evil: copied({ files: { [path]: { source: "agents/a.md", base: HASH } } }) });
const quiet = { installed: () => undefined };

export const locks: readonly Hostile[] = [
  ...[
    "../outside/secret.md",
    "agents/../../../outside/secret.md",
    "/etc/passwd",
    "hugo.json",
    ".hugo/lock",
    "plugin/evil.js",
    "agents/con.md",
    "agents\\..\\x.md",
  ].map((path) =>
    locked(
      `with the file ${json(path)}`,
      file(path),
      ["remove", "--yes", "evil"],
      invalid("folder that Hugo copies to"),
    ),
  ),
  ...["..", "__proto__", "constructor", "con", "a/b", "-rf"].map((name) =>
    locked(
      `with a workflow called ${json(name)}`,
      `{ "version": 1, "workflows": { ${json(name)}: ${json(copied())} } }`,
      ["list"],
      invalid("is not a valid workflow name"),
    ),
  ),
  locked(
    "with the keys of every object",
    '{ "version": 1, "__proto__": { "x": 1 }, "workflows": {} }',
    ["list"],
    invalid("not a known key"),
  ),
  locked(
    "with a duplicate key",
    '{ "version": 1, "version": 1, "workflows": {} }',
    ["list"],
    invalid("more than once"),
  ),
  locked("of ten thousand brackets", `{"version":1,"workflows":${"[".repeat(10_000)}`, ["list"], invalid("nested")),
  locked("of a later Hugo", '{ "version": 999, "workflows": {} }', ["list"], { code: "lock-newer", says: "999" }),
  locked(
    "with a hash that is a path",
    { evil: copied({ tree: "sha256:../../../../outside" }) },
    ["verify"],
    invalid("is not a hash"),
  ),
  ...["verify", "update", "ci"].map((command) =>
    locked(
      `whose package is a path, for ${command}`,
      { evil: copied({ package: "../../../../../../outside" }) },
      [command],
      invalid("package"),
    ),
  ),
  locked(
    "whose package is a path, for remove",
    { evil: plugin({ package: "../../../../../../outside" }) },
    ["remove", "--yes", "evil"],
    invalid("package"),
  ),
  ...["--upload-pack=touch x", "ext::sh -c touch% x"].map((source) =>
    locked(
      `whose source is ${json(source)}, for update`,
      { evil: copied({ source }) },
      ["update", "--yes"],
      notASource,
    ),
  ),
  locked(
    "whose source has an option for a host, for update",
    { evil: copied({ source: "git+ssh://-oProxyCommand=x/y/z" }) },
    ["update", "--yes"],
    invalid("is not a source in the format that Hugo writes"),
  ),
  locked(
    "whose source is an option, for ci",
    { evil: copied({ source: "--upload-pack=touch x" }) },
    ["ci", "--yes"],
    notASource,
  ),
  locked(
    "whose source is a folder elsewhere, which no user approves",
    ({ root }) => ({ evil: copied({ package: "outside", source: `${root}/outside` }) }),
    ["update"],
    {
      code: "not-approved",
      says: "needs your approval",
    },
  ),
  locked(
    "that remembers a plugin for the user's own config",
    {
      evil: plugin({ tree: hash, disabled: { file: "~/.config/opencode/opencode.json", index: 0, spec: "./evil.js" } }),
    },
    ["enable", "evil", "--yes"],
    { installed: ({ world }) => expect(configOf(world)).toEqual([stored]) },
    inStore,
  ),
  locked(
    "that remembers a plugin for a file elsewhere",
    { evil: plugin({ tree: hash, disabled: { file: "../../outside/opencode.json", index: 0, spec: "./evil.js" } }) },
    ["enable", "evil", "--yes"],
    { installed: ({ world }) => expect(configOf(world)).toEqual([stored]) },
    inStore,
  ),
  locked(
    "that remembers a plugin with a substitution",
    { evil: plugin({ tree: hash, disabled: { file: "opencode.json", index: 0, spec: "{file:~/.ssh/id_canary}" } }) },
    ["enable", "evil", "--yes"],
    { installed: ({ world }) => expect(configOf(world)).toEqual([stored]) },
    inStore,
  ),
  ...["npm:evil@6.6.6", "9.9.9 && x", "latest", "^1.0.0", "https://x.invalid/x.tgz", "{env:HOME}", ""].map((version) =>
    locked(
      `with the version ${json(version)}`,
      { evil: plugin({ version }) },
      ["enable", "evil", "--yes"],
      invalid("is not a version"),
    ),
  ),
  locked(
    "with an invalid commit",
    { evil: plugin({ source: "github:o/r", version: "a b" }) },
    ["enable", "evil", "--yes"],
    invalid("is not a commit"),
  ),
  ...["evil@npm:other", "npm:other", "other"].map((name) =>
    locked(
      `with the package ${json(name)} from elsewhere`,
      { evil: plugin({ package: name }) },
      ["enable", "evil", "--yes"],
      invalid("does not match the package"),
    ),
  ),
  ...["{env:HOME}", "x{FILE:~/.ssh/id_canary}"].map((text) =>
    locked(
      `that remembers options with ${text}`,
      { evil: plugin({ disabled: { file: "opencode.json", index: 0, spec: "evil@1.0.0", options: { a: [text] } } }) },
      ["enable", "evil", "--yes"],
      { code: "config-unsafe", says: "would replace" },
    ),
  ),
  locked(
    "that would have the user's own config deleted",
    `{ "version": 1, "configs": { "~/.config/opencode/opencode.json": "file", "../../outside/secret.md": "file", "README.md": "file" }, "workflows": { "evil": ${json(plugin())} } }`,
    ["remove", "--yes", "evil"],
    quiet,
    {
      "README.md": "mine",
      "opencode.json": json({ plugin: ["evil@1.0.0"] }),
    },
    { once: true },
  ),
  locked(
    "with escape sequences",
    { evil: copied({ source: "\u001b[2J", version: "\u009b31m\u202e", package: "evil" }) },
    ["list"],
    notASource,
  ),
  locked("with escape sequences in what it is asked about", { evil: copied() }, ["status", "evil\u001b[2J"], {
    code: "not-installed",
    says: "evil",
  }),
  locked("of seventy megabytes", () => " ".repeat(70_000_000), ["list"], { code: "place-unsafe", says: "larger than" }),
];
