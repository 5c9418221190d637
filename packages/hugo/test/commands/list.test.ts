import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { list } from "../../src/commands/list.ts";
import { remove } from "../../src/commands/remove.ts";
import { contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const files = { "agents/a.md": "a\n", "agents/b.md": "b\n", "commands/c.md": "c\n", "skills/s/SKILL.md": "s\n" };

describe("list", () => {
  test("shows name, version, state, package, contents and delivery of each workflow", async () => {
    await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/review@1.0.0"] } } });
    const commit = "0123456789abcdef0123456789abcdef01234567";
    await install(
      project,
      {
        review: pluginWorkflow("review"),
        debugging: pluginWorkflow("debugging", { version: commit, source: "github:org/debugging", agents: [] }),
        lint: copiedWorkflow("lint", files),
      },
      files,
    );
    const result = await list.run(contextOf(project), { ...input, name: undefined });
    expect(list.report.text(result, page)).toBe(
      `Installed workflows:
  Name       Version     State     Package             Contents                        Delivery
  debugging  0123456789  disabled  @org/debugging      (code only)                     plugin
  lint       v2.1.0      enabled   @org/lint-workflow  (2 agents, 1 skill, 1 command)  copy
  review     v1.0.0      enabled   @org/review         (1 agent)                       plugin
`,
    );
    expect(list.report.exitCode(result)).toBe(0);
  });

  test("of a workflow that has only graphs names them", async () => {
    await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/ship@1.0.0"] } } });
    await install(project, { ship: pluginWorkflow("ship", { agents: [], workflows: ["notes", "release"] }) });
    const table = list.report.text(await list.run(contextOf(project), { ...input, name: undefined }), page);
    expect(table).toContain("@org/ship  (2 workflows)  plugin");
    const result = await list.run(contextOf(project), { ...input, name: "ship" });
    expect(list.report.text(result, page)).toContain("\n  package    @org/ship\n");
    expect(list.report.text(result, page)).toEndWith("\n  workflows  notes, release\n");
    expect(list.report.json(result)).toMatchObject({ workflows: [{ name: "ship", workflows: ["notes", "release"] }] });
  });

  test.each(["review", "@org/review"])("of %s shows all details", async (name) => {
    const plugin = [["@org/review@1.0.0", { strict: true }]];
    await using project = await tmpProject({ files: { ".opencode/opencode.json": { plugin } } });
    await install(project, {
      review: pluginWorkflow("review", { commands: ["review"] }),
      lint: pluginWorkflow("lint"),
    });
    const result = await list.run(contextOf(project), { ...input, name });
    expect(list.report.text(result, page)).toBe(
      `review v1.0.0 (enabled)
  package   @org/review
  source    @org/review
  version   1.0.0
  delivery  plugin
  entry     @org/review@1.0.0 in .opencode/opencode.json
  agents    reviewer
  commands  /review
`,
    );
    expect(list.report.json(result)).toMatchObject({ workflows: [{ name: "review", enabled: true }] });
  });

  test("of an unknown name suggests a known one", async () => {
    await using project = await tmpProject();
    await install(project, { review: pluginWorkflow("review") });
    const run = list.run(contextOf(project), { ...input, name: "revew" });
    await expect(run).rejects.toMatchObject({
      message: 'Workflow not found: "revew" (did you mean "review"?)',
      exitCode: 1,
    });
  });

  test("with nothing installed says how to begin, and leaves no folder behind", async () => {
    await using project = await tmpProject();
    const result = await list.run(contextOf(project), { ...input, name: undefined });
    expect(list.report.text(result, page)).toContain("No workflows are installed. `hugo install <package>`");
    expect(await project.exists(".opencode")).toBe(false);
  });

  test("reads a config that is JSON only once OpenCode has filled in a variable", async () => {
    const config = '{ "username": {env:QQ}, "plugin": ["@org/review@1.0.0"] }';
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, { review: pluginWorkflow("review") });
    const { workflows } = await list.run(contextOf(project), { ...input, name: undefined });
    expect(workflows).toMatchObject([{ name: "review", enabled: true }]);
    const removal = remove.run(contextOf(project), { ...input, name: ["review"] });
    await expect(removal).rejects.toMatchObject({ code: "config-unsafe" });
    expect(await project.read("opencode.json")).toBe(config);
  });

  test("reads neither packages nor copied files", async () => {
    await using project = await tmpProject();
    await install(project, { lint: copiedWorkflow("lint", files) });
    const { workflows } = await list.run(contextOf(project), { ...input, name: undefined });
    expect(workflows).toMatchObject([{ name: "lint", enabled: true, files: 4 }]);
  });

  test("makes foreign text harmless and fits into a narrow terminal", async () => {
    await using project = await tmpProject();
    await install(project, { review: pluginWorkflow("review", { package: "re\u202eview", source: "./review" }) });
    const result = await list.run(contextOf(project), { ...input, name: undefined });
    const text = list.report.text(result, { colour: false, columns: 60 });
    expect(text).not.toContain("\x1b");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  test("reports state from an earlier design", async () => {
    const workflows = { review: { package: "@org/review", version: "1.0.0", agents: [], commands: [], skills: [] } };
    await using project = await tmpProject({ files: { "opencode.json": { hugo: { workflows } } } });
    const result = await list.run(contextOf(project), { ...input, name: undefined });
    expect(result.workflows).toMatchObject([{ name: "review" }]);
    expect(list.report.notes(result, page)).toContain('The "hugo" key in opencode.json');
  });
});
