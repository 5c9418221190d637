import { describe, expect, test } from "bun:test";
import { type Manifest, readManifest } from "../../src/packages/manifest.ts";
import { checkSelection, isCollection, selectContents } from "../../src/packages/selection.ts";
import { parsePackageSpec, printPackageSpec } from "../../src/sources/spec.ts";
import { refusal } from "../refusal.ts";
import { tree } from "../tree.ts";
import { copilot, markdown, marketplace, skillLists } from "./collection-trees.ts";

function contentsOf({ agents, commands, skills }: Manifest): string[] {
  const lists = { agents, commands, skills };
  return Object.entries(lists).flatMap(([kind, list]) => list.map(({ name, path }) => `${kind}/${name} ${path}`));
}

/** The plugins of a marketplace that lists only this one, as read. */
function offered(source: object | string): Manifest["plugins"] {
  return readManifest(tree({ ".claude-plugin/marketplace.json": JSON.stringify({ plugins: [{ name: "p", source }] }) }))
    .plugins;
}

test("of two plugins with one name, only the first can be chosen, and the list says how to get the other", () => {
  const entry = (name: string, folder: string) => ({ name, source: `./${folder}` });
  const list = [entry("one", "a"), entry("one", "b"), entry("one", "a"), entry("two", "aux"), entry("three", "../x")];
  const read = readManifest(
    tree({
      ".claude-plugin/marketplace.json": JSON.stringify({ plugins: list }),
      "a/agents/ann.md": markdown({ description: "Ann" }),
      "b/agents/bob.md": markdown({ description: "Bob" }),
    }),
  );
  expect(contentsOf(read)).toEqual(["agents/ann a/agents/ann.md"]);
  expect(read.plugins).toEqual([
    { name: "one", folder: "a", members: ["agents/ann"] },
    { name: "one", members: [], problem: "Another plugin here has the same name. Install it by its folder, b." },
    { name: "two", members: [], problem: expect.stringContaining("has a name that Windows cannot store") },
    { name: "three", members: [], problem: expect.stringContaining("is not a plain path inside the repository") },
  ]);
});

