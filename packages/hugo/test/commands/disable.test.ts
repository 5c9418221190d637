import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { placeFor } from "../../src/workspace/place.ts";
import { generations } from "../workspace/support.ts";
import { contents, contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const config = `{
  // what I use
  "$schema": "https://opencode.ai/config.json",
  "plugin": [
    "mine", // always first
    ["@org/review@1.0.0", { "strict": true }],
    "@org/debug@1.0.0"
  ]
}
`;

const workflows = { review: pluginWorkflow("review"), debug: pluginWorkflow("debug") };
const files = {
  "agents/linter.md": "---\ndescription: Lints\n---\nLint.\n",
  "skills/lint/SKILL.md": "---\nname: lint\ndescription: Lint\n---\nLint.\n",
  "skills/lint/scripts/run.sh": "#!/bin/sh\n",
};

test("hugo.json entries about a config outside the project are dropped, whatever is disabled", async () => {
  await using project = await tmpProject({});
  const made = new Map([
    ["opencode.json", "array"],
    ["../elsewhere.json", "file"],
  ] as const);
  await install(project, { ...workflows, lint: copiedWorkflow("lint", files) }, files, made);
  await disable.run(contextOf(project), { ...input, name: ["lint"], all: false });
  expect(await project.json(".opencode/hugo.json")).toMatchObject({ configs: { "opencode.json": "array" } });
  expect(await project.read(".opencode/hugo.json")).not.toContain("elsewhere");
});

describe("a disabled plugin", () => {
  test("is removed from the array and restored with options, comment and position, byte for byte", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows);
    const before = await contents(project);

    const result = await disable.run(contextOf(project), { ...input, name: ["review"], all: false });
    expect(result.workflows).toMatchObject([
      { name: "review", change: "disabled", entries: [{ file: "opencode.json", spec: "@org/review@1.0.0" }] },
    ]);
    expect(await project.read("opencode.json")).toBe(
      config.replace('    ["@org/review@1.0.0", { "strict": true }],\n', ""),
    );

    const back = await enable.run(contextOf(project), { ...input, name: ["review"], all: false });
    expect(back.workflows).toMatchObject([{ name: "review", change: "enabled" }]);
    expect(await contents(project)).toEqual(before);
  });

  test("keeps its place in the order, whichever is enabled first", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows);
    const run = (command: Pick<typeof enable, "run">, ...name: string[]) =>
      command.run(contextOf(project), { ...input, name, all: false });
    await run(disable, "review");
    await run(disable, "debug");
    await run(enable, "debug");
    await run(enable, "review");
    expect(await project.json(".opencode/hugo.json")).not.toHaveProperty("workflows.review.disabled");
    const { plugin } = Bun.JSON5.parse(await project.read("opencode.json")) as { plugin: unknown };
    expect(plugin).toEqual(["mine", ["@org/review@1.0.0", { strict: true }], "@org/debug@1.0.0"]);
  });

  test("is restored in every place where it was, with its options", async () => {
    const texts = {
      "opencode.json": '{ "plugin": [["@org/review@1.0.0", { "key": "KEEPME" }], "other", "@org/review"] }\n',
      ".opencode/opencode.json": '{ "plugin": ["mine", "@org/review"] }\n',
    };
    await using project = await tmpProject({ files: texts });
    await install(project, workflows);
    const before = await contents(project);
    const name = { ...input, name: ["review"], all: false };
    await disable.run(contextOf(project), name);
    expect(await project.json("opencode.json")).toEqual({ plugin: ["other"] });
    expect(await project.json(".opencode/opencode.json")).toEqual({ plugin: ["mine"] });
    const back = await enable.run(contextOf(project), name);
    expect(back.workflows[0]?.entries).toEqual([
      { file: "opencode.json", spec: "@org/review@1.0.0" },
      { file: "opencode.json", spec: "@org/review" },
      { file: ".opencode/opencode.json", spec: "@org/review" },
    ]);
    expect(await contents(project)).toEqual(before);
  });

  test("keeps its place when others are disabled by the same command, wherever they are", async () => {
    const text = '{ "plugin": ["@org/debug", "@org/review@1.0.0", "mine", "@org/debug@1.0.0", "other"] }\n';
    await using project = await tmpProject({ files: { "opencode.json": text } });
    await install(project, workflows);
    const run = (command: Pick<typeof enable, "run">, ...name: string[]) =>
      command.run(contextOf(project), { ...input, name, all: false });
    await run(disable, "debug", "review");
    expect(await project.json("opencode.json")).toEqual({ plugin: ["mine", "other"] });
    await run(enable, "review");
    expect(await project.json("opencode.json")).toEqual({ plugin: ["@org/review@1.0.0", "mine", "other"] });
    await run(enable, "debug");
    expect(await project.read("opencode.json")).toBe(text);
  });

  test("is left alone in the user's own config, with a next step", async () => {
    const global = { $schema: "https://opencode.ai/config.json", plugin: ["@org/review@1.0.0"] };
    await using project = await tmpProject({ files: { "~/.config/opencode/opencode.json": global } });
    await install(project, workflows);
    const result = await disable.run(contextOf(project), { ...input, name: ["review"], all: false });
    expect(result.workflows).toMatchObject([
      { change: "enabled-elsewhere", elsewhere: [{ file: "~/.config/opencode/opencode.json" }] },
    ]);
    expect(disable.report.exitCode(result)).toBe(1);
    expect(disable.report.notes(result, { colour: false })).toContain("hugo disable -g review");
    expect(await project.json("~/.config/opencode/opencode.json")).toEqual(global);
  });

  test("of the user's own OpenCode is disabled and enabled with --global", async () => {
    const text = '{ "$schema": "https://opencode.ai/config.json", "plugin": ["@org/review@1.0.0"] }\n';
    await using project = await tmpProject({ files: { "~/.config/opencode/opencode.jsonc": text } });
    await install(project, workflows);
    await project.write("~/.config/opencode/hugo.json", await project.read(".opencode/hugo.json"));
    const everywhere = { ...input, global: true, name: ["review"], all: false };
    await disable.run(contextOf(project), everywhere);
    expect(await project.read("~/.config/opencode/opencode.jsonc")).toContain('"plugin": []');
    await enable.run(contextOf(project), everywhere);
    expect(await project.read("~/.config/opencode/opencode.jsonc")).toBe(text);
  });
});

