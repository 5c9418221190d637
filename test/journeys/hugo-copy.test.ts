// The whole life of a workflow whose files are copied and then edited.
import { beforeAll, expect, test } from "bun:test";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { type WatchedOpencode, watchedOpencode } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { bundleHugo, hugo, tryHugo } from "./hugo.ts";

beforeAll(bundleHugo);

const agent = (...parts: string[]): string =>
  `---\ndescription: Writes notes\nmode: subagent\n---\n\n${parts.join("\n\n")}\n`;

const files = {
  "agents/merged.md": agent("One.", "Two.", "Three."),
  "agents/conflict.md": agent("One."),
  "agents/deleted.md": agent("One."),
  "agents/untouched.md": agent("One."),
  "agents/mine.md": agent("Theirs."),
  "agents/same.md": agent("Same."),
  "commands/edited.md": "Note it.\n",
  "commands/old.md": "Old.\n",
  "skills/notes/SKILL.md": "---\nname: notes\ndescription: How to take notes\n---\n\nShort.\n",
};

const next = {
  ...files,
  "agents/merged.md": agent("One!", "Two.", "Three."),
  "agents/conflict.md": agent("Theirs."),
  "agents/deleted.md": agent("One!"),
  "agents/untouched.md": agent("One!"),
  "commands/new.md": "New.\n",
};

function notes(version: string, content: Readonly<Record<string, string>>): PackageToPublish {
  const { "commands/old.md": _, ...without } = content;
  return { name: "@org/notes", version, files: version === "1.0.0" ? content : without };
}

async function agentsOf(opencode: WatchedOpencode): Promise<Record<string, string>> {
  const { agent: agents = {} } = (await opencode.resolved()).config;
  return Object.fromEntries(
    Object.entries(agents).flatMap(([name, value]) => (value?.prompt ? [[name, value.prompt]] : [])),
  );
}

test("edits survive everything, and every file's outcome is reported", async () => {
  await using registry = await npmRegistry();
  registry.publish(notes("1.0.0", files));
  const own = { ".opencode/agents/mine.md": agent("Mine."), ".opencode/agents/same.md": files["agents/same.md"] };
  await using project = await tmpProject({ registry, files: own });
  await using opencode = watchedOpencode(project);

  const installed = await tryHugo(project, ["install", "@org/notes", "--yes"]);
  expect(installed.stdout).toContain("  Skipped:      agents/mine.md (already there and not managed by Hugo)\n");
  expect(installed.stdout).toContain("  Adopted:      agents/same.md\n");
  expect(await project.read(".opencode/agents/mine.md")).toBe(agent("Mine."));
  expect(await agentsOf(opencode)).toMatchObject({ merged: "One.\n\nTwo.\n\nThree.", mine: "Mine." });
  expect((await opencode.resolved()).skills.map(({ name }) => name)).toContain("notes");
  expect(await hugo(project, "status")).toMatch(/agents\/mine\.md +skipped/);

  await project.write(".opencode/agents/merged.md", agent("One.", "Two.", "Mine."));
  await project.write(".opencode/agents/conflict.md", agent("Mine."));
  await project.remove(".opencode/agents/deleted.md");
  await project.write(".opencode/commands/edited.md", "Note it for me.\n");

  await hugo(project, "disable", "notes");
  expect(Object.keys(await agentsOf(opencode))).toEqual(["mine"]);
  await hugo(project, "enable", "notes");
  expect(await project.read(".opencode/agents/merged.md")).toBe(agent("One.", "Two.", "Mine."));

  registry.publish(notes("1.1.0", next));
  const updated = await tryHugo(project, ["update"]);
  expect(updated.code).toBe(0);
  expect(updated.stdout.split("\n")).toEqual([
    "Updated notes: v1.0.0 → v1.1.0",
    "  Updated:      agents/untouched.md",
    "  Merged:       agents/merged.md (with your edits)",
    "  Conflict:     agents/conflict.md",
    "  Skipped:      agents/mine.md (already there and not managed by Hugo)",
    "  Added:        commands/new.md",
    "  Removed:      commands/old.md",
    "  Kept deleted: agents/deleted.md",
    "",
  ]);
  const agents = await agentsOf(opencode);
  expect(agents).toEqual({
    merged: "One!\n\nTwo.\n\nMine.",
    conflict: "Mine.",
    untouched: "One!",
    mine: "Mine.",
    same: "Same.",
  });

  const [take = ""] = /mv .*/.exec(updated.stderr) ?? [];
  expect((await project.run(["sh", "-c", take])).code).toBe(0);
  expect((await agentsOf(opencode)).conflict).toBe("Theirs.");

  const removed = await tryHugo(project, ["remove", "notes"]);
  expect(removed.stdout).toStartWith(
    'Removed workflow "notes". 2 files left in place (locally modified). 1 file left in place (already there).\n',
  );
  expect(await project.tree(".opencode")).toEqual(
    expect.arrayContaining(["agents/merged.md", "agents/mine.md", "agents/same.md", "commands/edited.md"]),
  );
  expect(Object.keys(await agentsOf(opencode)).sort()).toEqual(["merged", "mine", "same"]);
  expect(await project.exists(".opencode/skills/notes")).toBe(false);
}, 180_000);
