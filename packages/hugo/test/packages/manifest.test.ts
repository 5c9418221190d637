import { describe, expect, test } from "bun:test";
import { readManifest } from "../../src/packages/manifest.ts";
import { entryCases, filesOf } from "../opencode/entry-cases.ts";
import { refusal } from "../refusal.ts";
import { tree } from "../tree.ts";

const json = JSON.stringify;
const skill = "---\nname: analysis\ndescription: x\n---\n";
const plugin = { "package.json": json({ name: "@org/review", version: "1.0.0", main: "index.js" }), "index.js": "" };

describe("workflow.json", () => {
  const files = { "agents/reviewer.md": "", "commands/review.md": "", "skills/analysis/SKILL.md": skill };
  const manifest = json({ agents: ["reviewer"], commands: ["review"], skills: ["analysis"] });

  test("with a plugin entry is delivered as a plugin", () => {
    expect(readManifest(tree({ ...plugin, ...files, "workflow.json": manifest }))).toEqual({
      from: "workflow.json",
      delivery: { kind: "plugin", entry: "index.js" },
      package: { name: "@org/review", version: "1.0.0" },
      agents: [{ name: "reviewer", path: "agents/reviewer.md" }],
      commands: [{ name: "review", path: "commands/review.md" }],
      skills: [{ name: "analysis", path: "skills/analysis" }],
    });
  });

  test("without an entry is delivered by copying", () => {
    const read = readManifest(tree({ ...files, "package.json": json({ name: "review" }), "workflow.json": manifest }));
    expect(read.delivery).toEqual({ kind: "copy" });
  });

  test("may leave out every list, and have comments and other keys", () => {
    const read = readManifest(tree({ ...plugin, "workflow.json": '{ /* none */ "later": 1 }' }));
    expect([read.agents, read.commands, read.skills]).toEqual([[], [], []]);
  });

  test("lists workflows by the names of their modules", () => {
    const more = { "workflows/release.ts": "", "workflows/notes.js": "", "workflows/release/ask.md": "" };
    const read = (names: unknown) =>
      readManifest(tree({ ...plugin, ...more, "workflows/x.d.ts": "", "workflow.json": json({ workflows: names }) }));
    expect(read(["release", "notes"]).workflows).toEqual([
      { name: "release", path: "workflows/release.ts" },
      { name: "notes", path: "workflows/notes.js" },
    ]);
    expect(() => read(["release", "gone"])).toThrow('lists "gone", but workflows/gone.ts is not in the package');
    expect(() => read(["x"])).toThrow('lists "x", but workflows/x.ts is not in the package');
    expect(() => read(["release", "release"])).toThrow('repeats "release"');
    expect(read([]).workflows).toEqual([]);
    expect(() => read(["con"])).toThrow("is not a valid name");
    const both = { ...plugin, "workflows/a.ts": "", "workflows/a.js": "", "workflow.json": json({ workflows: ["a"] }) };
    expect(() => readManifest(tree(both))).toThrow('lists "a", but both workflows/a.js and workflows/a.ts define it');
  });

  test("wins over hugo-workflow.json and folders", () => {
    const both = tree({ ...plugin, ...files, "workflow.json": "{}", "hugo-workflow.json": "broken" });
    expect(readManifest(both)).toMatchObject({ from: "workflow.json", agents: [] });
  });

  test.each([
    ["{", "workflow.json:1:2: expected"],
    ["[]", "workflow.json:1:1: the whole value is not an object"],
    ['{"agents": "reviewer"}', "workflow.json:1:12: agents is not an array"],
    ['{"agents": [1]}', "workflow.json:1:13: agents[0] is not a string"],
    ['{"agents": [""]}', "workflow.json:1:13: agents[0] is empty"],
    ['{"agents": ["reviewer", "reviewer"]}', 'workflow.json:1:25: agents[1] repeats "reviewer"'],
    ['{"agents": ["missing"]}', 'lists "missing", but agents/missing.md is not in the package'],
    ['{"skills": ["reviewer"]}', "skills/reviewer/SKILL.md is not in the package"],
    ['{"agents": ["../x"]}', "is not a valid name"],
    ['{"agents": ["/x"]}', "is not a valid name"],
    ['{"agents": ["__proto__"]}', "is not a valid name"],
    ['{"agents": ["constructor"]}', "property of every JavaScript object"],
    ['{"commands": ["con"]}', "reserved on Windows"],
    ['{"commands": ["Review"]}', "is not a valid name"],
    ['{"commands": ["a b"]}', "is not a valid name"],
    ['{"commands": ["\\u001b[2J"]}', "\\u001b[2J"],
    ['{"agents": [], "agents": []}', "workflow.json:1:16: agents appears more than once"],
  ])("%s is refused", (text, message) => {
    const error = refusal(() => readManifest(tree({ ...plugin, ...files, "workflow.json": text })));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(message);
    expect(error.at).toMatch(/^workflow\.json:\d+:\d+$/);
    expect(error.hint).toContain("hugo build");
  });
});

