import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo } from "../cli/hugo.ts";

test("a TMPDIR that does not exist is named, and what to do about it", async () => {
  await using project = await tmpProject({
    files: { "w/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\n" },
  });
  const nowhere = `${project.dir}-nowhere`;
  const before = process.env.TMPDIR;
  process.env.TMPDIR = nowhere;
  try {
    const { code, stderr } = await hugo(["info", "./w"], { table: commands, cwd: project.dir, home: project.home });
    expect(stderr).toBe(`hugo: The folder for temporary files, ${nowhere} (from TMPDIR), does not exist
Create it, or set TMPDIR to a folder that you can write.
`);
    expect(code).toBe(2);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});
