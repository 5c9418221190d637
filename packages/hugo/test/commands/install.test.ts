import { describe, expect, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { install as installCommand } from "../../src/commands/install.ts";
import { commands } from "../../src/commands.ts";
import { main } from "../../src/main.ts";
import { testConsole } from "../cli/hugo.ts";
import { agent, copy, hugoIn, pinIn, plugin, refusalOf } from "./hugo-project.ts";
import { contents } from "./workspace.ts";

const config = '{\n  // mine\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["other"],\n}\n';
const opencode = { agent: "OpenCode", sign: "process 4711 is opencode" };
const notes = { "agents/writer.md": agent("Writes."), "commands/note.md": "Note it.\n" };

describe("a plugin from the registry", () => {
  test("is in the array as a path to exactly this version, and every other byte stays", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"), plugin("1.1.0"));
    await using project = await tmpProject({ registry, files: { "opencode.json": config } });
    const hugo = hugoIn(project);
    const { workflows } = await hugo.install("@org/review@^1.0.0");
    const pin = await pinIn(project);
    expect(pin).toMatch(/^\.\/\.opencode\/\.hugo\/store\/review-[0-9a-f]{16}\/node_modules\/@org\/review$/);
    expect(await project.read(`${pin}/package.json`)).toContain('"1.1.0"');
    expect(await project.read("opencode.json")).toBe(config.replace('["other"]', `["other", "${pin}"]`));
    expect(workflows).toMatchObject([
      {
        name: "review",
        version: "1.1.0",
        delivery: "plugin",
        entries: [{ file: "opencode.json", spec: pin }],
      },
    ]);
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: {
        review: { package: "@org/review", source: "@org/review@^1.0.0", version: "1.1.0", delivery: "plugin" },
      },
    });
  });

  test("is shown to the user first, with all that it can do, and bound to its content", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review");
    const [request] = hugo.asked;
    expect(request?.title).toBe("Install review v1.0.0 from @org/review");
    expect(request?.capabilities.map(({ kind }) => kind)).toContain("plugin-code");
    const { tree } = ((await project.json(".opencode/hugo.json")) as { workflows: { review: { tree: string } } })
      .workflows.review;
    expect(request?.notes.join("\n")).toContain(tree);
  });

  test.each([
    ["declined", ["declined", 1], "declined"],
    ["nobody", ["not-approved", 4], "`hugo info @org/review`, then run the command again with --yes"],
  ] as const)("leaves everything as it was if the answer is %s", async (answer, ends, says) => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry, files: { "opencode.json": config } });
    const before = await project.tree();
    const hugo = hugoIn(project);
    hugo.answer = answer;
    const error = await refusalOf(hugo.install("@org/review"));
    expect([error.code, error.exitCode]).toEqual([...ends]);
    expect(`${error.message} ${error.hint}`).toContain(says);
    expect(await project.tree()).toEqual(before);
    expect(await project.read("opencode.json")).toBe(config);
  });

  test.each([true, false])("leaves everything as it was if an agent agrees (--yes: %p)", async (yes) => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry, files: { "opencode.json": config } });
    const before = await project.tree();
    const args = ["install", "@org/review", ...(yes ? ["--yes"] : [])];
    const { console, stdout, stderr } = testConsole(
      { columns: 200, cwd: project.dir, home: project.home, env: project.env, answers: ["y"], agent: opencode },
      args,
    );
    expect(await main(args, console, commands)).toBe(4);
    expect(stdout()).toBe("");
    expect(stderr()).toEndWith(
      [
        `hugo: ${yes ? "--yes" : "hugo install"} needs the user's decision, but OpenCode is running this command (process 4711 is opencode)`,
        "Nothing was changed. The user can run this in their own terminal: `hugo install @org/review`\n",
      ].join("\n"),
    );
    expect(await project.tree()).toEqual(before);
  });

  test("can be looked at by an agent: a dry run agrees to nothing", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const args = ["install", "@org/review", "--dry-run", "--yes"];
    const surroundings = { cwd: project.dir, home: project.home, env: project.env, agent: opencode };
    expect(await main(args, testConsole(surroundings, args).console, commands)).toBe(0);
  });

  test("does not ask with --yes, and shows its capabilities afterward", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    const result = await hugo.install("@org/review", { yes: true });
    expect(hugo.asked).toEqual([]);
    expect(installCommand.report.text(result, { colour: false })).toContain("runs code");
  });

  test("is only looked at in a dry run: nothing is written", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry, files: { "opencode.json": config } });
    const before = await project.tree();
    const hugo = hugoIn(project);
    const result = await hugo.install("@org/review", { dryRun: true });
    expect(result.workflows[0]?.entries).toEqual([
      {
        file: "opencode.json",
        spec: expect.stringMatching(/\/store\/review-[0-9a-f]{16}\/node_modules\/@org\/review$/),
      },
    ]);
    expect(await project.tree()).toEqual(before);
    expect(await project.read("opencode.json")).toBe(config);
    expect(hugo.asked).toEqual([]);
  });
});

