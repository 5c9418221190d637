// Our view of the tools by itself. That it is right is shown on the real ones, in tools.oracle.test.ts.
import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { growth } from "@atomic/testing/growth";
import { type Project, tmpProject } from "@atomic/testing/project";
import type { Entity, ToolName } from "../../src/entities/entity.ts";
import { loadVerdicts } from "../../src/entities/tools/load-verdicts.ts";
import type { ToolVerdict } from "../../src/entities/tools/tool.ts";
import { viewAs } from "../../src/entities/tools/view-as.ts";
import { entity } from "../entities.ts";
import { entriesOf, pathIn } from "./listing.ts";
import { described, entitiesOf } from "./tree.ts";

async function withFiles(
  files: Readonly<Record<string, string>>,
  use: (project: Project, entities: Entity[]) => void | Promise<void>,
) {
  await using project = await tmpProject({ git: false, files });
  await use(project, entitiesOf(project));
}

describe("verdicts", () => {
  const verdictsOn = async (path: string, text: string): Promise<Record<ToolName, ToolVerdict>> => {
    let found: ToolVerdict[] = [];
    await withFiles({ [path]: text }, (_, entities) => {
      expect(entities.length).toBe(1);
      found = entities.flatMap((each) => loadVerdicts(each));
    });
    expect(found.map(({ tool }) => tool)).toEqual(["claude", "opencode", "copilot"]);
    return Object.fromEntries(found.map((verdict) => [verdict.tool, verdict])) as Record<ToolName, ToolVerdict>;
  };

  test("say under which name and as what each tool loads a file", async () => {
    const text = "---\nname: Big Review\ndescription: Reviews\n---\nReview.";
    const { claude, opencode, copilot } = await verdictsOn(".claude/skills/review/SKILL.md", text);
    expect(claude).toEqual({ tool: "claude", loads: true, as: "Big Review", kind: "skill" });
    expect(opencode).toEqual({ tool: "opencode", loads: true, as: "Big Review", kind: "skill" });
    expect(copilot).toEqual({ tool: "copilot", loads: true, as: "Big-Review", kind: "skill" });
  });

  test("say that Copilot takes a command for a skill, and that OpenCode does not look there", async () => {
    const { claude, opencode, copilot } = await verdictsOn(".claude/commands/commit.md", "Commit.");
    expect(claude).toMatchObject({ loads: true, as: "commit", kind: "command" });
    expect(opencode).toEqual({
      tool: "opencode",
      loads: false,
      because: "OpenCode does not look in .claude/commands.",
    });
    expect(copilot).toMatchObject({ loads: true, as: "commit", kind: "skill" });
  });

  test("say that a file keeps OpenCode from starting", async () => {
    const { opencode } = await verdictsOn(".opencode/agents/a.md", "---\ndescription: A\ntools: Read, Grep\n---\nBody");
    expect(opencode).toMatchObject({ loads: false, fatal: true });
    expect(opencode.because).toContain("`tools`");
  });

  test("say that OpenCode loads a file with invalid YAML without its restrictions", async () => {
    const { opencode } = await verdictsOn(".opencode/agents/a.md", "---\npermission: {\n---\nBody");
    expect(opencode).toMatchObject({ loads: true, as: "a", kind: "agent" });
    expect(opencode.because).toContain("without its frontmatter, so its restrictions are lost");
  });

  test("say what only the model can call", async () => {
    const hidden = "---\nname: a\ndescription: A\nuser-invocable: false\n---\nBody";
    const { claude } = await verdictsOn(".claude/skills/a/SKILL.md", hidden);
    expect(claude).toMatchObject({
      loads: true,
      because: "Not in the list of slash commands: only the model can call it.",
    });
    const later = await verdictsOn(".claude/skills/a/SKILL.md", "---\ndescription: A\npaths: src/**\n---\nBody");
    expect(later.claude.because).toContain("`paths`");
  });

  test.each([
    [
      ".claude/skills/group/a/SKILL.md",
      "---\nname: a\ndescription: A\n---\n",
      "claude",
      "directly below the skills folder",
    ],
    [".claude/agents/a.md", "---\ndescription: A\n---\n", "claude", "`name`"],
    [".claude/agents/a.md", "---\nname: a\n---\n", "claude", "`description`"],
    [".agents/skills/a/SKILL.md", "---\ndescription: A\n---\n", "opencode", "`name`"],
    [".opencode/skills/.a/SKILL.md", "---\nname: a\n---\n", "opencode", "hidden"],
    [".opencode/agents/a.md", "---\ndisable: true\n---\n", "opencode", "`disable: true`"],
    [".github/skills/a/SKILL.md", "---\ndescription: Use when: asked\n---\n", "copilot", "not valid YAML"],
    [".github/skills/a/SKILL.md", "---\nargument-hint: [a]\n---\n", "copilot", "`argument-hint` must be text"],
    [".github/skills/é/SKILL.md", "---\ndescription: A\n---\n", "copilot", "ASCII"],
    [".github/skills/a/SKILL.md", "Body", "copilot", "missing"],
    [".github/skills/.a/SKILL.md", "---\ndescription: A\n---\n", "copilot", "hidden"],
    [".github/agents/a.md", "---\nname: a\n---\n", "copilot", "`description`"],
    [".claude/commands/group/a.md", "---\ndescription: A\n---\n", "copilot", "subfolders"],
  ] as const)("on %s with %j explain why %s does not load it", async (path, text, tool, because) => {
    const verdict = (await verdictsOn(path, text))[tool];
    expect(verdict).toMatchObject({ loads: false });
    expect(verdict.because).toContain(because);
    expect(verdict.fatal).toBeUndefined();
  });

  test("depend on the neighbours where a tool does not look in a skill", async () => {
    const files = Object.fromEntries([
      described(".github/skills/outer/SKILL.md"),
      described(".github/skills/outer/inner/SKILL.md"),
    ]);
    await withFiles(files, (_, entities) => {
      const inner = entities.find(({ name }) => name === "inner") as Entity;
      const byCopilot = (among?: readonly Entity[]) =>
        loadVerdicts(inner, among).find(({ tool }) => tool === "copilot");
      expect(byCopilot()).toMatchObject({ loads: true });
      expect(byCopilot(entities)).toMatchObject({ loads: false, because: expect.stringContaining("another skill") });
    });
  });

  test("on what has no file are all no", () => {
    const builtin = entity("commit", "atomic:builtin", { source: { provider: "atomic", location: "builtin" } });
    const { path: _path, place: _place, ...source } = builtin.source;
    expect(loadVerdicts({ ...builtin, source }).map(({ loads }) => loads)).toEqual([false, false, false]);
  });
});