describe("a disabled copy", () => {
  test("is parked with its local edits and restored byte for byte, executable as before", async () => {
    await using project = await tmpProject();
    await install(project, { lint: copiedWorkflow("lint", files) }, files);
    await project.write(".opencode/agents/linter.md", "mine\r\n");
    await project.run(["chmod", "+x", ".opencode/skills/lint/scripts/run.sh"]);
    const before = await contents(project);

    const result = await disable.run(contextOf(project), { ...input, name: ["lint"], all: false });
    expect(result.workflows).toMatchObject([{ name: "lint", change: "disabled", files: Object.keys(files) }]);
    expect(await project.tree(".opencode/hugo-disabled")).toEqual(Object.keys(files).map((path) => `lint/${path}`));
    expect(await project.exists(".opencode/skills/lint")).toBe(false);
    expect(await project.read(".opencode/hugo-disabled/lint/agents/linter.md")).toBe("mine\r\n");

    await enable.run(contextOf(project), { ...input, name: ["lint"], all: false });
    expect(await contents(project)).toEqual(before);
    const { stdout } = await project.run(["stat", "-c", "%a", ".opencode/skills/lint/scripts/run.sh"]);
    expect(stdout.trim()).toBe("755");
  });

  test("leaves a file that another workflow has as well", async () => {
    const shared = { "agents/both.md": "---\ndescription: Both\n---\n" };
    await using project = await tmpProject();
    await install(project, { a: copiedWorkflow("a", shared), b: copiedWorkflow("b", shared) }, shared);
    const before = await contents(project);
    await disable.run(contextOf(project), { ...input, name: ["a"], all: false });
    expect(await project.exists(".opencode/agents/both.md")).toBe(true);
    await disable.run(contextOf(project), { ...input, name: ["b"], all: false });
    expect(await project.exists(".opencode/agents/both.md")).toBe(false);
    await enable.run(contextOf(project), { ...input, name: [], all: true });
    expect(await contents(project)).toEqual(before);
  });
});

describe("disable", () => {
  test("--all hides everything in one step, and --all brings all of it back", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, { ...workflows, lint: copiedWorkflow("lint", files) }, files);
    const before = await contents(project);
    const result = await disable.run(contextOf(project), { ...input, name: [], all: true });
    expect(result.workflows.map(({ name, change }) => `${name} ${change}`)).toEqual([
      "debug disabled",
      "lint disabled",
      "review disabled",
    ]);
    expect(Bun.JSON5.parse(await project.read("opencode.json"))).toMatchObject({ plugin: ["mine"] });
    await enable.run(contextOf(project), { ...input, name: [], all: true });
    expect(await contents(project)).toEqual(before);
  });

  test("reports that there is nothing to do and writes nothing", async () => {
    await using project = await tmpProject();
    await install(project, workflows);
    const before = await contents(project);
    const result = await disable.run(contextOf(project), { ...input, name: ["review", "review"], all: false });
    expect(disable.report.text(result, { colour: false })).toBe("review is already disabled.\n");
    expect(disable.report.notes(result, { colour: false })).toBe("");
    expect(disable.report.exitCode(result)).toBe(0);
    expect(await contents(project)).toEqual(before);
    expect(generations(placeFor(contextOf(project), input))).toEqual([]);
  });

  test("names all wrong names at once, before anything is done", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows);
    const before = await contents(project);
    const run = disable.run(contextOf(project), { ...input, name: ["debug", "revew", "zzz"], all: false });
    await expect(run).rejects.toMatchObject({
      code: "not-installed",
      exitCode: 1,
      message: 'Workflow not found: "revew" (did you mean "review"?), "zzz"',
    });
    expect(await contents(project)).toEqual(before);
  });

  test("needs a name or --all", async () => {
    await using project = await tmpProject();
    const run = disable.run(contextOf(project), { ...input, name: [], all: false });
    await expect(run).rejects.toMatchObject({
      code: "usage",
      exitCode: 2,
      message: "missing argument <name…> or --all",
    });
  });

  test("as a dry run reports the same and writes nothing at all", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, { ...workflows, lint: copiedWorkflow("lint", files) }, files);
    const [before, all] = [await contents(project), await project.tree()];
    const rehearsed = await disable.run(contextOf(project), { ...input, name: [], all: true, dryRun: true });
    expect(await contents(project)).toEqual(before);
    expect(await project.tree()).toEqual(all);
    const done = await disable.run(contextOf(project), { ...input, name: [], all: true });
    expect({ ...rehearsed, dryRun: false }).toEqual(done);
    expect(disable.report.text(rehearsed, { colour: false })).toStartWith("Would disable debug v1.0.0 (");
    expect(disable.report.notes(rehearsed, { colour: false })).toBe("Dry run: nothing was written.\n");
  });
});
