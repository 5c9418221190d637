// One odd entry of a repository does not keep users from the rest of it.
import { describe, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { gitRepo } from "@atomic/testing/git";
import { type Project, tmpProject } from "@atomic/testing/project";
import { hugoIn, refusalOf } from "./hugo-project.ts";

const skill = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n\nDo it.\n`;

/** What arrived below `.opencode`, without Hugo's own files. */
async function arrived(project: Project): Promise<string[]> {
  const paths = (await project.tree(".opencode")).filter((path) => !/^(?:\.hugo\/|hugo\.json$)/.test(path));
  return paths.filter((path) => !path.endsWith("/")).sort();
}

test("files that Windows cannot store are left out with one line, and the rest is installed", async () => {
  const files = {
    "skills/NUL/SKILL.md": skill("nul"),
    "skills/NUL/more.md": "More.\n",
    "skills/pdf/SKILL.md": skill("pdf"),
    "commands/a\\b.md": "Odd.\n",
    "commands/a:b.md": "Odd.\n",
    "commands/end.": "Odd.\n",
    "commands/note.md": "Note.\n",
  };
  await using repo = await gitRepo({ files });
  const inFolder = Object.fromEntries(Object.entries(files).map(([path, text]) => [`odd/${path}`, text]));
  for (const spec of [repo.packageUrl, "./odd"]) {
    await using project = await tmpProject({ files: inFolder });
    const { notices } = await hugoIn(project).install(spec);
    const what = spec === "./odd" ? project.path("odd") : spec;
    expect(notices.filter((notice) => notice.startsWith("Left out"))).toEqual([
      `Left out of ${what}, because Windows cannot store the name: "commands/a:b.md", "commands/a\\\\b.md", "commands/end." and 1 more`,
    ]);
    expect(await arrived(project)).toEqual(["commands/note.md", "skills/pdf/SKILL.md"]);
    await project.remove(".opencode/.hugo");
    await project.remove(".opencode/skills");
    await hugoIn(project).ci();
    expect(await arrived(project)).toEqual(["commands/note.md", "skills/pdf/SKILL.md"]);
  }
});

test("names that differ only in case are left out with one line, and the rest is installed", async () => {
  const files = {
    "README.md": "Read.\n",
    "readme.md": "Read.\n",
    "plugins/one/x.md": "One.\n",
    "plugins/One/x.md": "One.\n",
    "plugins/One/y.md": "One.\n",
    "commands/Stra\u00dfe.md": "Odd.\n",
    "commands/strasse.md": "Odd.\n",
    "commands/note.md": "Note.\n",
    "skills/pdf/SKILL.md": skill("pdf"),
    "skills/pdf/Form.md": "A.\n",
    "skills/pdf/form.md": "B.\n",
  };
  await using repo = await gitRepo({ files });
  await using project = await tmpProject();
  const { notices } = await hugoIn(project).install(repo.packageUrl);
  expect(notices.filter((notice) => notice.startsWith("Left out"))).toEqual([
    `Left out of ${repo.packageUrl}, because many file systems cannot tell the names apart: "README.md" and "readme.md", "commands/Stra\u00dfe.md" and "commands/strasse.md", "plugins/One" and "plugins/one" and 1 more`,
  ]);
  expect(await arrived(project)).toEqual(["commands/note.md", "skills/pdf/SKILL.md"]);
  await project.remove(".opencode/.hugo");
  await hugoIn(project).ci();

  await using alike = await gitRepo({ files: { "skills/a/SKILL.md": skill("a"), "Skills/a/SKILL.md": skill("a") } });
  const error = await refusalOf(hugoIn(project).install(alike.packageUrl));
  expect(error.message).toContain('has "Skills" and "skills", which are the same file on many file systems');
});

test("an entry of a marketplace without a name is left out with one line", async () => {
  const plugins = [
    { name: "good", source: "./plugins/good" },
    { source: "./plugins/nameless", description: "?" },
    "text",
    { name: 3, source: "./plugins/good" },
    { name: "odd", source: "./plugins/good", description: 3 },
  ];
  const files = {
    "m/.claude-plugin/marketplace.json": JSON.stringify({ name: "m", plugins }),
    "m/plugins/good/skills/pdf/SKILL.md": skill("pdf"),
    "m/plugins/nameless/skills/docx/SKILL.md": skill("docx"),
  };
  await using project = await tmpProject({ files });
  const { notices } = await hugoIn(project).install("./m", { select: "*" });
  expect(notices.filter((notice) => notice.includes("Not installed"))).toEqual([
    expect.stringMatching(/^Not installed: the plugin plugins\[1\]\. .*plugins\[1\]\.name/),
    expect.stringMatching(/^Not installed: the plugin plugins\[2\]\. .*plugins\[2\]/),
    expect.stringMatching(/^Not installed: the plugin plugins\[3\]\. .*plugins\[3\]\.name/),
    expect.stringMatching(/^Not installed: the plugin odd\. .*plugins\[4\]\.description/),
  ]);
  expect(await arrived(project)).toEqual(["skills/pdf/SKILL.md"]);
});

test("a valid name wins over a twin that is only spelled like it", async () => {
  const files = {
    "t/agents/c-sharp.md": "---\ndescription: d\n---\nA.\n",
    "t/agents/C Sharp.md": "---\ndescription: d\n---\nB.\n",
    "t/commands/CSharp.prompt.md": "A.\n",
    "t/commands/c-sharp.prompt.md": "B.\n",
    "t/skills/C Sharp/SKILL.md": skill("c-sharp"),
    "t/skills/c-sharp/SKILL.md": skill("c-sharp"),
  };
  await using project = await tmpProject({ files });
  await hugoIn(project).install("./t");
  expect((await arrived(project)).map((path) => path.replace(/-[0-9a-f]{8}(?=[./])/, "-#"))).toEqual([
    "agents/c-sharp-#.md",
    "agents/c-sharp.md",
    "commands/c-sharp.md",
    "commands/csharp.md",
    "skills/c-sharp-#/SKILL.md",
    "skills/c-sharp/SKILL.md",
  ]);
  expect(await project.read(".opencode/agents/c-sharp.md")).toContain("A.");
});

describe("a link to skills of the same repository", () => {
  const files = { "kept/pdf/SKILL.md": skill("pdf"), "kept/pdf/run.sh": "#!/bin/sh\n", "README.md": "# R\n" };

  test("is followed, and the report says so", async () => {
    await using repo = await gitRepo({ files: { ...files, ".claude/skills": { symlink: "../kept" } } });
    const inFolder = Object.fromEntries(Object.entries(files).map(([path, text]) => [`r/${path}`, text]));
    for (const spec of [repo.packageUrl, "./r"]) {
      await using project = await tmpProject({ files: { ...inFolder, "r/.claude/other.md": "" } });
      await symlink("../kept", project.path("r/.claude/skills"));
      const hugo = hugoIn(project);
      await hugo.install(spec);
      expect(hugo.asked[0]?.notes).toContain(
        `Followed links in ${spec === "./r" ? project.path("r") : spec}: ".claude/skills" to "kept"`,
      );
      expect(await arrived(project)).toEqual(["skills/pdf/SKILL.md", "skills/pdf/run.sh"]);
    }
  });

  test("is not followed out of the repository, and the refusal names it", async () => {
    await using project = await tmpProject({ files: { ...{ "r/README.md": "" }, "kept/pdf/SKILL.md": skill("pdf") } });
    await symlink("../kept", project.path("r/skills"));
    const error = await refusalOf(hugoIn(project).install("./r"));
    expect(error.code).toBe("no-workflow");
    expect(error.hint).toStartWith(`Left out of ${project.path("r")}: link "skills". If it is a plugin`);
  });

  test("in the project itself is refused by its name if it leads out of .opencode", async () => {
    await using project = await tmpProject({ files: { "r/skills/pdf/SKILL.md": skill("pdf"), ".opencode/a.md": "" } });
    await project.write("mine/own.md", "");
    await symlink("../mine", project.path(".opencode/skills"));
    const error = await refusalOf(hugoIn(project).install("./r"));
    expect(error.code).toBe("place-unsafe");
    expect(error.message).toContain(
      `${project.path(".opencode/skills")} is a symbolic link to ${project.path("mine")}`,
    );
    expect(error.hint).toEndWith("Nothing was changed.");
  });
});