describe("what is installed already", () => {
  test("is refused with commands for the same OpenCode", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    await hugoIn(project).install("@org/review", { global: true });
    const { hint } = await refusalOf(hugoIn(project).install("@org/review", { global: true }));
    expect(hint).toContain("`hugo update -g review`. To reinstall it: `hugo install -g --force @org/review`.");
  });

  test("says how to get a newer version, even if one exact version was requested", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"), plugin("2.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review@1.0.0");
    const { hint } = await refusalOf(hugo.install("@org/review"));
    expect(hint).toStartWith("To get a newer version: `hugo install --force @org/review`. ");
    expect((await refusalOf(hugo.install("@org/review@2.0.0"))).hint).toBe(
      "To install @org/review@2.0.0 instead: `hugo install --force @org/review@2.0.0`. To reinstall it: `hugo install --force @org/review@1.0.0`.",
    );
    const newer = await hugo.install("@org/review", { force: true });
    expect(newer.workflows[0]?.version).toBe("2.0.0");
    expect((await refusalOf(hugo.install("@org/review"))).hint).toStartWith(
      "To get a newer version: `hugo update review`. ",
    );
  });

  test("is refused before anything is fetched", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review");
    const requests = registry.requests.length;
    expect((await refusalOf(hugo.install("@org/review@1.0.0"))).code).toBe("already-installed");
    expect(registry.requests.length).toBe(requests);
    const again = await hugo.install("@org/review", { force: true });
    expect(again.workflows[0]?.isAgain).toBe(true);
  });

  test("does not ask again about the same content, but asks about different content", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review");
    await hugo.install("@org/review", { force: true });
    expect(hugo.asked.length).toBe(1);
    registry.publish(plugin("1.1.0"));
    await hugo.install("@org/review", { force: true });
    expect(hugo.asked.length).toBe(2);
  });

  test("keeps its name from other packages", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"), plugin("1.0.0", {}, "@other-org/review"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@other-org/review");
    const lock = await project.read(".opencode/hugo.json");
    const error = await refusalOf(hugo.install("@org/review", { force: true }));
    expect(error.message).toBe(
      'Workflow name "review" conflicts with already-installed workflow from package "@other-org/review".',
    );
    expect(await project.read(".opencode/hugo.json")).toBe(lock);
  });
});

describe("a copy", () => {
  test("writes its files and the hash of each, and the report counts them", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", { ...notes, "skills/diff/SKILL.md": "---\nname: diff\ndescription: d\n---\n" }));
    await using project = await tmpProject({ registry });
    const result = await hugoIn(project).install("@org/notes");
    expect(await project.read(".opencode/agents/writer.md")).toBe(notes["agents/writer.md"]);
    expect(installCommand.report.text(result, { colour: false })).toStartWith(
      'Installed workflow "notes" v1.0.0 (1 agent, 1 skill, 1 command)\n  3 files in .opencode\n',
    );
    const { workflows } = (await project.json(".opencode/hugo.json")) as { workflows: { notes: { files: object } } };
    expect(Object.keys(workflows.notes.files)).toEqual([
      "agents/writer.md",
      "commands/note.md",
      "skills/diff/SKILL.md",
    ]);
  });

  test("leaves an unmanaged file alone, warns, and adopts an identical one", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", notes));
    const files = { ".opencode/agents/writer.md": "mine", ".opencode/commands/note.md": "Note it.\n" };
    await using project = await tmpProject({ registry, files });
    const result = await hugoIn(project).install("@org/notes");
    expect(result.workflows[0]?.files).toEqual([
      { verdict: "skipped", destination: "agents/writer.md", because: "unmanaged" },
      { verdict: "adopted", destination: "commands/note.md" },
    ]);
    expect(installCommand.report.notes(result, { colour: false })).toContain(
      "File `.opencode/agents/writer.md` already exists and is not managed by Hugo. Skipping. To use the package's file: move yours out of the way, then run `hugo install --force @org/notes`.",
    );
    expect(await project.read(".opencode/agents/writer.md")).toBe("mine");
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: { notes: { files: { "agents/writer.md": { skipped: true }, "commands/note.md": { adopted: true } } } },
    });
  });

  test("stops before any change at a file of another workflow", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", notes), copy("1.0.0", { "agents/writer.md": agent("Other.") }, "other"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("other");
    const before = await contents(project);
    const error = await refusalOf(hugo.install("@org/notes"));
    expect([error.code, error.message]).toEqual([
      "file-taken",
      '.opencode/agents/writer.md already exists from workflow "other"',
    ]);
    expect(hugo.asked.length).toBe(1); // about the other one: Hugo does not ask about what it cannot do
    expect(await contents(project)).toEqual(before);
  });

  test("of a part requires the full name if two share it", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", { ...notes, "commands/writer.md": "Write it.\n" }));
    await using project = await tmpProject({ registry });
    const error = await refusalOf(hugoIn(project).install("@org/notes", { select: "writer" }));
    expect(error.message).toBe('The package has more than one "writer"');
    expect(error.hint).toBe("Choose from: agents/writer, commands/writer. Nothing was changed.");
  });

  test("of a part installs only that, and refuses an unknown part", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", notes), plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    const error = await refusalOf(hugo.install("@org/notes", { select: "agents/wrter" }));
    expect(error.message).toBe('The package has no "agents/wrter" (did you mean "agents/writer"?)');
    expect(error.hint).toContain("agents/writer, commands/note");
    const short = await hugo.install("@org/notes", { select: "writer", dryRun: true });
    expect(short.workflows).toMatchObject([{ agents: ["writer"], commands: [] }]);
    expect((await refusalOf(hugo.install("@org/review", { select: "agents/reviewer" }))).message).toContain(
      "cannot be partially installed",
    );
    const { workflows } = await hugo.install("@org/notes", { select: "agents/writer" });
    expect(workflows).toMatchObject([{ agents: ["writer"], commands: [] }]);
    expect(await project.exists(".opencode/commands")).toBe(false);
    registry.publish(
      copy("1.1.0", { ...notes, "agents/writer.md": agent("Writes well."), "agents/new.md": agent("x") }),
    );
    const { updated } = await hugo.update();
    expect(updated[0]?.files).toEqual([{ verdict: "updated", destination: "agents/writer.md" }]);
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: { notes: { selection: ["agents/writer"], agents: ["writer"], commands: [] } },
    });
  });
});

