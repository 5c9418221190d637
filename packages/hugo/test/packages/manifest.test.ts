import { describe, expect, test } from "bun:test";
import { readManifest } from "../../src/packages/manifest.ts";
import { entryCases, filesOf } from "../opencode/entry-cases.ts";
import { refusal } from "../refusal.ts";
import { tree } from "../tree.ts";

const json = JSON.stringify;
const skill = "---\nname: analysis\ndescription: x\n---\n";
const plugin = { "package.json": json({ name: "@org/review", version: "1.0.0", main: "index.js" }), "index.js": "" };

describe("workflow.json", () => {
  const files = { "agents/reviewer.md": "", "commands/review.md": "", "skills/analysis/SKILL.md": skill };
  const manifest = json({ agents: ["reviewer"], commands: ["review"], skills: ["analysis"] });

  test("with a plugin entry is delivered as a plugin", () => {
    expect(readManifest(tree({ ...plugin, ...files, "workflow.json": manifest }))).toEqual({
      from: "workflow.json",
      delivery: { kind: "plugin", entry: "index.js" },
      package: { name: "@org/review", version: "1.0.0" },
      agents: [{ name: "reviewer", path: "agents/reviewer.md" }],
      commands: [{ name: "review", path: "commands/review.md" }],
      skills: [{ name: "analysis", path: "skills/analysis" }],
    });
  });

  test("without an entry is delivered by copying", () => {
    const read = readManifest(tree({ ...files, "package.json": json({ name: "review" }), "workflow.json": manifest }));
    expect(read.delivery).toEqual({ kind: "copy" });
  });

  test("may leave out every list, and have comments and other keys", () => {
    const read = readManifest(tree({ ...plugin, "workflow.json": '{ /* none */ "later": 1 }' }));
    expect([read.agents, read.commands, read.skills]).toEqual([[], [], []]);
  });

  test("lists workflows by the names of their modules", () => {
    const more = { "workflows/release.ts": "", "workflows/notes.js": "", "workflows/release/ask.md": "" };
    const read = (names: unknown) =>
      readManifest(tree({ ...plugin, ...more, "workflows/x.d.ts": "", "workflow.json": json({ workflows: names }) }));
    expect(read(["release", "notes"]).workflows).toEqual([
      { name: "release", path: "workflows/release.ts" },
      { name: "notes", path: "workflows/notes.js" },
    ]);
    expect(() => read(["release", "gone"])).toThrow('lists "gone", but workflows/gone.ts is not in the package');
    expect(() => read(["x"])).toThrow('lists "x", but workflows/x.ts is not in the package');
    expect(() => read(["release", "release"])).toThrow('repeats "release"');
    expect(read([]).workflows).toEqual([]);
    expect(() => read(["con"])).toThrow("is not a valid name");
    const both = { ...plugin, "workflows/a.ts": "", "workflows/a.js": "", "workflow.json": json({ workflows: ["a"] }) };
    expect(() => readManifest(tree(both))).toThrow('lists "a", but both workflows/a.js and workflows/a.ts define it');
  });

  test("wins over hugo-workflow.json and folders", () => {
    const both = tree({ ...plugin, ...files, "workflow.json": "{}", "hugo-workflow.json": "broken" });
    expect(readManifest(both)).toMatchObject({ from: "workflow.json", agents: [] });
  });

  test.each([
    ["{", "workflow.json:1:2: expected"],
    ["[]", "workflow.json:1:1: the whole value is not an object"],
    ['{"agents": "reviewer"}', "workflow.json:1:12: agents is not an array"],
    ['{"agents": [1]}', "workflow.json:1:13: agents[0] is not a string"],
    ['{"agents": [""]}', "workflow.json:1:13: agents[0] is empty"],
    ['{"agents": ["reviewer", "reviewer"]}', 'workflow.json:1:25: agents[1] repeats "reviewer"'],
    ['{"agents": ["missing"]}', 'lists "missing", but agents/missing.md is not in the package'],
    ['{"skills": ["reviewer"]}', "skills/reviewer/SKILL.md is not in the package"],
    ['{"agents": ["../x"]}', "is not a valid name"],
    ['{"agents": ["/x"]}', "is not a valid name"],
    ['{"agents": ["__proto__"]}', "is not a valid name"],
    ['{"agents": ["constructor"]}', "property of every JavaScript object"],
    ['{"commands": ["con"]}', "reserved on Windows"],
    ['{"commands": ["Review"]}', "is not a valid name"],
    ['{"commands": ["a b"]}', "is not a valid name"],
    ['{"commands": ["\\u001b[2J"]}', "\\u001b[2J"],
    ['{"agents": [], "agents": []}', "workflow.json:1:16: agents appears more than once"],
  ])("%s is refused", (text, message) => {
    const error = refusal(() => readManifest(tree({ ...plugin, ...files, "workflow.json": text })));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(message);
    expect(error.at).toMatch(/^workflow\.json:\d+:\d+$/);
    expect(error.hint).toContain("hugo build");
  });
});