describe("a view", () => {
  test("keeps what lost, and says whether chance decided", async () => {
    const files = Object.fromEntries([
      described(".claude/skills/same/SKILL.md", { name: "same" }),
      described("~/.claude/skills/same/SKILL.md", { name: "same" }),
      described(".claude/commands/same.md"),
    ]);
    await withFiles(files, (project, entities) => {
      const summary = (tool: ToolName) =>
        entriesOf(viewAs(tool, entities)).map(({ entity: winner, shadowed, decidedBy }) =>
          [decidedBy, ...[winner, ...shadowed].map(({ source }) => pathIn(project, source.path ?? ""))].join(" "),
        );
      const [here, home] = [".claude/skills/same/SKILL.md", "~/.claude/skills/same/SKILL.md"];
      expect(summary("claude")).toEqual([`order ${home} ${here} .claude/commands/same.md`]);
      expect(summary("opencode")).toEqual([`chance ${here} ${home}`]);
      expect(summary("copilot")).toEqual([`order ${here} .claude/commands/same.md`]);
    });
  });

  test("is empty while a file keeps the tool from starting", async () => {
    const files = Object.fromEntries([
      described(".opencode/agents/good.md"),
      [".opencode/agents/bad.md", "---\ncolor: red\n---\nBody"] as const,
    ]);
    await withFiles(files, (project, entities) => {
      const { agents, fatal } = viewAs("opencode", entities);
      expect(agents).toEqual([]);
      expect(fatal.map((each) => pathIn(project, each.entity.source.path ?? ""))).toEqual([".opencode/agents/bad.md"]);
    });
  });

  test("names the files that were dropped, also those that are gone by now", async () => {
    const files = Object.fromEntries([described(".claude/commands/a.md")]);
    await using project = await tmpProject({ git: false, files });
    const entities = entitiesOf(project);
    await rm(project.path(".claude"), { recursive: true });
    const { commands, refused } = viewAs("claude", entities);
    expect(commands).toEqual([]);
    expect(refused).toMatchObject([{ because: expect.stringContaining("does not exist") }]);
  });

  test("of an unknown tool is an error", () => {
    expect(() => viewAs("cursor" as ToolName, [])).toThrow('"cursor" is not one of claude, opencode, copilot.');
  });

  test.each<[string, (size: number) => string]>([
    [".claude/commands/newlines.md", (size) => `---${"\n".repeat(10 * size)}`],
    [".claude/commands/dashes.md", (size) => `---\n${"-- ".repeat(3 * size)}`],
    [".claude/commands/hashes.md", (size) => "#".repeat(10 * size)],
    [".claude/commands/colons.md", (size) => `---\n${"a: b: c\n".repeat(size / 16)}---\n`],
    [".opencode/agents/colons.md", (size) => `---\n${"a: b: c\n".repeat(size / 16)}---\n`],
    [".opencode/agents/spaces.md", (size) => `---\na${" ".repeat(size / 2)}\n---\n`],
  ])("reads %s in time that grows with it, however hostile it is", async (path, text) => {
    const size = 12_000;
    await withFiles({ [path]: text(size) }, async (_, small) => {
      await withFiles({ [path]: text(4 * size) }, (__, large) => {
        const read = (wanted: number): void => {
          const entities = wanted === size ? small : large;
          for (const tool of ["claude", "opencode", "copilot"] as const) {
            const { agents, commands, refused, fatal } = viewAs(tool, entities);
            expect([agents, commands, refused, fatal].flat().length).toBeLessThan(3);
          }
        };
        expect(growth(size, read)).toBeLessThan(1.5);
      });
    });
  });
});
