import { expect, test } from "bun:test";
import { formatAnswer } from "@atomic/terminal/json";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { info as infoCommand } from "../../src/commands/info.ts";
import { install as installCommand } from "../../src/commands/install.ts";
import { translationWarnings } from "../../src/commands/shared/file-outcomes.ts";
import { update as updateCommand } from "../../src/commands/update.ts";
import { copy, hugoIn, refusalOf } from "./hugo-project.ts";

const plain = { colour: false } as const;
const manifest = { ".claude-plugin/plugin.json": '{ "name": "notes" }' };
const reader = "---\ndescription: Reads\ntools: Read, Grep\nmodel: sonnet\n---\nRead.\n";
const jailed = "---\ndescription: Works on a copy\nisolation: worktree\n---\nWork.\n";

const translations = [
  "Different in OpenCode:\n",
  '  agents/reader.md:3:1  "tools" becomes "permission"\n',
  '  agents/reader.md:4:1  The model "sonnet" is left out: OpenCode uses the session\'s model\n',
];
const leftOut =
  "Warning: agents/jailed is left out (agents/jailed.md:3:1): It needs its own copy of the project, which OpenCode does not provide. Only";

const inJson = {
  translated: [
    { source: "agents/reader.md", at: "agents/reader.md:3:1", message: '"tools" becomes "permission"' },
    { source: "agents/reader.md", at: "agents/reader.md:4:1" },
  ],
  stopped: [{ source: "agents/jailed.md", entity: "agents/jailed", at: "agents/jailed.md:3:1" }],
};

test("install, info and update report what they translate and leave out, for people and for programs", async () => {
  await using registry = await npmRegistry();
  const files = { ...manifest, "agents/reader.md": reader, "agents/jailed.md": jailed };
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);

  const described = await hugo.info("@org/notes");
  expect(infoCommand.report.notes(described, plain)).toContain(translations.join(""));
  expect(infoCommand.report.notes(described, plain)).toContain(leftOut);
  expect(JSON.parse(formatAnswer(described, infoCommand.report))).toMatchObject(inJson);

  const installed = await hugo.install("@org/notes");
  expect(installCommand.report.notes(installed, plain)).toContain(translations.join(""));
  expect(installCommand.report.notes(installed, plain)).toContain(leftOut);
  expect(JSON.parse(formatAnswer(installed, installCommand.report))).toMatchObject({ workflows: [inJson] });

  registry.publish(copy("1.1.0", { ...files, "commands/go.md": "Go.\n" }));
  const updated = await hugo.update();
  expect(updateCommand.report.notes(updated, plain)).toContain(translations.join(""));
  expect(updateCommand.report.notes(updated, plain)).toContain(leftOut);
  expect(JSON.parse(formatAnswer(updated, updateCommand.report))).toMatchObject({ updated: [inJson] });
});

test("files left out do not count, and files that are not copied are named", async () => {
  await using registry = await npmRegistry();
  const servers = { mcpServers: { m: { command: "npx", args: ["evil"] } } };
  const more = { ".mcp.json": JSON.stringify(servers), "hooks/hooks.json": '{"hooks":{}}' };
  registry.publish(copy("1.0.0", { ...manifest, ...more, "agents/reader.md": reader, "agents/jailed.md": jailed }));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  const described = await hugo.info("@org/notes");
  expect(described.agents).toEqual(["reader"]);
  expect(infoCommand.report.text(described, plain)).not.toContain("npx evil");

  const installed = await hugo.install("@org/notes");
  expect(hugo.asked[0]?.notes.join("\n")).toContain("1 agent, ");
  expect(installCommand.report.text(installed, plain)).toStartWith('Installed workflow "notes" v1.0.0 (1 agent)\n');
  // The question has named them, so the result does not repeat it.
  expect(installCommand.report.notes(installed, plain)).not.toContain("Not installed: hooks");
  for (const notes of [infoCommand.report.notes(described, plain), `${hugo.asked[0]?.notes.join("\n")}\n`]) {
    expect(notes).toContain("Not installed: hooks/hooks.json. OpenCode does not run Claude Code hooks.\n");
    expect(notes).toContain("Not installed: .mcp.json. To use its MCP servers, add them");
  }
  expect(JSON.parse(await project.read(".opencode/hugo.json"))).toMatchObject({
    workflows: { notes: { agents: ["reader"], files: { "agents/jailed.md": { skipped: true } } } },
  });
});

test("of very many differences, those that differ only in a name are one line", async () => {
  await using registry = await npmRegistry();
  const agents = Array.from({ length: 30 }, (_, i) => [
    `agents/a${String(i).padStart(2, "0")}.md`,
    reader.replace("---\n", `---\nkey${i}: 1\n`),
  ]);
  registry.publish(copy("1.0.0", { ...manifest, ...Object.fromEntries(agents) }));
  await using project = await tmpProject({ registry });
  const installed = await hugoIn(project).install("@org/notes");
  const notes = installCommand.report.notes(installed, plain);
  expect(notes.match(/^ {2}agents\//gm)).toBeNull();
  expect(notes.match(/^ {2}30 files {2,}/gm)).toHaveLength(3);
  expect(notes).toMatch(/^ {2}30 files {2}.*"key0".* \(and 29 more like this; see --json\)\n/m);
});

test("of very many kinds of differences, only the first are shown, with a count of the rest", () => {
  const translated = Array.from({ length: 30 }, (_, i) => ({ source: "a.md", at: "a.md:1:1", message: `Kind ${i}` }));
  const notes = translationWarnings({ stopped: [], translated }, plain);
  expect(notes.match(/^ {2}a\.md:1:1 {2}/gm)).toHaveLength(20);
  expect(notes).toEndWith("  and 10 more (see --json)\n");
});

test("the question for a part says what the dry run says, and how to see that part", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", { ...manifest, "agents/reader.md": reader, "agents/writer.md": reader }));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  const preview = await hugo.install("@org/notes", { select: "reader", dryRun: true });
  expect(installCommand.report.text(preview, plain)).toContain("\n  Names: agents/reader\n");
  hugo.answer = "nobody";
  const { hint } = await refusalOf(hugo.install("@org/notes", { select: "reader" }));
  expect(hint).toStartWith("Review the package with `hugo info @org/notes --select reader`, then ");
  expect(hugo.asked[0]?.notes).toContain("Names: agents/reader");
  expect(hugo.asked[0]?.notes).toContain('Different in OpenCode: agents/reader.md: "tools" becomes "permission"');
});

test("the question names the files that are different in OpenCode, also if several are different in the same way", async () => {
  await using registry = await npmRegistry();
  const agents = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`agents/${name}.md`, reader]));
  registry.publish(copy("1.0.0", { ...manifest, ...agents }));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  expect(hugo.asked[0]?.notes).toContain(
    'Different in OpenCode: agents/a.md, agents/b.md, agents/c.md and 2 more: "tools" becomes "permission"',
  );
});
