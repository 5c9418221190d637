import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { tmpProject } from "@atomic/testing/project";
import { info } from "../../src/commands/info.ts";
import type { Choice } from "../../src/context.ts";
import { copilot, markdown, marketplace, skillLists } from "../packages/collection-trees.ts";
import { hugoIn, refusalOf } from "./hugo-project.ts";

setDefaultTimeout(180_000);

describe("a collection", () => {
  test("is not installed before something is chosen, and the error says how", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    const before = await project.tree(".");
    const error = await refusalOf(hugo.install(repo.packageUrl, { yes: true }));
    expect(error).toMatchObject({ code: "choice-needed", exitCode: 4 });
    expect(error.message).toBe(
      `${repo.packageUrl} is a collection (2 plugins, 3 agents, 1 skill, 3 commands, 1 plugin in another repository, 1 plugin that cannot be installed): choose what to install`,
    );
    expect(error.hint).toContain(`\`hugo install ${repo.packageUrl} --select python-development\`.`);
    expect(hugo.asked).toEqual([]);
    expect(await project.tree(".")).toEqual(before);
  });

  test("gives what is chosen from a list, and nothing if the list is cancelled", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const choices: Choice[] = [];
    const answering = (answer: readonly string[] | "cancelled") => ({
      choose: async (choice: Choice) => {
        choices.push(choice);
        return answer;
      },
    });
    const cancelled = hugoIn(project, project.dir, answering("cancelled"));
    expect(await refusalOf(cancelled.install(repo.packageUrl))).toMatchObject({ code: "declined", exitCode: 1 });
    const choosing = hugoIn(project, project.dir, answering(["skills/python-packaging", "plugins/code-review"]));
    const { workflows } = await choosing.install(repo.packageUrl);
    expect(workflows).toMatchObject([{ skills: ["python-packaging"], agents: ["code-review-reviewer"] }]);
    expect(choices[1]?.items.slice(0, 3)).toEqual([
      {
        value: "plugins/python-development",
        group: "plugins",
        label: "python-development",
        detail: "2 agents, 1 skill, 2 commands: Python 3.12",
      },
      {
        value: "plugins/code-review",
        group: "plugins",
        label: "code-review",
        detail: "1 agent, 2 commands: Reviews code",
      },
      { value: "agents/code-review-reviewer", group: "agents", label: "code-review-reviewer", detail: "d" },
    ]);
  });

  test("gives one plugin, which updates follow, and another one when it is chosen instead", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    await hugo.install(repo.packageUrl, { select: "code-review" });
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: { agents: { source: repo.packageUrl, selection: ["plugins/code-review"] } },
    });
    expect(await project.tree(".opencode/agents")).toEqual(["code-review-reviewer.md"]);
    const added = markdown({ name: "strict", description: "d" });
    await repo.commit({ files: { "plugins/code-review/agents/strict.md": added } });
    const { failed } = await hugo.update();
    expect(failed).toEqual([]);
    expect(await project.tree(".opencode/agents")).toEqual(["code-review-reviewer.md", "strict.md"]);
    // Installing it again keeps the choice; a new choice replaces it.
    await hugo.install(repo.packageUrl, { force: true });
    expect(await project.tree(".opencode/agents")).toEqual(["code-review-reviewer.md", "strict.md"]);
    await hugo.install(repo.packageUrl, { force: true, select: "skills/python-packaging" });
    expect(await project.tree(".opencode")).not.toContain("agents/strict.md");
    expect(await project.tree(".opencode/skills")).toEqual(["python-packaging/SKILL.md"]);
  });

  test("keeps the names of what is installed when an update brings a file with the same name", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    await hugo.install(repo.packageUrl, { select: "*" });
    const text = markdown({ description: "Another one" });
    const agent = markdown({ name: "snake-pro", description: "Renamed by its author" });
    await repo.commit({
      files: {
        "plugins/code-review/commands/python-pro.md": text,
        "plugins/python-development/commands/python-pro.md": markdown({ description: "The first of two" }),
      },
    });
    await hugo.update();
    await repo.commit({
      files: {
        // From now on, "docs" would be the name of two different commands.
        "plugins/code-review/commands/docs.md": text,
        "plugins/python-development/agents/python-pro.md": agent,
      },
    });
    const { failed } = await hugo.update();
    expect(failed).toEqual([]);
    expect(await project.tree(".opencode/commands")).toEqual([
      "code-review-docs.md",
      "code-review-python-pro.md",
      "code-review-scaffold.md",
      "docs.md",
      "python-development-python-pro.md",
      "python-development-scaffold.md",
    ]);
    expect(await project.read(".opencode/agents/python-pro.md")).toContain("Renamed by its author");
    const names = await project.tree(".opencode/commands");
    await hugo.install(repo.packageUrl, { force: true });
    expect(await project.tree(".opencode/commands")).toEqual(names);
    // The same in a clone.
    await project.run(["rm", "-rf", ".opencode/commands", ".opencode/.hugo"]);
    await hugo.ci();
    expect(await project.read(".opencode/commands/docs.md")).toContain("Writes docs");
    expect(await project.read(".opencode/commands/code-review-docs.md")).toContain("Another one");
  });

  test("is asked about again when more of it is chosen", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    await hugo.install(repo.packageUrl, { select: "code-review" });
    await hugo.install(repo.packageUrl, { select: "code-review", force: true });
    expect(hugo.asked).toHaveLength(1);
    await hugo.install(repo.packageUrl, { select: "*", force: true });
    expect(hugo.asked).toHaveLength(2);
  });

  test("is installed under valid names, with a skill's own skills", async () => {
    await using repo = await gitRepo({ name: "awesome", files: copilot });
    await using project = await tmpProject();
    const { workflows } = await hugoIn(project).install(repo.packageUrl, { select: "csharp" });
    expect(workflows).toMatchObject([{ agents: ["csharp-expert"], skills: ["minimize-latency", "scaling"] }]);
    expect(await project.tree(".opencode/skills")).toEqual(["scaling/SKILL.md", "scaling/latency/SKILL.md"]);
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: {
        awesome: { files: { "agents/csharp-expert.md": { source: "agents/CSharpExpert.agent.md" } } },
      },
    });
  });
});

