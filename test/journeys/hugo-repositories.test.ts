// Repositories that were not made for Hugo install by copying, and OpenCode loads the result.
import { beforeAll, expect, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { debugAll, debugSkills } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { bundleHugo, hugo } from "./hugo.ts";

beforeAll(bundleHugo);

test("a plugin made for Claude Code", async () => {
  await using repo = await gitRepo({
    name: "release-helper",
    files: {
      ".claude-plugin/plugin.json": JSON.stringify({
        name: "release-helper",
        version: "0.3.0",
        description: "Releases",
      }),
      "agents/historian.md":
        "---\nname: historian\ndescription: Writes changelogs\ntools: Read, Grep\nmodel: sonnet\n---\n\nWrite the changelog.\n",
      "commands/release.md":
        "---\ndescription: Prepare a release\nargument-hint: <version>\n---\n\nPrepare $ARGUMENTS.\n",
      "skills/semver/SKILL.md": "---\nname: semver\ndescription: Version numbers\n---\n\nThink.\n",
      "README.md": "# Release helper\n",
    },
  });
  await using project = await tmpProject();
  expect(await hugo(project, "install", repo.packageUrl, "--yes")).toContain("(1 agent, 1 skill, 1 command)");
  const { config, agents, skills } = await debugAll(project);
  const agent = agents.find(({ name }) => name === "historian");
  expect(agent?.prompt).toBe("Write the changelog.");
  const rights = (permission: string) =>
    agent?.permission.findLast((rule) => rule.permission === permission || rule.permission === "*");
  expect([rights("bash")?.action, rights("edit")?.action]).toEqual(["deny", "deny"]);
  expect(config.command?.release?.template).toContain("Prepare $ARGUMENTS.");
  expect(skills.map(({ name }) => name)).toContain("semver");
}, 120_000);

test("a plain repository of skills", async () => {
  await using repo = await gitRepo({
    name: "skills",
    files: {
      "README.md": "# Skills\n",
      "pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\n---\n\nRead.\n",
      "pdf/scripts/read.py": "print('read')\n",
      "tables/SKILL.md": "---\nname: tables\ndescription: Reads tables\n---\n\nRead.\n",
    },
  });
  await using project = await tmpProject();
  expect(await hugo(project, "install", repo.packageUrl, "--yes")).toContain("(2 skills)");
  const skills = (await debugSkills(project)).map(({ name }) => name);
  expect(skills).toEqual(expect.arrayContaining(["pdf", "tables"]));
  expect(await project.read(".opencode/skills/pdf/scripts/read.py")).toBe("print('read')\n");
}, 120_000);
