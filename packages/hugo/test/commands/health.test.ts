// What can be known without starting OpenCode: files, pins and names.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, symlinkSync } from "node:fs";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Health, health } from "../../src/commands/health.ts";
import { copy, hugoIn, pinIn, plugin } from "./hugo-project.ts";
import { common, plain, quietContext } from "./quiet-context.ts";

setDefaultTimeout(180_000);

async function look(project: Project, input: { name?: string; all?: boolean; global?: boolean } = {}): Promise<Health> {
  const context = quietContext(project.dir, { home: project.home, env: project.env });
  return await health.run(context, { ...common, name: undefined, all: false, static: true, ...input });
}

function codesOf({ workflows }: Health): string[] {
  return workflows.flatMap(({ workflow, findings }) =>
    findings.map(({ severity, code }) => `${workflow} ${severity} ${code}`),
  );
}

const notes = {
  "agents/scribe.md": "---\ndescription: Writes notes\n---\nWrite.\n",
  "commands/note.md": "Note $ARGUMENTS.\n",
  "skills/style/SKILL.md": "---\nname: style\ndescription: How notes look\n---\nShort.\n",
};

test("with nothing installed, there is nothing to check", async () => {
  await using project = await tmpProject();
  const found = await health.run(quietContext(project.dir, { env: project.env }), {
    ...common,
    name: undefined,
    all: true,
    static: false,
  });
  expect(found).toEqual({ opencode: { kind: "not-asked" }, workflows: [], failedHooks: [], notices: [] });
  expect(health.report.text(found, plain)).toBe("No workflow is enabled here.\n");
  expect(health.report.exitCode(found)).toBe(0);
  expect(await project.tree()).toEqual([]);
});

test("copied files that are skipped make a workflow ill; deleted ones and edits do not", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry, files: { ".opencode/commands/note.md": "My own note." } });
  await hugoIn(project).install("@org/notes", { allowNew: true });
  await project.write(".opencode/agents/scribe.md", `${notes["agents/scribe.md"]}And more.\n`);
  expect(codesOf(await look(project))).toEqual(["notes problem missing-files"]);

  await project.remove(".opencode/skills/style/SKILL.md");
  const found = await look(project);
  expect(codesOf(found)).toEqual(["notes problem missing-files", "notes warning missing-files"]);
  const text = health.report.text(found, plain);
  expect(text).toContain("  ! skills/style/SKILL.md is gone\n    `hugo install --force @org/notes` restores it.\n");
  expect(text).toContain("  ✗ commands/note.md is not the workflow's file: another file was already there\n");
  expect(health.report.exitCode(found)).toBe(1);
  expect(health.report.notes(found, plain)).toBe("1 workflow needs attention.\n");
  expect(health.report.error?.(found)?.hint).toStartWith(
    "notes: commands/note.md is not the workflow's file: another file was already there. ",
  );
});

test("files an update left deleted are a note", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  await hugoIn(project).install("@org/notes", { allowNew: true });
  await project.remove(".opencode/commands/note.md");
  registry.publish(copy("1.1.0", { ...notes, "agents/scribe.md": "Write more.\n" }));
  await hugoIn(project).update([], { allowNew: true });
  const found = await look(project);
  expect(codesOf(found)).toEqual(["notes note missing-files"]);
  expect(health.report.text(found, plain)).toContain(
    "  · commands/note.md was deleted locally, and Hugo will not restore it\n",
  );
  expect(health.report.exitCode(found)).toBe(0);
});

test("parts omitted from a Claude package are reported with the reason and are not a problem", async () => {
  await using registry = await npmRegistry();
  const plugin = { ".claude-plugin/plugin.json": '{"name":"notes"}' };
  const jailed = "---\ndescription: Works on a copy\nisolation: worktree\n---\nWork.\n";
  registry.publish(copy("1.0.0", { ...notes, ...plugin, "agents/jailed.md": jailed }));
  await using project = await tmpProject({ registry });
  const { workflows } = await hugoIn(project).install("@org/notes", { allowNew: true });
  expect(workflows[0]?.stopped.map(({ destination }) => destination)).toEqual(["agents/jailed.md"]);

  const found = await look(project);
  expect(codesOf(found)).toEqual(["notes note left-out"]);
  const text = health.report.text(found, plain);
  expect(text).toMatch(/^ {2}· agents\/jailed was left out \(agents\/jailed\.md:3:1\): It needs its own copy/m);
  expect(text).not.toContain("update");
  expect(health.report.exitCode(found)).toBe(0);

  await project.remove(".opencode/.hugo/store");
  expect(health.report.text(await look(project), plain)).toContain("`hugo ci` fetches the package again.");
});

