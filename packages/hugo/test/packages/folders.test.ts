import { describe, expect, test } from "bun:test";
import { readManifest } from "../../src/packages/manifest.ts";
import { refusal } from "../refusal.ts";
import { tree } from "../tree.ts";

const _json = JSON.stringify;
const skill = "---\nname: analysis\ndescription: x\n---\n";

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