describe("info about a collection", () => {
  test("prints an author's text as a command only if a shell takes it as it is", async () => {
    const plugins = [
      { name: "x; touch pwned", source: "./a", description: "hugo install evil" },
      { name: "b", source: "./b" },
      { name: "shell", source: { source: "github", repo: "x/y; rm -rf ~" } },
      { name: "password", source: { source: "url", url: "https://u:secret@h/x.git" } },
      { name: "folder", source: { source: "git-subdir", url: "https://h/x.git", path: "$(id)" } },
      { name: "package", source: { source: "npm", package: "good", version: "1.0 && id" } },
    ];
    const files = {
      ".claude-plugin/marketplace.json": JSON.stringify({ name: "mk", plugins }),
      "a/skills/one/SKILL.md": markdown({ name: "one", description: "d" }),
      "b/agents/two.md": markdown({ description: "d" }),
    };
    await using repo = await gitRepo({ name: "mk", files });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    const result = await hugo.info(repo.packageUrl);
    expect(result.offers?.plugins.filter(({ elsewhere }) => elsewhere !== undefined)).toEqual([]);
    const text =
      info.report.text(result, { colour: false, columns: 60 }) + info.report.notes(result, { colour: false });
    expect(text).toContain("--select 'x; touch pwned'");
    expect(text).not.toMatch(/secret|rm -rf|\$\(id\)|&& id/);
    const { hint } = await refusalOf(hugo.install(repo.packageUrl, { yes: true }));
    expect(hint).toContain("--select 'x; touch pwned'`.");
    const refused = await refusalOf(hugo.install(repo.packageUrl, { yes: true, select: "shell" }));
    expect(refused.message).toContain("Its repository's address is invalid");
  });

  test("lists what is inside, where the rest is, and how to choose", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const result = await hugoIn(project).info(repo.packageUrl);
    const text = info.report.text(result, { colour: false, columns: 60 });
    expect(result.offers?.amounts).toBe(
      "2 plugins, 3 agents, 1 skill, 3 commands, 1 plugin in another repository, 1 plugin that cannot be installed",
    );
    expect(text.slice(text.indexOf("Plugins ("))).toBe(
      [
        "Plugins (2)",
        "  python-development  2 agents, 1 skill, 2 commands: Python…",
        "  code-review         1 agent, 2 commands: Reviews code",
        "Plugins in other repositories (1)",
        "  memory  hugo install github:org/memory/claude",
        "Plugins that cannot be installed (1)",
        "  broken  .claude-plugin/marketplace.json:1:350: plugins[3]…",
        "",
      ].join("\n"),
    );
    const next = info.report.notes(result, { colour: false });
    expect(next).toEndWith(
      [
        `What a part can do: hugo info ${repo.packageUrl} --select python-development`,
        `To install parts:   hugo install ${repo.packageUrl} --select python-development`,
        "",
      ].join("\n"),
    );
    expect(result).toMatchObject({
      capabilities: [],
      offers: { plugins: [{ name: "python-development" }, {}, {}, {}] },
    });
  });

  test("lists what belongs to no plugin by its kind", async () => {
    await using repo = await gitRepo({ name: "awesome", files: copilot });
    await using project = await tmpProject();
    const text = info.report.text(await hugoIn(project).info(repo.packageUrl), { colour: false });
    expect(text).toContain("Agents in no plugin (1)\n  postgresql-dba  Knows Postgres\n");
    expect(text).toContain("Plugins that cannot be installed (1)\n  canvas  It has no agents, commands or skills.\n");
  });

  test("a long name does not push the others apart", async () => {
    const list = ["a", "b".repeat(5_000)].map((name) => ({ name, description: "Does it", source: `./${name[0]}` }));
    const files = {
      ".claude-plugin/marketplace.json": JSON.stringify({ plugins: list }),
      "a/agents/ann.md": "---\ndescription: Ann\n---\nText.\n",
      "b/agents/bob.md": "---\ndescription: Bob\n---\nText.\n",
    };
    await using repo = await gitRepo({ name: "long", files });
    await using project = await tmpProject();
    const text = info.report.text(await hugoIn(project).info(repo.packageUrl), { colour: false });
    expect(text).toContain("\n  a  1 agent: Does it\n");
    expect(text).toContain(`\n  ${"b".repeat(99)}…  1 agent: Does it\n`);
  });

  test("describes a part like a package", async () => {
    await using repo = await gitRepo({ name: "agents", files: marketplace });
    await using project = await tmpProject();
    const result = await hugoIn(project).info(repo.packageUrl, { select: "python-pro" });
    expect(result).toMatchObject({ agents: ["python-pro"], commands: [], skills: [] });
    expect(result.offers).toBeUndefined();
    expect(await refusalOf(hugoIn(project).info(repo.packageUrl, { select: "python-por" }))).toMatchObject({
      message: expect.stringContaining('did you mean "python-pro"?'),
    });
  });
});

