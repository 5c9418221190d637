import { expect, test } from "bun:test";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { collisionsOf, existingClaims } from "../../src/trust/existing-claims.ts";
import { placeFor } from "../../src/workspace/place.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { copiedWorkflow, install, pluginWorkflow, store } from "../commands/workspace.ts";
import { agent, copyPackage, pluginPackage } from "../delivery/candidates.ts";

const skill = "---\nname: diff\ndescription: d\n---\n";

test("everything that OpenCode reads counts, and each is named as the user knows it", async () => {
  await using project = await tmpProject({
    files: {
      ".opencode/agent/one.md": "",
      ".opencode/agents/deep/two.md": "",
      ".opencode/mode/three.md": "",
      ".opencode/command/four.md": "",
      ".opencode/skills/five/SKILL.md": skill,
      "~/.config/opencode/agents/six.md": "",
      "~/.opencode/commands/seven.md": "",
      "~/.claude/skills/eight/SKILL.md": skill,
      "~/.claude/agents/not-read.md": "",
      ".agents/skills/nine/SKILL.md": skill,
      "opencode.json": { agent: { ten: {} }, command: { eleven: { template: "" } } },
      "~/.config/opencode/opencode.jsonc": '{ "agent": { "twelve": {} } } // mine',
    },
  });
  const snapshot = await readSnapshot(
    placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false }),
  );
  const claims = existingClaims(snapshot).flatMap(({ type, name, by }) => {
    if (by.kind === "file") return [`${type} ${name}: ${by.read}, ${by.path}`];
    return by.kind === "config" ? [`${type} ${name}: ${by.file}`] : [];
  });
  expect(claims.sort()).toEqual(
    [
      "agent one: in any order, .opencode/agent/one.md",
      "agent deep/two: in any order, .opencode/agents/deep/two.md",
      "agent three: in any order, .opencode/mode/three.md",
      "command four: in any order, .opencode/command/four.md",
      "skill five: in any order, .opencode/skills/five/SKILL.md",
      "agent six: earlier, ~/.config/opencode/agents/six.md",
      "command seven: later, ~/.opencode/commands/seven.md",
      "skill eight: later, ~/.claude/skills/eight/SKILL.md",
      "skill nine: later, .agents/skills/nine/SKILL.md",
      "agent ten: opencode.json",
      "command eleven: opencode.json",
      "agent twelve: ~/.config/opencode/opencode.jsonc",
    ].sort(),
  );
});

test("files in the user's own OpenCode have no order, and a project's come later", async () => {
  await using project = await tmpProject({
    files: {
      "~/.config/opencode/agent/reviewer.md": "mine",
      "~/.config/opencode/agents/reviewer.md": "in the very place",
      "~/.config/opencode/opencode.json": { agent: { reviewer: {} } },
      "~/.opencode/agents/reviewer.md": "",
      ".opencode/agents/reviewer.md": "",
    },
  });
  const world = { cwd: project.dir, home: project.home, env: project.env };
  const snapshot = await readSnapshot(placeFor(world, { global: true }));
  const found = collisionsOf(snapshot, copyPackage("1.0.0", { "agents/reviewer.md": agent("x") }));
  expect(found.map(({ meeting, winner }) => `${meeting} ${winner}`)).toEqual([
    'Agent "reviewer" is also in .opencode/agents/reviewer.md. other'.replace(
      ".opencode",
      join(project.dir, ".opencode"),
    ),
    'Agent "reviewer" is also in ~/.config/opencode/agent/reviewer.md. chance',
    'Agent "reviewer" is also in ~/.opencode/agents/reviewer.md. other',
    'Agent "reviewer" is defined in ~/.config/opencode/opencode.json. both',
  ]);
});

