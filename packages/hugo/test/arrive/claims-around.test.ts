import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { claimsAround, collisionsOf } from "../../src/arrive/claims-around.ts";
import { placeFor } from "../../src/place.ts";
import { readSnapshot } from "../../src/workspace/read-snapshot.ts";
import { copiedWorkflow, install, pluginWorkflow } from "../operations/workspace.ts";
import { agent, copyPackage, pluginPackage } from "./packages.ts";

const skill = "---\nname: diff\ndescription: d\n---\n";

test("everything that OpenCode reads has a say, and each is named as the user knows it", async () => {
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
  const told = claimsAround(snapshot).flatMap(({ type, name, by }) => {
    if (by.kind === "file") return [`${type} ${name}: ${by.scope} ${by.path}`];
    return by.kind === "config" ? [`${type} ${name}: ${by.file}`] : [];
  });
  expect(told.sort()).toEqual(
    [
      "agent one: project agent/one.md",
      "agent deep/two: project agents/deep/two.md",
      "agent three: project mode/three.md",
      "command four: project command/four.md",
      "skill five: project skills/five/SKILL.md",
      "agent six: global ~/.config/opencode/agents/six.md",
      "command seven: home ~/.opencode/commands/seven.md",
      "skill eight: home ~/.claude/skills/eight/SKILL.md",
      "skill nine: home .agents/skills/nine/SKILL.md",
      "agent ten: opencode.json",
      "command eleven: opencode.json",
      "agent twelve: ~/.config/opencode/opencode.jsonc",
    ].sort(),
  );
});

test("workflows have a say while they are enabled, and their files are no strangers", async () => {
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
  const claims = claimsAround(snapshot).filter(({ by }) => by.kind === "workflow" || by.kind === "file");
  expect(claims.map(({ name, by }) => [name, by.kind === "workflow" ? by.workflow : by.kind])).toEqual([
    ["copied", "files"],
    ["seener", "seen"],
  ]);
});

test("a file in the very place of a copied one is no collision, since it is dealt with as a file", async () => {
  await using project = await tmpProject({
    files: { ".opencode/agents/reviewer.md": "mine", ".opencode/agent/reviewer.md": "mine too" },
  });
  const snapshot = await readSnapshot(
    placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false }),
  );
  const copied = collisionsOf(snapshot, copyPackage("1.0.0", { "agents/reviewer.md": agent("x") }));
  expect(copied.map(({ message }) => message)).toEqual([
    'Agent "reviewer" is also in .opencode/agent/reviewer.md. OpenCode has no order for them: chance decides at each start. Rename or remove one.',
  ]);
  expect(collisionsOf(snapshot, pluginPackage("1.0.0")).length).toBe(2);
});

test("a plugin made with defineWorkflow leaves the user's own alone, and that is said", async () => {
  await using project = await tmpProject({ files: { ".opencode/agents/reviewer.md": "mine" } });
  const snapshot = await readSnapshot(
    placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false }),
  );
  const entry =
    'import { defineWorkflow } from "@atomic/workflows/plugin";\nexport default defineWorkflow({ id: "review", root: "." });\n';
  const [collision] = collisionsOf(snapshot, pluginPackage("1.0.0", { "index.js": entry }));
  expect(collision?.winner).toBe("other");
});