describe("the entry of a plugin", () => {
  const entryOf = (packageJson: unknown, files: Record<string, string> = { "dist/index.js": "" }) =>
    readManifest(tree({ "workflow.json": "{}", "package.json": json(packageJson), ...files })).delivery;

  test.each<[unknown, string]>([
    [{ main: "dist/index.js" }, "dist/index.js"],
    [{ main: "./dist/index.js" }, "dist/index.js"],
    [{ main: "dist/index" }, "dist/index.js"],
    [{ main: "dist" }, "dist/index.js"],
    [{ main: "./dist/" }, "dist/index.js"],
    [{ exports: { "./server": "./dist/index.js" } }, "dist/index.js"],
    [{ main: "gone.js", exports: { "./server": "./dist/index.js" } }, "dist/index.js"],
    [{ main: "dist/index.js", exports: { ".": "./other.js" } }, "dist/index.js"],
    [{ main: "dist/index.js", exports: "./other.js" }, "dist/index.js"],
  ])("of %j is %s", (packageJson, entry) => {
    expect(entryOf(packageJson)).toEqual({ kind: "plugin", entry });
  });

  test.each<[unknown, string]>([
    [{ main: "gone.js" }, "names a file that is not in the package"],
    [{ main: "../outside.js" }, "names a file that is not in the package"],
    [{ main: 1 }, "is not a string"],
    [{ exports: { "./server": "./gone.js" } }, "names a file that is not in the package"],
    [{ exports: { "./server": { bun: "./dist/index.js" } } }, '"main" is missing'],
    [{ exports: { ".": "./dist/index.js" } }, '"main" is missing'],
    [{ exports: "./dist/index.js" }, '"main" is missing'],
  ])("of %j is refused: %s", (packageJson, problem) => {
    const error = refusal(() => entryOf(packageJson));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toStartWith("package.json:1:");
  });

  test.each(Object.entries(entryCases))("with %s is the one that OpenCode loads", (_, entryCase) => {
    const files = Object.fromEntries(
      Object.entries(filesOf("p", entryCase)).map(([path, file]) => [
        path,
        typeof file === "string" ? file : json(file),
      ]),
    );
    const read = () => readManifest(tree({ "workflow.json": "{}", ...files })).delivery;
    if (entryCase.ofPackage !== undefined) expect(read()).toEqual({ kind: "plugin", entry: entryCase.ofPackage });
    else if (Object.keys(entryCase.json).length === 0) expect(read()).toEqual({ kind: "copy" });
    else expect(refusal(read).code).toBe("manifest-invalid");
  });

  test("does not matter for a package that is copied", () => {
    const files = { "package.json": json({ name: "x", main: "gone.js", exports: "./gone.js" }), "agents/a.md": "" };
    expect(readManifest(tree(files)).delivery).toEqual({ kind: "copy" });
  });
});