test("a destination that has become free is reported as free", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry, files: { ".opencode/commands/note.md": "My own note." } });
  await hugoIn(project).install("@org/notes", { allowNew: true });
  await project.remove(".opencode/commands/note.md");
  expect(health.report.text(await look(project), plain)).toContain(
    "that file no longer exists\n    `hugo install --force @org/notes`",
  );
  await hugoIn(project).install("@org/notes", { force: true, allowNew: true });
  expect(codesOf(await look(project))).toEqual([]);
});

test("an unresolved conflict is reported until it is resolved", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes", { allowNew: true });
  await project.write(".opencode/commands/note.md", "Mine.\n");
  registry.publish(copy("1.1.0", { ...notes, "commands/note.md": "Theirs.\n" }));
  await hugo.update([], { allowNew: true });
  expect(codesOf(await look(project))).toEqual(["notes problem conflict"]);
});

test("a store that was emptied or changed is noticed", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using repo = await gitRepo({
    files: {
      "package.json": JSON.stringify({ name: "verse", version: "1.0.0", main: "index.js" }),
      "index.js": "export default { id: 'verse', server: async () => ({}) };",
      "workflow.json": '{"agents":["poet"]}',
      "agents/poet.md": "Rhyme.",
    },
  });
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install(["@org/review", repo.packageUrl], { allowNew: true });
  expect(codesOf(await look(project))).toEqual([]);

  const stored = readdirSync(project.path(".opencode/.hugo/store"));
  const [review, verse] = ["review-", "verse-"].map((start) => stored.find((name) => name.startsWith(start)));
  await project.write(`.opencode/.hugo/store/${review}/node_modules/@org/review/agents/reviewer.md`, "Other.");
  await project.write(`.opencode/.hugo/store/${verse}/node_modules/verse/agents/poet.md`, "Other.");
  expect(codesOf(await look(project))).toEqual(["review problem tampered", "verse problem tampered"]);

  symlinkSync("/etc/hosts", project.path(`.opencode/.hugo/store/${review}/node_modules/@org/review/hosts`));
  expect(codesOf(await look(project))).toEqual(["review problem tampered", "verse problem tampered"]);

  await project.remove(".opencode/.hugo/store");
  const found = await look(project);
  expect(codesOf(found)).toEqual(["review problem missing-files", "verse problem missing-files"]);
  expect(health.report.text(found, plain)).toContain("`hugo ci` restores the package recorded in hugo.json.");
  expect(health.report.text(found, plain)).toMatch(/^verse [0-9a-f]{10} /m);
});

test("the config is compared with hugo.json", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), plugin("2.0.0"));
  await using project = await tmpProject({ registry });
  await hugoIn(project).install("@org/review@2.0.0", { allowNew: true });
  const config = await project.read("opencode.json");
  const pin = await pinIn(project);
  const written = async (entries: string, text = config): Promise<string> => {
    await project.write("opencode.json", text.replace(`"${pin}"`, entries));
    const found = await look(project);
    return health.report.text(found, plain).split("\n").slice(1, 2).join("");
  };
  expect(await written(`"${pin}"`)).toBe("");
  expect(await written(`["${pin}", { "loud": true }]`)).toBe("");
  expect(await written('"@org/review@2.0.0"')).toBe(
    '  ! opencode.json lists "@org/review@2.0.0", so OpenCode fetches the package by itself instead of loading what Hugo checked',
  );
  expect(await written('"@org/review@1.0.0"')).toBe(
    '  ✗ opencode.json lists "@org/review@1.0.0", but 2.0.0 is installed',
  );
  expect(await written('"@org/review"')).toContain(
    '✗ "@org/review" in opencode.json does not specify an exact version',
  );
  expect(await written('"@org/review@^2"')).toContain(
    '"@org/review@^2" in opencode.json does not specify an exact version',
  );
  expect(await written('"@org/review@1.0.0", "@org/review@2.0.0"')).toBe(
    '  ! It is listed 2 times in opencode.json: OpenCode loads only the last one, "@org/review@2.0.0"',
  );
  expect(await written('"./elsewhere/node_modules/@org/review", "@org/review@2.0.0"')).toBe(
    "  ✗ It is listed 2 times in opencode.json: OpenCode loads every entry",
  );
});

