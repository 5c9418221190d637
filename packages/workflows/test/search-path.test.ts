// Which folders are searched, without the real programs: test/oracle/folders.oracle.test.ts asks those.
import { expect, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import type { EntitySource, Provider } from "../src/entities/entity.ts";
import { compareRankAsTool, type InitializeOptions, initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { loadVerdicts } from "../src/entities/tools/load-verdicts.ts";
import { toolPlaces } from "../src/entities/tools/places.ts";
import { watchEntities } from "../src/entities/watch.ts";
import { entity } from "./entities.ts";

const agent = (about: string): string => `---\nname: reviewer\ndescription: ${about}\n---\n`;
const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}\n---\n`;

function optionsIn(project: Project, folder: string, env: InitializeOptions["env"] = {}): InitializeOptions {
  return { projectPath: project.path(folder), userPath: project.home, env };
}

test("the nearest folder wins, whatever the provider, and the others keep names of their own", async () => {
  await using project = await tmpProject({
    files: {
      ".atomic/agents/reviewer.md": agent("root, atomic"),
      ".claude/agents/reviewer.md": agent("root"),
      "packages/app/.claude/agents/reviewer.md": agent("app"),
      "packages/app/.claude/settings.local.json": {},
      "~/.claude/agents/reviewer.md": agent("user"),
    },
  });
  const registry = await initializeWorkflowsSDK(optionsIn(project, "packages/app"));
  const names = registry.entries().filter(({ type }) => type === "agent");
  expect(names.map((each) => [each.description, registry.qualifiedName(each)])).toEqual([
    ["app", "claude:project/reviewer"],
    ["root, atomic", "atomic:project/reviewer"],
    ["root", "claude:project/reviewer@../../.claude/agents/reviewer.md"],
    ["user", "claude:user/reviewer"],
  ]);
  for (const each of names) expect(registry.get("agent", registry.qualifiedName(each))).toBe(each);
});

test("a folder with nothing but settings hides nothing above it", async () => {
  await using project = await tmpProject({
    files: { ".claude/agents/reviewer.md": agent("root"), "packages/app/.claude/settings.local.json": {} },
  });
  const registry = await initializeWorkflowsSDK(optionsIn(project, "packages/app"));
  expect(registry.getAgent("reviewer")?.description).toBe("root");
});

test("as each tool decides, OpenCode's farthest folder wins and Claude's nearest", async () => {
  await using project = await tmpProject({
    files: {
      ".claude/agents/reviewer.md": agent("root"),
      "app/.claude/agents/reviewer.md": agent("app"),
      ".opencode/agent/writer.md": "---\ndescription: root\n---\n",
      "app/.opencode/agent/writer.md": "---\ndescription: app\n---\n",
    },
  });
  const asTool = await initializeWorkflowsSDK({ ...optionsIn(project, "app"), mode: "as-tool" });
  const usual = await initializeWorkflowsSDK(optionsIn(project, "app"));
  expect([asTool.getAgent("reviewer")?.description, asTool.getAgent("writer")?.description]).toEqual(["app", "root"]);
  expect([usual.getAgent("reviewer")?.description, usual.getAgent("writer")?.description]).toEqual(["app", "app"]);
});

test("what restricts an agent farther up also restricts its namesake in the project", async () => {
  await using project = await tmpProject({
    files: {
      ".opencode/agent/writer.md": "---\ndescription: root\npermission: { bash: deny }\n---\n",
      "app/.opencode/agent/writer.md": "---\ndescription: app\n---\n",
    },
  });
  const registry = await initializeWorkflowsSDK(optionsIn(project, "app"));
  expect(registry.getAgent("writer")?.description).toBe("app");
  expect(registry.getAgent("writer")?.restrictions.deny).toEqual([{ tool: "bash" }]);
});

test("above the home folder only OpenCode looks, and a verdict names the folder where the others do not", async () => {
  await using project = await tmpProject({ git: false, files: { "../.claude/skills/far/SKILL.md": skill("far") } });
  const registry = await initializeWorkflowsSDK(optionsIn(project, "~/work"));
  const far = registry.require("skill", "far");
  const nowhere = project.path("../.claude/skills/far");
  expect(loadVerdicts(far).map(({ tool, loads, because }) => [tool, loads, because])).toEqual([
    ["claude", false, `Claude Code does not look in ${nowhere}.`],
    ["opencode", true, undefined],
    ["copilot", false, `GitHub Copilot does not look in ${nowhere}.`],
  ]);
});

test("a moved home folder replaces the usual one, except for the tools that do not know the variable", async () => {
  await using project = await tmpProject({
    files: {
      "~/.claude/agents/old.md": agent("old"),
      "~/.claude/skills/both/SKILL.md": skill("both"),
      "~/moved/agents/reviewer.md": agent("moved"),
      "~/moved/skills/both/SKILL.md": skill("both"),
    },
  });
  const registry = await initializeWorkflowsSDK(optionsIn(project, "", { CLAUDE_CONFIG_DIR: project.path("~/moved") }));
  expect(registry.allAgents().map(({ description }) => description)).toEqual(["moved"]);
  const both = registry.entries().filter(({ name }) => name === "both");
  expect(both.map(({ source }) => source.readBy).sort()).toEqual([["claude"], ["opencode"]]);
  for (const each of both) expect(registry.get("skill", registry.qualifiedName(each))).toBe(each);
});

test("a workflow that Hugo installed for all projects is found where XDG_CONFIG_HOME points to", async () => {
  const tree = `sha256:${"0".repeat(64)}`;
  const docs = {
    ...{ package: "docs", source: "docs", version: "1.0.0", tree, delivery: "plugin" },
    ...{ agents: ["writer"], commands: [], skills: [] },
  };
  await using project = await tmpProject({
    files: {
      "~/xdg/opencode/hugo.json": { version: 1, workflows: { docs } },
      "~/xdg/opencode/opencode.json": { plugin: ["docs@1.0.0"] },
      "~/xdg/opencode/.hugo/store/docs-0000000000000000/node_modules/docs/agents/writer.md": skill("writer"),
    },
  });
  const registry = await initializeWorkflowsSDK(optionsIn(project, "", { XDG_CONFIG_HOME: project.path("~/xdg") }));
  expect(registry.getAgent("writer")?.source).toMatchObject({ provider: "hugo", location: "user", workflow: "docs" });
});

test("a watch also notices a change in a folder above the project and in a moved home folder", async () => {
  await using project = await tmpProject({ files: { "app/file": "" } });
  const env = { COPILOT_HOME: project.path("~/moved") };
  await using watch = await watchEntities({ ...optionsIn(project, "app", env), quietMs: 5 });
  const changes = watch[Symbol.asyncIterator]();
  for (const [file, name] of [
    [".claude/agents/above.md", "above"],
    ["~/moved/agents/moved.md", "moved"],
  ] as const) {
    await project.write(file, `---\nname: ${name}\ndescription: New\n---\n`);
    while (watch.registry.getAgent(name) === undefined) await changes.next();
  }
});

test("with folders above the project, the rank as each tool has it is still one order", () => {
  const sources = Object.entries(toolPlaces).flatMap(([tool, places]) =>
    places.flatMap(({ location, path }) => {
      const [place = "", part] = path.split("#");
      const pointer = part !== undefined && { pointer: `${part}.same` };
      return [undefined, 1, 2].map(
        (above): EntitySource => ({
          ...{ provider: tool as Provider, location, place, ...pointer },
          ...(above !== undefined && { above }),
        }),
      );
    }),
  );
  const any = fc
    .tuple(fc.constantFrom(...sources), fc.constantFrom("a", "b"))
    .map(([source, file]) => entity("same", "claude:project", { source: { ...source, path: `/${file}` } }));
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      expect(Math.sign(compareRankAsTool(a, b))).toBe(-Math.sign(compareRankAsTool(b, a)) || 0);
      if (compareRankAsTool(a, b) <= 0 && compareRankAsTool(b, c) <= 0)
        expect(compareRankAsTool(a, c)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 5_000 },
  );
});
