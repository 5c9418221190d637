import { describe, expect, test } from "bun:test";
import { refusal } from "../../refusal.ts";
import { deliver, deliverPlugin } from "./deliver.ts";

const matter = (yaml: string): string => `---\n${yaml}\n---\nBody`;

describe("files that OpenCode would crash on or misread", () => {
  test.each<[string, string, string, string]>([
    ["an agent that is not YAML", "agents/a.md", matter("description: x\n]"), "3:1"],
    ["an agent whose permission is not YAML", "agents/a.md", matter("permission: { edit: deny"), "2:1"],
    ["a command that is not YAML", "commands/a.md", matter("description: 'x"), "3:1"],
    ["frontmatter without an end", "agents/a.md", "---\npermission: deny\n", "1:1"],
    ["frontmatter after a blank line", "agents/a.md", "\n---\npermission: deny\n---\n", "1:1"],
    ["JavaScript in front", "agents/a.md", "---js\n{ description: process.exit() }\n---\n", "1:4"],
    ["JavaScript without an end", "agents/a.md", "---js\nprocess.exit()\n", "1:1"],
    ["a duplicate key", "agents/a.md", matter("mode: all\npermission: deny\nmode: all"), "4:1"],
    ["a merge key", "agents/a.md", matter("<<: { permission: deny }"), "2:1"],
    ["a list in place of keys", "commands/a.md", matter("- x"), "2:1"],
    ["a mode that there is not", "agents/a.md", matter("description: x\nmode: helper"), "3:1"],
    ["a permission that there is not", "agents/a.md", matter("permission: { edit: maybe }"), "2:1"],
    ["a pattern where OpenCode has none", "agents/a.md", matter("permission: { webfetch: { a: deny } }"), "2:1"],
    ["an invalid number of steps", "agents/a.md", matter("steps: -1"), "2:1"],
    ["a description that is a date", "agents/a.md", matter("description: 2024-01-01"), "2:1"],
    ["a description that is a number", "commands/a.md", matter("description: 7"), "2:1"],
    ["a flag that is text", "commands/a.md", matter("subtask: 'true'"), "2:1"],
    ["bytes that are not text", "agents/a.md", "\0", "1:1"],
    ["a custom tag", "agents/a.md", matter("description: !secret x"), "2:14"],
    ["a line of dashes and more among the keys", "agents/a.md", matter("a: |\n  b\n---x\npermission: deny"), "4:1"],
  ])("is refused: %s", (_, path, text, place) => {
    const error = refusal(() => deliver({ [path]: text }));
    expect(error).toMatchObject({ code: "content-invalid", exitCode: 3, at: `${path}:${place}` });
    expect(error.message).toStartWith(`${path}:${place}: `);
    expect(error.hint).not.toBe("");
  });

  test("is named all at once, with the place of each in the package and not in its translation", () => {
    const error = refusal(() =>
      deliverPlugin({
        "agents/bad.md": matter("description: [x]"),
        "agents/good.md": matter("description: x"),
        "commands/late.md": matter("name: x\nmodel: opus\nsubtask: 7"),
        "skills/tidy/SKILL.md": "Sweep.",
      }),
    );
    expect(error.message).toBe(
      [
        'agents/bad.md:2:1: OpenCode fails to start with this value for "description"',
        'commands/late.md:4:1: OpenCode fails to start with this value for "subtask"',
        "skills/tidy/SKILL.md:1:1: OpenCode skips a skill without a name",
      ].join("; "),
    );
    expect(error.at).toBe("agents/bad.md:2:1");
    expect(error.parts).toHaveLength(3);
  });

  test("is refused even if something else of the package is stopped", () => {
    const files = { "agents/a.md": matter("isolation: worktree"), "agents/b.md": matter("]") };
    expect(refusal(() => deliverPlugin(files)).at).toBe("agents/b.md:2:1");
  });

  test("is not looked for in files that OpenCode does not load", () => {
    const files = { "agents/a.md": "Body", "README.md": matter("]"), "skills/s/x.md": matter("]") };
    expect(deliver({ ...files, "skills/s/SKILL.md": matter("name: s\ndescription: x") }).files.size).toBe(3);
  });

  test("is quick, however many keys and lines it has", () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `k${i}: x`).join("\n");
    expect(deliverPlugin({ "agents/a.md": matter(keys) }).stopped).toHaveLength(1);
    const blank = matter(`tools: Read\n${"\n".repeat(15_000)}`);
    expect(deliverPlugin({ "agents/a.md": blank }).files.size).toBe(1);
  });
});