describe("a marketplace", () => {
  const read = readManifest(tree(marketplace));

  test("offers what its plugins contain, each under one name", () => {
    expect(read.from).toBe("marketplace");
    expect(contentsOf(read)).toEqual([
      "agents/code-review-reviewer plugins/code-review/agents/reviewer.md",
      "agents/python-development-reviewer plugins/python-development/agents/reviewer.md",
      "agents/python-pro plugins/python-development/agents/python-pro.md",
      "commands/code-review-scaffold plugins/code-review/commands/scaffold.md",
      // Two copies of one file are one command.
      "commands/docs plugins/python-development/commands/docs.md",
      "commands/python-development-scaffold plugins/python-development/commands/scaffold.md",
      "skills/python-packaging plugins/python-development/skills/python-packaging",
    ]);
  });

  test("knows what belongs to a plugin, where the others are, and what is wrong with them", () => {
    expect(read.plugins).toEqual([
      {
        name: "python-development",
        description: "Python 3.12",
        folder: "plugins/python-development",
        members: [
          "agents/python-development-reviewer",
          "agents/python-pro",
          "commands/docs",
          "commands/python-development-scaffold",
          "skills/python-packaging",
        ],
      },
      {
        name: "code-review",
        description: "Reviews code",
        folder: "plugins/code-review",
        members: ["agents/code-review-reviewer", "commands/code-review-scaffold", "commands/docs"],
      },
      { name: "memory", members: [], elsewhere: "github:org/memory/claude" },
      { name: "broken", members: [], problem: expect.stringContaining("plugins[3].source is not in the repository,") },
    ]);
  });

  const SHA = "0123456789abcdef0123456789abcdef01234567";
  test.each<[object | string, string]>([
    [{ source: "github", repo: "a/b" }, "github:a/b"],
    [{ source: "github", repo: "a/b", path: "./x/y/", ref: "v1", sha: SHA }, `github:a/b/x/y#${SHA}`],
    [{ source: "github", repo: "a/b", path: "." }, "github:a/b"],
    [{ source: "url", url: "https://GitHub.com/a/b.git", ref: "v1" }, "github:a/b#v1"],
    [{ source: "url", url: "https://Host.org/x/a/b.git/" }, "git+https://host.org/x/a/b.git"],
    [{ source: "url", url: "git@github.com:a/b.git" }, "git+ssh://git@github.com/a/b.git"],
    [{ source: "url", url: "ssh://git@host.org:22/a/b.git", ref: "v1" }, "git+ssh://git@host.org:22/a/b.git#v1"],
    [{ source: "git-subdir", url: "a/b", path: "p/c" }, "github:a/b/p/c"],
    [{ source: "git-subdir", url: "git@host.org:a/b.git", path: "/p" }, "git+ssh://git@host.org/a/b.git//p"],
    ["https://github.com/a/b", "github:a/b"],
    ["https://Host.org/x/a/b.git", "git+https://host.org/x/a/b.git"],
    ["git@host.org:a/b.git", "git+ssh://git@host.org/a/b.git"],
    [{ source: "npm", package: "@acme/x" }, "@acme/x"],
    [{ source: "npm", package: "x", version: "^1.2.0" }, "x@^1.2.0"],
    [{ source: "npm", package: "x", registry: "https://registry.npmjs.org/" }, "x"],
  ])("says how to install what is at %j", (source, spec) => {
    expect(offered(source)).toEqual([{ name: "p", members: [], elsewhere: spec }]);
    expect(printPackageSpec(parsePackageSpec(spec))).toBe(spec);
  });

  const ADDRESS = "Its repository's address is invalid.";
  const PACKAGE = "Its npm package's name or version is invalid.";
  test.each<[object | string, string]>([
    // The same name in your registry is another author's package.
    [{ source: "pip", package: "x" }, "It is a Python package (pip), which Hugo cannot install."],
    [
      { source: "npm", package: "x", registry: "https://npm.acme.dev:8080/x" },
      "It is in another npm registry (npm.acme.dev), and Hugo installs only from those in your npm settings.",
    ],
    [
      { source: "npm", package: "x", registry: "https://user:secret@npm.acme.dev" },
      "It is in another npm registry, and Hugo installs only from those in your npm settings.",
    ],
    [{ source: "cargo", package: "x", repo: "a/b" }, "Hugo does not support its source (cargo)."],
    [{ package: "x", repo: "a/b", url: "https://host/a/b" }, "Hugo does not support its source."],
    [{ source: "npm", package: "X Y" }, PACKAGE],
    [{ source: "npm", package: "x", version: "npm:y@1" }, PACKAGE],
    [{ source: "npm", package: "github:a/b" }, PACKAGE],
    [{ source: "npm" }, PACKAGE],
    [{ source: "github" }, ADDRESS],
    ...["../..", "-x/y", "a/b/c", "a/b#c", "a/-b", "https://host/a/b.git//c"].map((repo): [object, string] => [
      { source: "github", repo },
      ADDRESS,
    ]),
    [{ source: "github", repo: "a/b", path: "../x" }, ADDRESS],
    // "#" would start a ref.
    [{ source: "url", url: "https://host.org/a/b.git", path: "x#y" }, ADDRESS],
    [{ source: "github", repo: "a/b", path: "x#y", ref: "v1" }, ADDRESS],
    ["http://host.org/a/b", ADDRESS],
    ["file:///etc", ADDRESS],
    [{ source: "github", repo: "a/b", path: "x\u202ey" }, ADDRESS],
    [{ source: "github", repo: "a/b", ref: "-x" }, ADDRESS],
    [{ source: "git-subdir", url: "https://x/y.git", path: "../..", ref: "-x" }, ADDRESS],
    ...[
      "https://user:secret@host/a.git",
      "https://host/a.git#main",
      "https://host/a.git//b",
      "http://host/a.git",
      "git://host/a.git",
      "file:///etc",
      "/etc/a",
      "ext::sh -c id",
      "ssh://-oProxyCommand=id/a",
      "git@-host:a/b",
      "git@host:a//b",
    ].map((url): [object, string] => [{ source: "url", url }, ADDRESS]),
  ])("offers no command for %j", (source, problem) => {
    expect(offered(source)).toEqual([{ name: "p", members: [], problem }]);
  });

  test("may list skills of one folder for each plugin", () => {
    const lists = readManifest(tree(skillLists));
    expect(lists.plugins).toEqual([
      { name: "documents", folder: "", members: ["skills/pdf", "skills/xlsx"] },
      { name: "design", folder: "", members: ["skills/design"] },
    ]);
    expect(lists.skills.map(({ name }) => name)).toEqual(["design", "pdf", "xlsx"]);
  });

  test("may be Copilot's, whose plugins list agents and skills of the repository", () => {
    const read = readManifest(tree(copilot));
    expect(contentsOf(read)).toEqual([
      "agents/csharp-expert agents/CSharpExpert.agent.md",
      "agents/postgresql-dba agents/postgresql-dba.agent.md",
      "skills/minimize-latency skills/scaling/latency",
      "skills/scaling skills/scaling",
    ]);
    expect(read.plugins).toEqual([
      {
        name: "csharp",
        description: "For C#",
        folder: "plugins/csharp",
        members: ["agents/csharp-expert", "skills/minimize-latency", "skills/scaling"],
      },
      { name: "canvas", folder: "plugins/canvas", members: [], problem: "It has no agents, commands or skills." },
      { name: "azure", members: [], elsewhere: "github:org/azure/.github/plugins/azure#v1" },
    ]);
  });

  test.each([".agents/plugins", ".cursor-plugin"])("may be listed in %s", (folder) => {
    const plugins = [
      { name: "a", source: { source: "local", path: "./p/a" } },
      { name: "b", source: "p/b" },
    ];
    const read = readManifest(
      tree({
        [`${folder}/marketplace.json`]: JSON.stringify({ plugins }),
        "p/a/skills/s/SKILL.md": markdown({ name: "s" }),
        "p/b/skills/t/SKILL.md": markdown({ name: "t" }),
      }),
    );
    expect(read.plugins?.map(({ members }) => members)).toEqual([["skills/s"], ["skills/t"]]);
  });

  test("that lists only the repository itself is a plugin", () => {
    const read = readManifest(
      tree({
        ".claude-plugin/marketplace.json": JSON.stringify({ plugins: [{ name: "p", source: "./" }] }),
        ".claude-plugin/plugin.json": '{ "name": "p" }',
        "skills/s/SKILL.md": markdown({ name: "s" }),
      }),
    );
    expect([read.from, read.plugins, isCollection(read)]).toEqual(["claude-plugin", undefined, false]);
  });

  test("is not needed for a folder of plugins", () => {
    const files = Object.entries(marketplace).filter(([path]) => path.startsWith("plugins/"));
    const inside = Object.fromEntries(files.map(([path, text]) => [path.slice("plugins/".length), text]));
    const read = readManifest(tree(inside));
    expect(read.from).toBe("plugin-folders");
    expect(read.plugins?.map(({ name, folder }) => [name, folder])).toEqual([
      ["code-review", "code-review"],
      ["python-development", "python-development"],
    ]);
  });

  test("whose file is broken is refused with the place", () => {
    const error = refusal(() => readManifest(tree({ ".claude-plugin/marketplace.json": '{ "plugins": {} }' })));
    expect(error).toMatchObject({ code: "manifest-invalid", at: ".claude-plugin/marketplace.json:1:14" });
  });
});