describe("hugo-workflow.json", () => {
  const files = {
    "agents/orchestrator.md": "",
    "agents/team/reviewer.md": "",
    "other/helper.md": "",
    "skills/git-diff/SKILL.md": "",
    "skills/git-diff/scripts/get-diff.sh": "",
    "skills/broken/readme.txt": "",
    "commands/review-pr.md": "",
    "notes.txt": "",
  };
  const manifest = (lists: Record<string, unknown>) =>
    json({ name: "code-review", description: "Structured review", ...lists });

  test("lists the files to copy", () => {
    const text = manifest({
      agents: [{ path: "agents/orchestrator.md" }, { path: "./agents/team/reviewer.md" }, { path: "other/helper.md" }],
      skills: [{ path: "skills/git-diff/" }],
      commands: [{ path: "commands/review-pr.md" }],
    });
    expect(readManifest(tree({ ...plugin, ...files, "hugo-workflow.json": text }))).toEqual({
      from: "hugo-workflow.json",
      delivery: { kind: "copy" },
      package: { name: "@org/review", version: "1.0.0" },
      agents: [
        { name: "orchestrator", path: "agents/orchestrator.md" },
        { name: "team/reviewer", path: "agents/team/reviewer.md" },
        { name: "helper", path: "other/helper.md" },
      ],
      commands: [{ name: "review-pr", path: "commands/review-pr.md" }],
      skills: [{ name: "git-diff", path: "skills/git-diff" }],
    });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ name: undefined }, "name is missing"],
    [{ name: "../x" }, "name is not a valid name"],
    [{ description: 1 }, "description is not a string"],
    [{ agents: {} }, "agents is not an array"],
    [{ agents: ["agents/orchestrator.md"] }, "agents[0] is not an object"],
    [{ agents: [{}] }, "agents[0].path is missing"],
    [{ agents: [{ path: "agents/gone.md" }] }, "agents[0].path is not in the package"],
    [{ agents: [{ path: "notes.txt" }] }, "is not a Markdown file, but agents must be"],
    [{ commands: [{ path: "notes.txt" }] }, "is not a Markdown file, but commands must be"],
    [{ agents: [{ path: "../x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "agents/../../x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "/etc/x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "agents\\x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "C:/x.md" }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "." }] }, "is not a plain path inside the package"],
    [{ agents: [{ path: "" }] }, "is not a plain path"],
    [{ skills: [{ path: "skills/gone" }] }, "is not in the package"],
    [{ skills: [{ path: "skills/broken" }] }, "has no SKILL.md"],
    [{ skills: [{ path: "notes.txt" }] }, "is a file, but a skill must be a folder"],
    [{ agents: [{ path: "other/helper.md" }, { path: "other/helper.md" }] }, 'agents[1].path repeats "helper"'],
  ])("%j is refused: %s", (lists, problem) => {
    const error = refusal(() => readManifest(tree({ ...files, "hugo-workflow.json": manifest(lists) })));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toMatch(/^hugo-workflow\.json:1:\d+$/);
  });

  test("is refused when two files would become one", () => {
    const text = manifest({ agents: [{ path: "other/helper.md" }, { path: "agents/helper.md" }] });
    const error = refusal(() => readManifest(tree({ ...files, "agents/helper.md": "", "hugo-workflow.json": text })));
    expect(error.message).toContain('repeats "helper"');
  });

  test("is refused when a file would be where another needs a folder", () => {
    const text = manifest({ agents: [{ path: "agents/a.md" }, { path: "agents/a.md/b.md" }] });
    const error = refusal(() =>
      readManifest(tree({ "agents/a.md": "", "agents/a.md/b.md": "", "hugo-workflow.json": text })),
    );
    expect(error.message).toContain("clashes with another name");
  });
});