test("in a project within another the outer one's files are read later, and inner ones earlier", async () => {
  await using project = await tmpProject({
    files: {
      ".opencode/agents/reviewer.md": "",
      "a/.opencode/hugo.json": '{ "version": 1, "workflows": {} }',
      "a/b/.opencode/agents/reviewer.md": "",
    },
  });
  const world = { cwd: join(project.dir, "a/b"), home: project.home, env: project.env };
  const snapshot = await readSnapshot(placeFor(world, { global: false }));
  const found = collisionsOf(snapshot, copyPackage("1.0.0", { "agents/reviewer.md": agent("x") }));
  expect(found.map(({ with: by, winner }) => [by.kind === "file" && by.read, winner])).toEqual([
    ["later", "other"],
    ["earlier", "both"],
  ]);
});

test("an installed plugin that leaves others' alone is known by its code in the store", async () => {
  await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/polite", "@org/rude"] } } });
  const packageOf = (name: string, entry: string) => ({
    "package.json": JSON.stringify({ name: `@org/${name}`, version: "1.0.0", main: "index.js" }),
    "index.js": entry,
  });
  const polite = packageOf("polite", 'export default defineWorkflow({ id: "polite" });\n');
  const rude = packageOf("rude", "export default async () => ({});\n");
  await install(project, {
    polite: pluginWorkflow("polite", { agents: ["a"], tree: await store(project, "polite", "@org/polite", polite) }),
    rude: pluginWorkflow("rude", { agents: ["b"], tree: await store(project, "rude", "@org/rude", rude) }),
    lost: pluginWorkflow("lost", { agents: ["c"] }),
  });
  const world = { cwd: project.dir, home: project.home, env: project.env };
  const snapshot = await readSnapshot(placeFor(world, { global: false }));
  const files = { "agents/a.md": agent("x"), "agents/b.md": agent("x") };
  const found = collisionsOf(snapshot, copyPackage("1.0.0", files));
  expect(found.map(({ name, winner }) => `${name} ${winner}`)).toEqual(["a newcomer", "b plugin-decides"]);
});

test("workflows count while they are enabled, and their files belong to them", async () => {
  await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/seen"] } } });
  const files = { "agents/copied.md": agent("x") };
  const workflows = {
    seen: pluginWorkflow("seen"),
    unseen: pluginWorkflow("unseen"),
    files: copiedWorkflow("files", files),
  };
  await install(project, workflows, files);
  const snapshot = await readSnapshot(
    placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false }),
  );
  const claims = existingClaims(snapshot).filter(({ by }) => by.kind === "workflow" || by.kind === "file");
  expect(claims.map(({ name, by }) => [name, by.kind === "workflow" ? by.workflow : by.kind])).toEqual([
    ["copied", "files"],
    ["seener", "seen"],
  ]);
});

test("a file in the place of a copied one is not a collision, because it is handled as a file", async () => {
  await using project = await tmpProject({
    files: { ".opencode/agents/reviewer.md": "mine", ".opencode/agent/reviewer.md": "mine too" },
  });
  const snapshot = await readSnapshot(
    placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false }),
  );
  const copied = collisionsOf(snapshot, copyPackage("1.0.0", { "agents/reviewer.md": agent("x") }));
  expect(copied.map(({ message }) => message)).toEqual([
    'Agent "reviewer" is also in .opencode/agent/reviewer.md. OpenCode loads them in no fixed order, so the winner can change on each start. Rename or remove one.',
  ]);
  expect(collisionsOf(snapshot, pluginPackage("1.0.0")).length).toBe(2);
});

test("a plugin made with defineWorkflow keeps the user's own, and that is reported", async () => {
  await using project = await tmpProject({ files: { ".opencode/agents/reviewer.md": "mine" } });
  const snapshot = await readSnapshot(
    placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false }),
  );
  const entry =
    'import { defineWorkflow } from "@atomic/workflows/plugin";\nexport default defineWorkflow({ id: "review", root: "." });\n';
  const [collision] = collisionsOf(snapshot, pluginPackage("1.0.0", { "index.js": entry }));
  expect(collision?.winner).toBe("other");
});