test("a name collision is reported with its winner, and without a known winner it is a problem", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", notes));
  const user = {
    $schema: "https://opencode.ai/config.json",
    agent: { scribe: { color: "info" }, reviewer: { color: "info" } },
  };
  await using project = await tmpProject({ registry, files: { "opencode.json": user } });
  await hugoIn(project).install(["@org/review", "@org/notes"], { allowNew: true });
  await project.write(".opencode/skill/style/SKILL.md", `${notes["skills/style/SKILL.md"]}\nMine.\n`);
  const found = await look(project);
  expect(codesOf(found)).toEqual(["notes warning collision", "notes problem collision", "review warning collision"]);
  const [notesFound] = found.workflows;
  expect(notesFound?.findings.map(({ message }) => message)).toEqual([
    'Agent "scribe" is defined in opencode.json. OpenCode merges them: "notes" wins where both set a value.',
    expect.stringContaining("the winner can change"),
  ]);
});

test("a report is one document for programs, and safe on a terminal", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  await hugoIn(project).install("@org/notes", { allowNew: true });
  const found = await look(project, { name: "@org/notes" });
  expect(health.report.json(found)).toEqual({
    opencode: { state: "not-asked" },
    workflows: [
      {
        workflow: "notes",
        package: "@org/notes",
        version: "1.0.0",
        delivery: "copy",
        state: { kind: "unknown" },
        findings: [],
        healthy: null,
      },
    ],
    failedHooks: [],
    notices: [],
  });
  const evil = "a\u001b[2Jb\u202e";
  const [workflow] = found.workflows;
  const hostile: Health = {
    opencode: { kind: "silent", because: evil },
    workflows: [
      {
        ...workflow!,
        workflow: evil,
        state: { kind: "not-loaded", because: evil },
        findings: [{ severity: "problem", code: "drift", message: evil, hint: evil }],
      },
    ],
    failedHooks: [evil],
    notices: [evil],
  };
  for (const page of [plain, { colour: false, columns: 40 }]) {
    const written = health.report.text(hostile, page) + health.report.notes(hostile, page);
    for (const character of ["\u001b", "\u202e"]) expect(written).not.toContain(character);
    expect(written.split("\n").filter((line) => line === "")).toHaveLength(1);
  }
  expect(health.report.exitCode(hostile)).toBe(1);
});

test("in the user's own OpenCode the same is looked at there", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  await hugoIn(project).install("@org/notes", { allowNew: true, global: true });
  await project.remove("~/.config/opencode/agents/scribe.md");
  const found = await look(project, { global: true });
  expect(codesOf(found)).toEqual(["notes warning missing-files"]);
  expect(health.report.text(found, plain)).toContain("`hugo install -g --force @org/notes`");
  expect(codesOf(await look(project))).toEqual([]);
});

test("without OpenCode nothing is called healthy, and file findings come first", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  await hugoIn(project).install("@org/notes", { allowNew: true });
  const env = { ...project.env, PATH: "/nowhere" };
  const lookWithout = (input: { readonly static: boolean }) =>
    health.run(quietContext(project.dir, { home: project.home, env }), {
      ...common,
      name: undefined,
      all: false,
      ...input,
    });

  const found = await lookWithout({ static: false });
  expect(health.report.text(found, plain)).toBe("notes v1.0.0  its files are intact; not checked in OpenCode\n");
  expect(health.report.json(found)).toMatchObject({ opencode: { state: "absent" }, workflows: [{ healthy: null }] });
  expect(health.report.exitCode(found)).toBe(6);
  expect(health.report.error?.(found)).toMatchObject({
    code: "opencode-missing",
    hint: expect.stringContaining("HUGO_OPENCODE"),
  });
  expect(health.report.exitCode(await lookWithout({ static: true }))).toBe(0);

  const [workflow] = found.workflows;
  const finding = { severity: "problem", code: "drift", message: "", hint: "" } as const;
  const ill: Health = { ...found, workflows: [{ ...workflow!, findings: [finding] }] };
  expect(health.report.exitCode(ill)).toBe(1);
  const loaded: Health = { ...ill, workflows: ill.workflows.map((each) => ({ ...each, state: { kind: "loaded" } })) };
  expect(health.report.text(loaded, plain)).toStartWith("notes v1.0.0  loaded from another place\n");
  expect(health.report.json(ill)).toMatchObject({ workflows: [{ healthy: false }] });
});
