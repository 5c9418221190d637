import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { verify } from "../../src/commands/verify.ts";
import { copy, hugoIn, refusalOf } from "./hugo-project.ts";

setDefaultTimeout(180_000);

const claude = (model: string): string =>
  `---\nname: x\ndescription: Helps\ntools: Read\nmodel: ${model}\n---\n\nHelps.\n`;
const files = {
  ".claude-plugin/plugin.json": '{ "name": "notes" }',
  "agents/thinker.md": claude("opus").replace("name: x", "name: thinker"),
  "agents/writer.md": claude("sonnet").replace("name: x", "name: writer"),
  "commands/note.md": "---\ndescription: Notes\nmodel: claude-haiku-4-5\n---\nNote it.\n",
};

test("Claude's models become those of the settings, in clones too", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  const user = { models: { opus: "anthropic/claude-opus-4-5", haiku: "local/small" } };
  await project.write("~/.config/opencode/hugo-settings.json", user);
  await project.write(".opencode/hugo-settings.json", { models: { opus: "openrouter/openai/gpt-5" } });
  await hugo.install("@org/notes");
  // The project's win; a name that nothing maps uses the session's model.
  expect(await project.read(".opencode/agents/thinker.md")).toContain('model: "openrouter/openai/gpt-5"');
  expect(await project.read(".opencode/agents/writer.md")).not.toContain("model:");
  expect(await project.read(".opencode/commands/note.md")).toContain("model: local/small");
  const { workflows } = JSON.parse(await project.read(".opencode/hugo.json"));
  expect(workflows.notes.models).toEqual({ haiku: "local/small", opus: "openrouter/openai/gpt-5" });

  expect((await hugo.update()).notices).toEqual([]);
  await project.write(".opencode/hugo-settings.json", { models: { opus: "local/large", sonnet: "local/middle" } });
  const stale = "notes does not use your current model settings yet. To apply them: `hugo install --force @org/notes`";
  expect((await hugo.update()).notices).toEqual([stale]);
  await project.write(".opencode/hugo-settings.json", { models: { opus: "openrouter/openai/gpt-5" } });

  // A teammate has no settings, or others.
  await project.remove(".opencode/.hugo");
  await project.remove(".opencode/hugo-settings.json");
  await project.remove("~/.config/opencode/hugo-settings.json");
  const before = await project.read(".opencode/agents/thinker.md");
  await project.remove(".opencode/agents/thinker.md");
  await hugo.ci();
  expect(await project.read(".opencode/agents/thinker.md")).toBe(before);
  const verified = await verify.run(hugo.context, { global: false, dryRun: false, yes: false, name: undefined });
  expect(verify.report.exitCode(verified)).toBe(0);
});

test.each([
  ['{ "models": { "opus": "gpt 5" } }', ":1:23: ", "provider/model"],
  ['{\n  "model": {}\n}', ":2:12: ", "model"],
  ['{ "models": { "opus": ', ":1:", ""],
])("settings that Hugo cannot use are refused with their place: %s", async (text, place, problem) => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry });
  await project.write(".opencode/hugo-settings.json", text);
  const error = await refusalOf(hugoIn(project).install("@org/notes"));
  expect([error.code, error.exitCode]).toEqual(["config-invalid", 3]);
  expect(error.message).toContain(`hugo-settings.json${place}`);
  expect(error.message).toContain(problem);
  expect(await project.exists(".opencode/hugo.json")).toBe(false);
});

test("settings that are a link out of the project show nothing of the file there", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry, files: { "../elsewhere/notes.txt": "secret stuff" } });
  await mkdir(project.path(".opencode"));
  await symlink(project.path("../elsewhere/notes.txt"), project.path(".opencode/hugo-settings.json"));
  const error = await refusalOf(hugoIn(project).install("@org/notes"));
  expect(error.message).toContain("hugo-settings.json is a link that points outside the project");
  expect(error.message).toEndWith(", which does not contain valid settings");
  expect(JSON.stringify([error.message, error.hint, error.parts])).not.toContain("secret");
});