describe("what is left behind", () => {
  test("is named: hooks in a manifest, servers, instructions, scripts and plugins of OpenCode, and other names", async () => {
    const root = ["$", "{CLAUDE_PLUGIN_ROOT}"].join("");
    await using agents = await gitRepo({ name: "agents", files: marketplace });
    await using single = await gitRepo({
      name: "powers",
      files: {
        ".claude-plugin/plugin.json": '{ "name": "powers", "mcpServers": {} }',
        ".opencode/plugins/powers.js": "export const p = async () => ({});",
        "skills/s/SKILL.md": markdown({ name: "s", description: "d" }, `Run ${root}/scripts/go.sh.`),
        "scripts/go.sh": "#!/bin/sh\n",
      },
    });
    // Some packages are made for several tools at once.
    await using several = await gitRepo({
      name: "several",
      files: {
        "package.json": JSON.stringify({ name: "several", keywords: ["opencode"], main: "build/opencode.js" }),
        "build/opencode.js": 'export const p = async () => ({ "tool.execute.before": async () => {} });',
        ".claude-plugin/plugin.json": '{ "name": "several" }',
        "skills/s/SKILL.md": markdown({ name: "s", description: "d" }),
      },
    });
    await using library = await gitRepo({
      name: "library",
      files: {
        "package.json": JSON.stringify({ name: "library", keywords: ["opencode"], main: "index.js" }),
        "index.js": "export const add = (a, b) => a + b;",
        "skills/s/SKILL.md": markdown({ name: "s", description: "d" }),
      },
    });
    await using awesome = await gitRepo({ name: "awesome", files: copilot });
    await using project = await tmpProject();
    const notices = async (spec: string, select?: string) =>
      (await hugoIn(project).install(spec, { select, dryRun: true })).notices.filter(
        (notice) => !/--yes=/.test(notice),
      );
    expect(await notices(agents.packageUrl, "python-development")).toEqual([
      "Named differently in OpenCode: scaffold is python-development-scaffold.",
      'Not installed: "hooks" in plugins/python-development/.claude-plugin/plugin.json. OpenCode does not run Claude Code hooks.',
    ]);
    expect(await notices(agents.packageUrl, "code-review")).toContain(
      "Not installed: plugins/code-review/.mcp.json. To use its MCP servers, add them to opencode.json yourself.",
    );
    expect(await notices(single.packageUrl)).toEqual([
      'Not installed: "mcpServers" in .claude-plugin/plugin.json. To use its MCP servers, add them to opencode.json yourself.',
      "Not installed: .opencode/plugins/powers.js. It is an OpenCode plugin: OpenCode loads it only if you add it to opencode.json yourself.",
      "Not installed: scripts/go.sh, which skills/s/SKILL.md expects in Claude Code's plugin folder. OpenCode does not set CLAUDE_PLUGIN_ROOT.",
    ]);
    expect(await notices(several.packageUrl)).toEqual([
      "Not installed: build/opencode.js. It is an OpenCode plugin: OpenCode loads it only if you add it to opencode.json yourself.",
    ]);
    expect(await notices(library.packageUrl)).toEqual([]);
    expect(await notices(awesome.packageUrl, "*")).toEqual([
      "Named differently in OpenCode: C# Expert is csharp-expert.",
      "Not installed: instructions/csharp.instructions.md. OpenCode reads instructions from AGENTS.md, and from files that opencode.json lists.",
    ]);
  });
});