describe("a selection", () => {
  const manifest = readManifest(tree(marketplace));
  const select = (...words: string[]) => checkSelection(words, manifest, "github:org/agents");

  test.each<[string[], readonly string[] | undefined]>([
    [["python-pro"], ["agents/python-pro"]],
    [
      ["agents/python-pro", "skills/python-packaging"],
      ["agents/python-pro", "skills/python-packaging"],
    ],
    [["python-development"], ["plugins/python-development"]],
    [["plugins/code-review"], ["plugins/code-review"]],
    [["skills/python-*"], ["skills/python-packaging"]],
    [["*-reviewer"], ["agents/code-review-reviewer", "agents/python-development-reviewer"]],
    [["PYTHON-P?O"], ["agents/python-pro"]],
    [["*"], undefined],
  ])("%j means %j", (words, meaning) => {
    expect(select(...words)).toEqual(meaning as string[]);
  });

  test.each<[string[], string, string]>([
    [["python-por"], 'The package has no "python-por" (did you mean "python-pro"?)', "Choose from: plugins/"],
    [["rust-*"], 'Nothing in the package matches "rust-*"', "Patterns may contain"],
    [["memory"], 'The plugin "memory" is in another repository', "hugo install github:org/memory/claude"],
    [["broken"], 'Nothing of the plugin "broken" can be installed', "hugo info github:org/agents"],
  ])("%j is refused: %s", (words, message, hint) => {
    const error = refusal(() => select(...words));
    expect([error.code, error.exitCode]).toEqual(["no-workflow", 3]);
    expect(error.message).toStartWith(message);
    expect(error.hint).toContain(hint);
    expect(error.hint).toEndWith("Nothing was changed.");
  });

  test("may use the name that an author gave", () => {
    const read = readManifest(tree(copilot));
    expect(checkSelection(["c# expert"], read, "x")).toEqual(["agents/csharp-expert"]);
  });

  test("of a plugin or a skill brings all that belongs to it", () => {
    const chosen = (words: string[], files = marketplace) =>
      contentsOf(selectContents({ manifest: readManifest(tree(files)) }, words).manifest).map(
        (each) => each.split(" ")[0],
      );
    expect(chosen(["plugins/code-review"])).toEqual([
      "agents/code-review-reviewer",
      "commands/code-review-scaffold",
      "commands/docs",
    ]);
    expect(chosen(["skills/scaling"], copilot)).toEqual(["skills/minimize-latency", "skills/scaling"]);
    expect(chosen(["skills/minimize-latency"], copilot)).toEqual(["skills/minimize-latency"]);
  });

  test("of a plugin that is called like the one thing in it is the plugin", () => {
    const files = {
      ".claude-plugin/marketplace.json": JSON.stringify({
        plugins: [
          { name: "api", source: "./", skills: ["./skills/api"] },
          { name: "b", source: "./", skills: ["./skills/b", "./skills/c"] },
        ],
      }),
      ...Object.fromEntries(["api", "b", "c"].map((name) => [`skills/${name}/SKILL.md`, markdown({ name })])),
    };
    const read = readManifest(tree(files));
    expect(checkSelection(["api"], read, "x")).toEqual(["plugins/api"]);
    expect(checkSelection(["skills/b"], read, "x")).toEqual(["skills/b"]);
  });
});

test("a folder with very many skills is a collection, and one with few is not", () => {
  const skills = (amount: number) =>
    tree(
      Object.fromEntries(Array.from({ length: amount }, (_, i) => [`skills/s${i}/SKILL.md`, markdown({ name: "s" })])),
    );
  expect([20, 21].map((amount) => isCollection(readManifest(skills(amount))))).toEqual([false, true]);
});