describe("the entry of a plugin", () => {
  const entryOf = (packageJson: unknown, files: Record<string, string> = { "dist/index.js": "" }) =>
    readManifest(tree({ "workflow.json": "{}", "package.json": json(packageJson), ...files })).delivery;

  test.each<[unknown, string]>([
    [{ main: "dist/index.js" }, "dist/index.js"],
    [{ main: "./dist/index.js" }, "dist/index.js"],
    [{ main: "dist/index" }, "dist/index.js"],
    [{ main: "dist" }, "dist/index.js"],
    [{ main: "./dist/" }, "dist/index.js"],
    [{ exports: { "./server": "./dist/index.js" } }, "dist/index.js"],
    [{ main: "gone.js", exports: { "./server": "./dist/index.js" } }, "dist/index.js"],
    [{ main: "dist/index.js", exports: { ".": "./other.js" } }, "dist/index.js"],
    [{ main: "dist/index.js", exports: "./other.js" }, "dist/index.js"],
  ])("of %j is %s", (packageJson, entry) => {
    expect(entryOf(packageJson)).toEqual({ kind: "plugin", entry });
  });

  test.each<[unknown, string]>([
    [{ main: "gone.js" }, "names a file that is not in the package"],
    [{ main: "../outside.js" }, "names a file that is not in the package"],
    [{ main: 1 }, "is not a string"],
    [{ exports: { "./server": "./gone.js" } }, "names a file that is not in the package"],
    [{ exports: { "./server": { bun: "./dist/index.js" } } }, '"main" is missing'],
    [{ exports: { ".": "./dist/index.js" } }, '"main" is missing'],
    [{ exports: "./dist/index.js" }, '"main" is missing'],
  ])("of %j is refused: %s", (packageJson, problem) => {
    const error = refusal(() => entryOf(packageJson));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toStartWith("package.json:1:");
  });

  test.each(Object.entries(entryCases))("with %s is the one that OpenCode loads", (_, entryCase) => {
    const files = Object.fromEntries(
      Object.entries(filesOf("p", entryCase)).map(([path, file]) => [
        path,
        typeof file === "string" ? file : json(file),
      ]),
    );
    const read = () => readManifest(tree({ "workflow.json": "{}", ...files })).delivery;
    if (entryCase.ofPackage !== undefined) expect(read()).toEqual({ kind: "plugin", entry: entryCase.ofPackage });
    else if (Object.keys(entryCase.json).length === 0) expect(read()).toEqual({ kind: "copy" });
    else expect(refusal(read).code).toBe("manifest-invalid");
  });

  test("does not matter for a package that is copied", () => {
    const files = { "package.json": json({ name: "x", main: "gone.js", exports: "./gone.js" }), "agents/a.md": "" };
    expect(readManifest(tree(files)).delivery).toEqual({ kind: "copy" });
  });
});

