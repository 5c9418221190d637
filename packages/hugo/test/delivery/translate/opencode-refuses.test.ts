// Why such files are refused: what the real OpenCode does with them.
import { expect, setDefaultTimeout, test } from "bun:test";
import { debugConfig, opencode } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { refusal } from "../../refusal.ts";
import { deliver } from "./deliver.ts";

setDefaultTimeout(180_000);

test("OpenCode loses restrictions in broken frontmatter and runs JavaScript, and Hugo copies neither", async () => {
  const broken = "---\ndescription: x\npermission:\n  edit: deny\n bash: deny\n---\nBody";
  const script = `---js\n(process.getBuiltinModule("fs").writeFileSync("ran", ""), { description: "x" })\n---\nBody`;
  await using project = await tmpProject({
    files: {
      ".opencode/agents/broken.md": broken,
      ".opencode/skills/s/SKILL.md": script,
      ".opencode/agents/js.md": script,
    },
  });
  const { agent } = await debugConfig(project);
  expect(agent?.broken?.prompt).toContain("edit: deny");
  expect(agent?.broken?.permission ?? {}).toEqual({});
  expect(await project.exists("ran")).toBe(true);

  const error = refusal(() =>
    deliver({ "agents/broken.md": broken, "agents/js.md": script, "skills/s/SKILL.md": script }),
  );
  expect(error.message.split(/; (?=\S+:\d)/).map((problem) => problem.slice(0, problem.indexOf(": ")))).toEqual([
    "agents/broken.md:5:1",
    "agents/js.md:1:4",
    "skills/s/SKILL.md:1:4",
  ]);
});

test("OpenCode does not start with Claude's list of tools, but with its translation", async () => {
  const claudes = "---\nname: a\ndescription: x\ntools: Read, Grep\n---\nBody";
  await using project = await tmpProject({ files: { ".opencode/agents/a.md": claudes } });
  const { code, stderr, stdout } = await opencode(project, ["debug", "config"]);
  expect(code).not.toBe(0);
  expect(`${stderr}${stdout}`).toContain("agents/a.md");

  const { files } = deliver({ "agents/a.md": claudes });
  for (const [path, { bytes }] of files) await project.write(`.opencode/${path}`, bytes);
  expect((await debugConfig(project)).agent?.a).toMatchObject({ mode: "subagent", permission: { "*": "deny" } });
});
