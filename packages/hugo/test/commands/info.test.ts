import { describe, expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { info as infoCommand } from "../../src/commands/info.ts";
import { install as installCommand } from "../../src/commands/install.ts";
import { agent, copy, hugoIn, plugin, refusalOf } from "./hugo-project.ts";

const plain = { colour: false } as const;
const notes = { "agents/writer.md": agent("Writes."), "commands/note.md": "Look at !`git log`.\n" };

test("a slip in the name of an installed workflow is noticed", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  await hugoIn(project).install("@org/review");
  const { code, hint } = await refusalOf(hugoIn(project).info("revie"));
  expect([code, hint]).toEqual([
    "package-not-found",
    expect.stringContaining("Did you mean the installed workflow review?"),
  ]);
  expect((await refusalOf(hugoIn(project).info("something-else"))).hint).not.toContain("Did you mean");
});

describe("a package that is not installed", () => {
  test("is described with all that it can do, and nothing is written", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const before = await project.tree();
    const result = await hugoIn(project).info("@org/review");
    expect(result).toMatchObject({
      name: "review",
      version: "1.0.0",
      description: "Reviews code",
      manifest: "workflow.json",
      delivery: { kind: "plugin", entry: "index.js" },
      agents: ["reviewer"],
    });
    expect(result.installed).toBeUndefined();
    const shown = infoCommand.report.text(result, plain);
    expect(shown).toContain("  installed  no\n");
    expect(shown).toContain("  runs code    index.js runs inside OpenCode with all your permissions\n");
    expect(await project.tree()).toEqual(before);
  });

  test("is described with its workflows, and known by them when it is installed", async () => {
    await using registry = await npmRegistry();
    const files = { "workflow.json": '{ "workflows": ["release"] }', "workflows/release.ts": "export default {};\n" };
    registry.publish(copy("1.0.0", files));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    expect(infoCommand.report.text(await hugo.info("@org/notes"), plain)).toContain("  workflows  release\n");
    const installed = await hugo.install("@org/notes");
    expect(installCommand.report.text(installed, plain)).toStartWith(
      'Installed workflow "notes" v1.0.0 (1 workflow)\n',
    );
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: { notes: { workflows: ["release"] } },
    });
  });

  test("is described with its shell lines and with what it would meet", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", notes));
    await using project = await tmpProject({ registry, files: { ".opencode/command/note.md": "Mine.\n" } });
    const result = await hugoIn(project).info("@org/notes");
    expect(infoCommand.report.text(result, plain)).toContain("git log");
    expect(infoCommand.report.notes(result, plain)).toContain('Command "note" is also in .opencode/command/note.md.');
  });

  test("says why it could not be installed", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"), plugin("1.0.0", {}, "@other-org/review"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@other-org/review");
    const result = await hugo.info("@org/review");
    expect(result.problem?.code).toBe("name-taken");
    expect(infoCommand.report.exitCode(result)).toBe(3);
    expect(infoCommand.report.notes(result, plain)).toContain("It cannot be installed: Workflow name");
  });

  test("is refused with the place of the mistake if its manifest is wrong", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0", { "workflow.json": '{ "agents": ["reviewer", "reviewer"] }' }));
    await using project = await tmpProject({ registry });
    const error = await refusalOf(hugoIn(project).info("@org/review"));
    expect([error.code, error.exitCode]).toEqual(["manifest-invalid", 3]);
    expect(error.message).toContain("workflow.json:1:26");
  });
});

describe("an installed workflow", () => {
  test("is described from the store, by its own name, without the registry", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review");
    const requests = registry.requests.length;
    const result = await hugo.info("review");
    expect(result.installed).toEqual({ version: "1.0.0", enabled: true });
    expect(infoCommand.report.text(result, plain)).toContain("  installed  v1.0.0, enabled\n");
    expect(registry.requests.length).toBe(requests);
  });

  test("is compared with a newer version if that is asked for", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review");
    registry.publish(plugin("1.1.0"));
    const result = await hugo.info("@org/review@latest");
    expect([result.version, result.installed?.version]).toEqual(["1.1.0", "1.0.0"]);
    expect(result.problem).toBeUndefined();
  });
});

test("a package's own text cannot control the terminal", async () => {
  await using registry = await npmRegistry();
  const hostile = plugin("1.0.0");
  registry.publish({ ...hostile, manifest: { ...hostile.manifest, description: "\x1b[2Jgone\u202e" } });
  await using project = await tmpProject({ registry });
  const result = await hugoIn(project).info("@org/review");
  const shown = infoCommand.report.text(result, plain);
  for (const character of ["\x1b", "\u202e"]) expect(shown).not.toContain(character);
});

describe("a package that is not stored", () => {
  const dependent = {
    "package.json": JSON.stringify({
      name: "local",
      version: "1.0.0",
      main: "index.js",
      dependencies: { "nobody-publishes-this": "1.0.0" },
    }),
    "workflow.json": JSON.stringify({ agents: [], commands: [], skills: [] }),
    "index.js": "export default async () => ({});\n",
  };

  test("is shown without what it depends on, be that there or not", async () => {
    await using registry = await npmRegistry();
    await using project = await tmpProject({ registry });
    for (const [path, text] of Object.entries(dependent)) await project.write(`local/${path}`, text);
    const hugo = hugoIn(project);
    const result = await hugo.info("./local");
    expect(result.capabilities).toContainEqual({
      kind: "dependency",
      subject: "nobody-publishes-this",
      detail: "loaded",
    });
    expect(registry.requests).toEqual([]);
    expect((await refusalOf(hugo.install("./local"))).code).toBe("package-not-found");
  });
});

test("problems in a folder are reported with paths relative to the current folder", async () => {
  await using project = await tmpProject();
  await project.write("pk/package.json", "{\n");
  await project.write("pk/workflow.json", "{}");
  await project.write("sub/x", "");
  const inside = await refusalOf(hugoIn(project).info("./pk"));
  expect([inside.at, inside.message]).toEqual([
    "pk/package.json:2:1",
    expect.stringMatching(/^pk\/package\.json:2:1: /),
  ]);
  expect((await refusalOf(hugoIn(project, project.path("pk")).info("."))).at).toBe("package.json:2:1");
  const elsewhere = await refusalOf(hugoIn(project, project.path("sub")).info("../pk"));
  expect(elsewhere.at).toBe(`${project.path("pk/package.json")}:2:1`);
});
