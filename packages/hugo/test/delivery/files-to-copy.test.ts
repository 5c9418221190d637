import { describe, expect, test } from "bun:test";
import { filesToCopy } from "../../src/delivery/translate/package-translation.ts";
import { readManifest } from "../../src/packages/manifest.ts";
import { selectContents } from "../../src/packages/selection.ts";
import { tree } from "../tree.ts";

describe("the files to copy", () => {
  const skill = "---\nname: whole\n---\n";
  test("go where OpenCode looks", () => {
    const files = tree({
      "agents/team/a.md": "a",
      "commands/c.md": "c",
      "skills/x/s/SKILL.md": "s",
      "skills/x/s/run.sh": "#!",
    });
    expect(
      [...filesToCopy(readManifest(files), files)].map(([at, { source, executable }]) => [at, source, executable]),
    ).toEqual([
      ["agents/team/a.md", "agents/team/a.md", false],
      ["commands/c.md", "commands/c.md", false],
      ["skills/s/SKILL.md", "skills/x/s/SKILL.md", false],
      ["skills/s/run.sh", "skills/x/s/run.sh", true],
    ]);
  });

  test("of a package that is one skill are all but its packaging", () => {
    const files = tree({ "SKILL.md": skill, "package.json": "{}", ".gitignore": "", "ref/a.md": "" });
    expect([...filesToCopy(readManifest(files), files).keys()]).toEqual([
      "skills/whole/SKILL.md",
      "skills/whole/ref/a.md",
    ]);
  });

  test("of workflows are the modules that it lists and the files next to them", () => {
    const files = tree({
      "workflow.json": JSON.stringify({ workflows: ["release", "notes"] }),
      "workflows/release.ts": "",
      "workflows/notes.js": "",
      "workflows/unlisted.ts": "",
      "workflows/release/ask.md": "",
      "workflows/types.d.ts": "",
    });
    const helpers = ["workflows/release/ask.md", "workflows/types.d.ts"];
    const whole = { manifest: readManifest(files) };
    const copied = (selection?: readonly string[]): string[] =>
      [...filesToCopy(selectContents(whole, selection).manifest, files).keys()].sort();
    expect(copied()).toEqual(["workflows/notes.js", "workflows/release.ts", ...helpers].sort());
    expect(copied(["workflows/notes"])).toEqual(["workflows/notes.js", ...helpers]);
    expect(copied(["agents/a"])).toEqual([]);
    const unlisted = tree({ "agents/a.md": "", "workflows/release.ts": "" });
    expect([...filesToCopy(readManifest(unlisted), unlisted).keys()]).toEqual(["agents/a.md"]);
  });

  test("are those that the user selected", () => {
    const files = tree({ "agents/a.md": "", "agents/b.md": "", "skills/s/SKILL.md": "", "skills/t/SKILL.md": "" });
    const { manifest } = selectContents({ manifest: readManifest(files) }, ["agents/b", "skills/t"]);
    expect([...filesToCopy(manifest, files).keys()]).toEqual(["agents/b.md", "skills/t/SKILL.md"]);
  });
});
