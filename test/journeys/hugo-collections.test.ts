// Collections in the shapes of well-known ones: chosen in a real terminal or by name, and loaded by the real OpenCode.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { debugAll } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { copilot, marketplace, skillLists } from "../../packages/hugo/test/packages/collection-trees.ts";
import { bundleHugo, hugo, tryHugo } from "./hugo.ts";

beforeAll(bundleHugo);

const hugoBin = join(import.meta.dirname, "../../packages/hugo/bin/hugo.js");

test("what is chosen arrives under the names that Hugo lists, and OpenCode loads exactly that", async () => {
  await using agents = await gitRepo({ name: "agents", files: marketplace });
  await using skills = await gitRepo({ name: "skills", files: skillLists });
  await using awesome = await gitRepo({ name: "awesome", files: copilot });
  await using project = await tmpProject();
  expect(await tryHugo(project, ["install", agents.packageUrl, "--yes"])).toMatchObject({ code: 4 });
  await hugo(project, "install", agents.packageUrl, "--select", "*", "--yes");
  await hugo(project, "install", skills.packageUrl, "--select", "documents", "--yes");
  await hugo(project, "install", `${awesome.packageUrl}//skills/scaling`, "--yes");
  await hugo(project, "install", awesome.packageUrl, "--select", "agents/*", "--yes");
  const loaded = await debugAll(project);
  const listed = JSON.parse(await hugo(project, "list", "--json")).workflows as {
    readonly agents: readonly string[];
    readonly commands: readonly string[];
    readonly skills: readonly string[];
  }[];
  const all = (kind: "agents" | "commands" | "skills"): string[] => listed.flatMap((workflow) => workflow[kind]).sort();
  expect(all("agents")).toEqual([
    "code-review-reviewer",
    "csharp-expert",
    "postgresql-dba",
    "python-development-reviewer",
    "python-pro",
  ]);
  expect(all("commands")).toEqual(["code-review-scaffold", "docs", "python-development-scaffold"]);
  expect(all("skills")).toEqual(["minimize-latency", "pdf", "python-packaging", "scaling", "xlsx"]);
  expect(loaded.agents.map(({ name }) => name)).toEqual(expect.arrayContaining(all("agents")));
  expect(Object.keys(loaded.config.command ?? {})).toEqual(expect.arrayContaining(all("commands")));
  expect(loaded.skills.map(({ name }) => name)).toEqual(expect.arrayContaining(all("skills")));
  expect(loaded.skills.find(({ name }) => name === "xlsx")?.content).toContain("No `#REF! `: fix what is `wrong`.");
}, 240_000);

test("a list in the terminal is searched, selected from and accepted; Esc changes nothing", async () => {
  await using agents = await gitRepo({ name: "agents", files: marketplace });
  await using project = await tmpProject();
  const open = async () => {
    const term = await terminal(["node", hugoBin, "install", agents.packageUrl], {
      cwd: project.dir,
      env: project.env,
      cols: 80,
      rows: 24,
    });
    await term.waitFor("type to search", { deadline: 60_000 });
    return term;
  };
  {
    await using term = await open();
    term.press("space", "escape");
    expect(await term.exit).toMatchObject({ exitCode: 1 });
    expect(term.screen().join("\n")).toContain("Nothing was chosen");
    expect(await project.exists(".opencode/hugo.json")).toBe(false);
  }
  await using term = await open();
  term.type("packaging");
  await term.waitFor("1 of 9 shown");
  term.press("space", "enter");
  await term.waitFor("Go ahead?", { deadline: 60_000 });
  term.press("y", "enter");
  expect(await term.exit).toMatchObject({ exitCode: 0 });
  expect(await project.tree(".opencode/skills")).toEqual(["python-packaging/SKILL.md"]);
  expect(await project.exists(".opencode/agents")).toBe(false);
}, 240_000);