describe("hugo-workflow.json", () => {
  const files = {
    "agents/orchestrator.md": "",
    "agents/team/reviewer.md": "",
    "other/helper.md": "",
    "skills/git-diff/SKILL.md": "",
    "skills/git-diff/scripts/get-diff.sh": "",
    "skills/broken/readme.txt": "",
    "commands/review-pr.md": "",
    "notes.txt": "",
  };
  const manifest = (lists: Record<string, unknown>) =>
    json({ name: "code-review", description: "Structured review", ...lists });

  test("lists the files to copy", () => {
    const text = manifest({
      agents: [{ path: "agents/orchestrator.md" }, { path: "./agents/team/reviewer.md" }, { path: "other/helper.md" }],
      skills: [{ path: "skills/git-diff/" }],
      commands: [{ path: "commands/review-pr.md" }],
    });
    expect(readManifest(tree({ ...plugin, ...files, "hugo-workflow.json": text }))).toEqual({
      from: "hugo-workflow.json",
      delivery: { kind: "copy" },
      package: { name: "@org/review", version: "1.0.0" },
      agents: [
        { name: "orchestrator", path: "agents/orchestrator.md" },
        { name: "team/reviewer", path: "agents/team/reviewer.md" },
        { name: "helper", path: "other/helper.md" },
      ],
      commands: [{ name: "review-pr", path: "commands/review-pr.md" }],
      skills: [{ name: "git-diff", path: "skills/git-diff" }],
    });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ name: undefined }, "name is missing"],
    [{ name: "../x" }, "name is not a valid name"],
    [{ description: 1 }, "description is not a string"],
    [{ agents: {} }, "agents is not an array"],
    [{ agents: ["agents/orchestrator.md"] }, "agents[0] is not an object"],
    [{ agents: [{}] }, "agents[0].path is missing"],
    [{ agents: [{ path: "agents/gone.md" }] }, "agents[0].path is not in the package"],
    [{ agents: [{ path: "notes.txt" }] }, "is not a Markdown file, but agents must be"],
    [{ commands: [{ path: "notes.txt" }] }, "is not a Markdown file, but commands must be"],
    [{ agents: [{ path: "../x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "agents/../../x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "/etc/x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "agents\\x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "C:/x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "." }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "" }] }, "is not a plain path"],
    [{ skills: [{ path: "skills/gone" }] }, "is not in the package"],
    [{ skills: [{ path: "skills/broken" }] }, "has no SKILL.md"],
    [{ skills: [{ path: "notes.txt" }] }, "is a file, but a skill must be a folder"],
    [{ agents: [{ path: "other/helper.md" }, { path: "other/helper.md" }] }, 'agents[1].path repeats "helper"'],
  ])("%j is refused: %s", (lists, problem) => {
    const error = refusal(() => readManifest(tree({ ...files, "hugo-workflow.json": manifest(lists) })));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toMatch(/^hugo-workflow\.json:1:\d+$/);
  });

  test("is refused when two files would become one", () => {
    const text = manifest({ agents: [{ path: "other/helper.md" }, { path: "agents/helper.md" }] });
    const error = refusal(() => readManifest(tree({ ...files, "agents/helper.md": "", "hugo-workflow.json": text })));
    expect(error.message).toContain('repeats "helper"');
  });

  test("is refused when a file would be where another needs a folder", () => {
    const text = manifest({ agents: [{ path: "agents/a.md" }, { path: "agents/a.md/b.md" }] });
    const error = refusal(() =>
      readManifest(tree({ "agents/a.md": "", "agents/a.md/b.md": "", "hugo-workflow.json": text })),
    );
    expect(error.message).toContain("clashes with another name");
  });
});

describe("a package without a manifest of Hugo", () => {
  test("is what its folders contain", () => {
    const files = tree({
      "README.md": "",
      "agents/README.md": "",
      "agents/b.md": "",
      "agents/a.md": "",
      "agents/a.txt": "",
      "commands/git/commit.md": "",
      "skills/one/SKILL.md": skill,
      "skills/one/examples/nested/SKILL.md": skill,
      "skills/group/two/SKILL.md": skill,
      "skills/three/readme.txt": "",
    });
    expect(readManifest(files)).toEqual({
      from: "folders",
      delivery: { kind: "copy" },
      package: {},
      agents: [
        { name: "a", path: "agents/a.md" },
        { name: "b", path: "agents/b.md" },
      ],
      commands: [{ name: "git/commit", path: "commands/git/commit.md" }],
      skills: [
        { name: "analysis", path: "skills/one/examples/nested", within: "one" },
        { name: "one", path: "skills/one" },
        { name: "two", path: "skills/group/two" },
      ],
    });
  });

  test("treats a file with a document's name as a document unless it describes itself", () => {
    const described = "---\ndescription: Looks for holes\n---\n";
    const files = tree({
      "agents/a.md": "",
      "agents/security.md": described,
      "agents/changelog.md": "---\ndescription: Writes: the changelog\n---\n",
      "agents/notice.md": "---\ndescription: {\n---\n",
      "agents/CLAUDE.md": "---\ntitle: Rules\n---\n",
      "agents/CONTRIBUTING.md": described,
      "agents/license.md": "MIT",
      "commands/changelog.md": described,
      "commands/readme.md": "# Commands\n",
    });
    const { agents, commands } = readManifest(files);
    expect(agents.map(({ name }) => name)).toEqual(["a", "changelog", "notice", "security"]);
    expect(commands.map(({ name }) => name)).toEqual(["changelog"]);
  });

  test.each([".opencode", ".claude"])("may keep its folders in %s", (root) => {
    const read = readManifest(tree({ [`${root}/agents/a.md`]: "", [`${root}/skills/s/SKILL.md`]: "" }));
    expect(read.agents).toEqual([{ name: "a", path: `${root}/agents/a.md` }]);
    expect(read.skills).toEqual([{ name: "s", path: `${root}/skills/s` }]);
  });

  test("may use the singular", () => {
    const read = readManifest(tree({ "agent/a.md": "", "command/c.md": "", "skill/s/SKILL.md": "" }));
    expect([read.agents, read.commands, read.skills].flat().map(({ path }) => path)).toEqual([
      "agent/a.md",
      "command/c.md",
      "skill/s",
    ]);
  });

  test("may have skills in its root", () => {
    const read = readManifest(
      tree({ "pdf/SKILL.md": "", "docx/SKILL.md": "", "docx/x/SKILL.md": "", ".x/SKILL.md": "" }),
    );
    expect(read.skills.map(({ path }) => path)).toEqual(["docx", "pdf"]);
  });

  test("may be one skill", () => {
    expect(readManifest(tree({ "SKILL.md": skill, "run.sh": "" })).skills).toEqual([{ name: "analysis", path: "" }]);
  });

  test("may be one skill whose frontmatter is not YAML but readable for OpenCode", () => {
    const text = "---\nname: analysis\ndescription: Looks: at code\n---\n";
    expect(readManifest(tree({ "SKILL.md": text })).skills).toEqual([{ name: "analysis", path: "" }]);
  });

  test.each<[Record<string, string>, string]>([
    [{ "SKILL.md": "no frontmatter" }, "has no name"],
    [{ "SKILL.md": "---\nname: ..\n---\n" }, "cannot be installed"],
  ])("is refused: %j", (files, problem) => {
    const error = refusal(() => readManifest(tree(files)));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toBeDefined();
  });

  test("has a name for everything: one odd name does not keep users from the rest", () => {
    const { agents, commands, skills } = readManifest(
      tree({
        "agents/ok.md": "",
        "agents/评审.md": "",
        "agents/ReView.md": "one",
        "agents/re-view.md": "another",
        "agent/a.md": "one",
        "agents/a.md": "another",
        "commands/constructor.md": "",
        "commands/部署.md": "",
        "skills/NUL/SKILL.md": "",
        "skills/评审/SKILL.md": "---\nname: checking\n---\n",
      }),
    );
    const names = (entities: typeof agents): unknown[] =>
      entities.map(({ name, was }) => [name.replace(/-[0-9a-f]{8}$/, "-#"), was]).sort();
    expect(names(agents)).toEqual([
      ["a-#", "a"],
      ["a-#", "a"],
      ["agent-#", "评审"],
      ["ok", undefined],
      ["re-view", undefined],
      ["re-view-#", "ReView"],
    ]);
    expect(names(commands)).toEqual([
      ["command-#", "部署"],
      ["constructor-#", "constructor"],
    ]);
    expect(names(skills)).toEqual([
      ["checking", "评审"],
      ["nul-#", "NUL"],
    ]);
  });

  test("is named as its authors name it, and what cannot be a file's name everywhere is spelled differently", () => {
    const called = (name: string): string => `---\nname: ${name}\n---\n`;
    const files = tree({
      "agents/CSharpExpert.agent.md": called("C# Expert"),
      "agents/postgresql-dba.agent.md": "",
      "agents/reviewer.md": called("code-reviewer"),
      "agents/helper.md": called("build"),
      "agents/Über Prüfer.md": "",
      "prompts/Fix It.prompt.md": "",
      "prompts/notes.md": "",
      "skills/My Skill/SKILL.md": "",
      "skills/x/one/SKILL.md": "",
      "skills/y/one/SKILL.md": "",
    });
    const { agents, commands, skills } = readManifest(files);
    expect(agents).toEqual([
      { name: "code-reviewer", path: "agents/reviewer.md" },
      { name: "csharp-expert", path: "agents/CSharpExpert.agent.md", was: "C# Expert" },
      { name: "helper", path: "agents/helper.md", was: "build" },
      { name: "postgresql-dba", path: "agents/postgresql-dba.agent.md" },
      { name: "uber-prufer", path: "agents/Über Prüfer.md", was: "Über Prüfer" },
    ]);
    expect(commands).toEqual([{ name: "fix-it", path: "prompts/Fix It.prompt.md", was: "Fix It" }]);
    expect(skills).toEqual([
      { name: "my-skill", path: "skills/My Skill", was: "My Skill" },
      { name: "x-one", path: "skills/x/one", was: "one" },
      { name: "y-one", path: "skills/y/one", was: "one" },
    ]);
  });

  test.each<[Record<string, string>, string]>([
    [{}, "opencode-plugin"],
    [{ "index.js": "", "README.md": "" }, "opencode-plugin"],
    [{ "agents/README.md": "" }, "opencode-plugin"],
    [{ ".claude-plugin/marketplace.json": "{}", "plugins/a/x.txt": "" }, "from its own repository or folder"],
    [{ ".claude-plugin/plugin.json": '{"name": "x"}' }, "opencode-plugin"],
  ])("and without content is not a workflow: %j", (files, hint) => {
    const error = refusal(() => readManifest(tree(files)));
    expect(error.code).toBe("no-workflow");
    expect(error.hint).toContain(hint);
  });

  test("and without content is named", () => {
    const lacks =
      "is not a workflow and not an OpenCode plugin: it has no workflow.json, no agents, commands or skills, and nothing in its package.json mentions OpenCode";
    expect(refusal(() => readManifest(tree({ "package.json": '{"name": "@org/x"}' }))).message).toBe(`@org/x ${lacks}`);
    expect(refusal(() => readManifest(tree({}))).message).toBe(`The package ${lacks}`);
  });
});

describe("an OpenCode plugin without a manifest", () => {
  const entry = { "dist/index.js": "export const Plugin = async () => ({});" };
  const named = (more: object) => ({ "package.json": json({ name: "x", main: "dist/index.js", ...more }), ...entry });
  const dependent = named({ devDependencies: { "@opencode-ai/plugin": "1" } });

  test.each<[string, Record<string, string>]>([
    ["a dependency on OpenCode's package", dependent],
    ["a peer dependency", named({ peerDependencies: { "@opencode-ai/plugin": ">=1" } })],
    ["a keyword", named({ keywords: ["ai", "opencode-plugin"] })],
    ["the OpenCode versions it needs", named({ engines: { opencode: ">=1.2" } })],
    [
      "code that uses OpenCode's package",
      { ...named({}), "dist/index.js": 'import { tool } from "@opencode-ai/plugin";' },
    ],
    ["agents of its authors", { ...dependent, ".opencode/agents/a.md": "", ".claude/skills/s/SKILL.md": skill }],
    ["skills that its code registers", { ...dependent, "skills/analysis/SKILL.md": skill }],
    ["a Claude manifest beside", { ...dependent, ".claude-plugin/plugin.json": '{"name": "x"}', "agents/a.md": "" }],
  ])("is one because of %s, and nothing of it is copied", (_, files) => {
    expect(readManifest(tree(files))).toEqual({
      from: "opencode-plugin",
      delivery: { kind: "plugin", entry: "dist/index.js" },
      package: { name: "x" },
      agents: [],
      commands: [],
      skills: [],
    });
  });

  test.each<[string, Record<string, string>]>([
    ['it has the keyword "opencode"', named({ keywords: ["opencode"] })],
    ['its name contains "opencode"', named({ name: "opencode-x" })],
    [
      "dist/index.js has functions with the names of OpenCode hooks",
      { ...named({}), "dist/index.js": 'export const P = () => ({ "tool.execute.before": async () => {} });' },
    ],
    [
      "its main file is .opencode/plugins/x.js",
      { "package.json": json({ main: ".opencode/plugins/x.js" }), ".opencode/plugins/x.js": "" },
    ],
    ['its name contains "opencode"', { ...named({ name: "opencode-x" }), ".opencode/commands/publish.md": "" }],
  ])("is doubtful if only this suggests it: %s", (doubt, files) => {
    expect(readManifest(tree(files))).toMatchObject({ from: "opencode-plugin", doubt });
  });

  test("is copied if it is a collection, too, and its author does not declare the plugin", () => {
    const both = {
      "package.json": json({ name: "powers", main: ".opencode/plugins/powers.js" }),
      ".opencode/plugins/powers.js": "",
      "skills/analysis/SKILL.md": skill,
    };
    expect(readManifest(tree(both))).toMatchObject({
      delivery: { kind: "copy" },
      skills: [{ name: "analysis", path: "skills/analysis" }],
    });
    const isCopied = { ...dependent, "package.json": json({ devDependencies: { "@opencode-ai/plugin": "1" } }) };
    expect(readManifest(tree({ ...isCopied, "skills/analysis/SKILL.md": skill })).delivery).toEqual({ kind: "copy" });
  });

  test("may draw in the terminal, beside its server or alone", () => {
    const exports = { "./server": "./dist/index.js", "./tui": { types: "./t.d.ts", import: "./tui.js" } };
    const files = { ...named({ exports, keywords: ["opencode-plugin"] }), "tui.js": "" };
    expect(readManifest(tree(files)).delivery).toEqual({ kind: "plugin", entry: "dist/index.js", tui: "tui.js" });
    const alone = { exports: { "./tui": "./tui.js" }, engines: { opencode: "*" } };
    expect(readManifest(tree({ "package.json": json(alone), "tui.js": "" })).delivery).toEqual({
      kind: "plugin",
      tui: "tui.js",
    });
    const themes = { "package.json": json({ "oc-themes": ["themes/sea.json"] }), "themes/sea.json": "{}" };
    expect(readManifest(tree(themes)).delivery).toEqual({ kind: "plugin", tui: "themes/sea.json" });
  });

  test("is refused where OpenCode would silently load nothing", () => {
    const gone = { "package.json": json({ name: "opencode-x", main: "dist/gone.js" }) };
    expect(refusal(() => readManifest(tree(gone))).message).toContain("names a file that is not in the package");
    const hidden = { name: "opencode-x", exports: { ".": "./dist/index.js" } };
    const error = refusal(() => readManifest(tree({ "package.json": json(hidden), ...entry })));
    expect(error.message).toContain("OpenCode would load nothing and report no error");
  });

  test.each<[string, Record<string, string>]>([
    ["main", named({})],
    ["a server for another framework", { "package.json": json({ exports: { "./server": "./s.js" } }), "s.js": "" }],
    ["an index", { "package.json": "{}", "index.js": "module.exports = {};" }],
    ["OpenCode's package, but no code", { "package.json": json({ dependencies: { "@opencode-ai/plugin": "1" } }) }],
  ])("a library with %s is not one", (_, files) => {
    expect(refusal(() => readManifest(tree(files))).code).toBe("no-workflow");
  });
});

describe("a Claude plugin", () => {
  const at = ".claude-plugin/plugin.json";

  test("is its folders and what its manifest adds", () => {
    const files = tree({
      [at]: json({
        name: "review",
        version: "2.0.0",
        description: "d",
        commands: ["./extra/deploy.md", "./commands/"],
        agents: "./more-agents",
        skills: ["./tools", "./skills/one"],
      }),
      "commands/status.md": "",
      "extra/deploy.md": "",
      "more-agents/sec.md": "",
      "skills/one/SKILL.md": "",
      "tools/two/SKILL.md": "",
    });
    expect(readManifest(files)).toEqual({
      from: "claude-plugin",
      delivery: { kind: "copy" },
      package: { name: "review", version: "2.0.0", description: "d" },
      agents: [{ name: "sec", path: "more-agents/sec.md" }],
      commands: [
        { name: "deploy", path: "extra/deploy.md" },
        { name: "status", path: "commands/status.md" },
      ],
      skills: [
        { name: "one", path: "skills/one" },
        { name: "two", path: "tools/two" },
      ],
    });
  });

  test("is named by package.json if there is one", () => {
    const files = { [at]: '{"name": "a", "version": "1.0.0"}', "package.json": '{"name": "@o/b"}', "agents/x.md": "" };
    expect(readManifest(tree(files)).package).toEqual({ name: "@o/b", version: "1.0.0" });
  });

  test.each<[unknown, string]>([
    [{ commands: "./gone" }, "commands is not in the plugin"],
    [{ commands: ["./gone.md"] }, "commands[0] is not in the plugin"],
    [{ commands: ["../../x.md"] }, "commands[0] is not a plain path inside the plugin"],
    [{ agents: "/etc" }, "agents is not a plain path inside the plugin"],
    [{ agents: {} }, "agents is not a string"],
    [{ skills: "./odd" }, "skills is not in the plugin"],
  ])("%j is refused: %s", (lists, problem) => {
    const files = { "commands/status.md": "", "twin/status.md": "", "odd/A B.md": "", [at]: json(lists) };
    const error = refusal(() => readManifest(tree(files)));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toStartWith(`${at}:1:`);
  });
});