describe("a selection of which nothing can be installed", () => {
  const stopped = {
    ...skillLists,
    "skills/pdf/SKILL.md": markdown({ name: "pdf", description: "d", "disable-model-invocation": "true" }),
  };

  test("is refused, and removes nothing that is installed", async () => {
    await using repo = await gitRepo({ name: "skills", files: stopped });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    expect(await refusalOf(hugo.install(repo.packageUrl, { select: "pdf" }))).toMatchObject({
      code: "no-workflow",
      exitCode: 3,
      message: expect.stringContaining(
        "Nothing of skills with the selection skills/pdf can be installed: skills/pdf: ",
      ),
    });
    await hugo.install(repo.packageUrl, { select: "design" });
    const before = await project.tree(".opencode/skills");
    await refusalOf(hugo.install(repo.packageUrl, { select: "pdf", force: true }));
    expect(await project.tree(".opencode/skills")).toEqual(before);
  });

  test("after an update is refused, too", async () => {
    await using repo = await gitRepo({ name: "skills", files: skillLists });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    await hugo.install(repo.packageUrl, { select: "skills/design" });
    await repo.commit({
      files: { "skills/design/SKILL.md": null, "skills/draw/SKILL.md": markdown({ name: "draw" }) },
    });
    const { failed } = await hugo.update();
    expect(failed).toMatchObject([
      { code: "no-workflow", message: expect.stringContaining("no longer has any of it") },
    ]);
    expect(await project.tree(".opencode/skills")).toEqual(["design/SKILL.md"]);
  });
});
