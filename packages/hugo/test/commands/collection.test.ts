import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { tmpProject } from "@atomic/testing/project";
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
      `${repo.packageUrl} is a collection (4 plugins, 3 agents, 1 skill, 3 commands): choose what to install`,
    );
    expect(error.hint).toContain(`hugo install ${repo.packageUrl} --select python-development.`);
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