describe("other sources", () => {
  test("a repository is in the array as a path into the store", async () => {
    const { files = {} } = plugin("1.0.0");
    const packageJson = JSON.stringify({ name: "@org/review", version: "1.0.0", main: "index.js", type: "module" });
    await using repo = await gitRepo({
      files: { ...files, "package.json": packageJson } as Record<string, string>,
      tag: "v1.0.0",
    });
    await using project = await tmpProject();
    const { workflows } = await hugoIn(project).install(`${repo.packageUrl}#v1.0.0`);
    const commit = (await repo.refs())["refs/heads/main"];
    expect(workflows[0]?.version).toBe(commit!);
    const spec = workflows[0]?.entries[0]?.spec ?? "";
    expect(spec).toMatch(/^\.\/\.opencode\/\.hugo\/store\/review-[0-9a-f]{16}\/node_modules\/@org\/review$/);
    expect(await project.exists(`${spec}/index.js`)).toBe(true);
  });

  test("a folder is recorded relative to the project, whatever the current folder", async () => {
    const { files = {} } = copy("1.0.0", notes);
    const written = Object.entries(files).map(([path, text]) => [`packages/notes/${path}`, text]);
    await using project = await tmpProject({ files: { ...Object.fromEntries(written), "sub/x": "" } });
    await hugoIn(project, project.path("sub")).install("../packages/notes");
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: { notes: { source: "./packages/notes", package: "notes" } },
    });
    expect(await project.read(".opencode/agents/writer.md")).toBe(notes["agents/writer.md"]);
  });
});

test("several packages arrive as one change, or none of them does", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  const before = await project.tree();
  expect((await refusalOf(hugo.install(["@org/review", "@org/missing"]))).code).toBe("package-not-found");
  expect(await project.tree()).toEqual(before);
  const { workflows } = await hugo.install(["@org/review", "@org/notes"]);
  expect(workflows.map(({ name }) => name)).toEqual(["review", "notes"]);
});

test("collisions are reported with their winner and block nothing", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  const files = {
    ".opencode/agent/reviewer.md": agent("Mine."),
    "opencode.json": { agent: { reviewer: { model: "a/b" } } },
    "~/.config/opencode/agents/reviewer.md": agent("Mine everywhere."),
  };
  await using project = await tmpProject({ registry, files });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  const notes = hugo.asked[0]?.notes.join("\n");
  expect(notes).toContain('Agent "reviewer" is also in .opencode/agent/reviewer.md.');
  expect(notes).toContain('Agent "reviewer" is defined in opencode.json.');
  expect(notes).toContain('Agent "reviewer" is also in ~/.config/opencode/agents/reviewer.md.');
  const again = await hugo.install("@org/review", { force: true });
  expect(installCommand.report.notes(again, { colour: false })).toContain("is also in .opencode/agent/reviewer.md.");
});

test("for all projects it goes into the user's own OpenCode", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const before = await project.tree();
  const hugo = hugoIn(project);
  const { workflows } = await hugo.install(["@org/review", "@org/notes"], { global: true });
  expect(workflows[0]?.entries).toEqual([
    { file: "opencode.jsonc", spec: await pinIn(project, "review", "~/.config/opencode/opencode.jsonc") },
  ]);
  expect(await project.read("~/.config/opencode/agents/writer.md")).toBe(notes["agents/writer.md"]);
  expect(await project.json("~/.config/opencode/hugo.json")).toMatchObject({ workflows: { review: {}, notes: {} } });
  expect(await project.tree()).toEqual(before);
  registry.publish(plugin("1.1.0"));
  await hugo.update([], { global: true });
  expect(await project.json("~/.config/opencode/opencode.jsonc")).toMatchObject({
    plugin: [await pinIn(project, "review", "~/.config/opencode/opencode.jsonc")],
  });
});
