// The package that the first design draws, brought to where it draws it.
import { expect, test } from "bun:test";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { install as installCommand } from "../../src/commands/install.ts";
import { list } from "../../src/commands/list.ts";
import { remove } from "../../src/commands/remove.ts";
import { update as updateCommand } from "../../src/commands/update.ts";
import { agent, hugoIn, refusalOf } from "../commands/hugo-project.ts";
import { contents } from "../commands/workspace.ts";

const plain = { colour: false } as const;
const skill = (name: string) => `---\nname: ${name}\ndescription: Looks at code\n---\n\nLook.\n`;

function codeReview(version: string): PackageToPublish {
  return {
    name: "@some-org/code-review-workflow",
    version,
    files: {
      "hugo-workflow.json": JSON.stringify({
        name: "code-review",
        description: "Structured multi-pass code review workflow",
        agents: [{ path: "agents/orchestrator.md" }, { path: "agents/reviewer.md" }],
        skills: [{ path: "skills/git-diff" }, { path: "skills/code-analysis" }],
        commands: [{ path: "commands/review-pr.md" }, { path: "commands/check-coverage.md" }],
      }),
      "agents/orchestrator.md": agent("Leads."),
      "agents/reviewer.md": agent("Reviews."),
      "skills/git-diff/SKILL.md": skill("git-diff"),
      "skills/git-diff/scripts/get-diff.sh": "#!/bin/sh\ngit diff\n",
      "skills/code-analysis/SKILL.md": skill("code-analysis"),
      "commands/review-pr.md": "Review it.\n",
      "commands/check-coverage.md": "Check it.\n",
      "README.md": "Not listed, so not copied.\n",
    },
  };
}

/** What OpenCode itself keeps in the folder. */
const opencodes = {
  ".opencode/package.json": '{ "dependencies": { "@opencode-ai/plugin": "1.18.33" } }\n',
  ".opencode/bun.lock": "{}\n",
  ".opencode/node_modules/@opencode-ai/plugin/package.json": '{ "name": "@opencode-ai/plugin" }\n',
};

test("its files are written to OpenCode's folders, and OpenCode's own files there are unchanged", async () => {
  await using registry = await npmRegistry();
  registry.publish(codeReview("1.0.0"));
  await using project = await tmpProject({ registry, files: opencodes });
  const hugo = hugoIn(project);
  const result = await hugo.install("@some-org/code-review-workflow");
  expect(installCommand.report.text(result, plain)).toStartWith(
    'Installed workflow "code-review-workflow" v1.0.0 (2 agents, 2 skills, 2 commands)\n',
  );
  const copied = Object.entries(codeReview("1.0.0").files ?? {}).filter(([path]) => /^(agents|skills|comm)/.test(path));
  for (const [path, text] of copied) expect(await project.read(`.opencode/${path}`)).toBe(text as string);
  expect(await project.exists(".opencode/README.md")).toBe(false);
  expect(await project.exists("opencode.json")).toBe(false);
  for (const [path, text] of Object.entries(opencodes)) expect(await project.read(path)).toBe(text);

  const listed = await list.run(hugo.context, { global: false, dryRun: false, yes: false, name: undefined });
  expect(list.report.text(listed, plain)).toMatch(
    /code-review-workflow +v1\.0\.0 +enabled +@some-org\/code-review-workflow +\(2 agents, 2 skills, 2 commands\) +copy/,
  );

  registry.publish(codeReview("1.1.0"));
  expect(updateCommand.report.text(await hugo.update(), plain)).toBe("Updated code-review-workflow: v1.0.0 → v1.1.0\n");
  await remove.run(hugo.context, { global: false, dryRun: false, yes: false, name: ["code-review-workflow"] });
  for (const [path, text] of Object.entries(opencodes)) expect(await project.read(path)).toBe(text);
  expect(Object.keys(await contents(project)).sort()).toEqual([".opencode/bun.lock", ".opencode/package.json"]);
});

test("a second workflow with a skill of the same name is refused, naming the first", async () => {
  await using registry = await npmRegistry();
  const other = { name: "other-workflow", version: "1.0.0", files: { "skills/git-diff/SKILL.md": skill("git-diff") } };
  const different = `${skill("git-diff")}And look again.\n`;
  registry.publish(other, { ...other, name: "second", files: { "skills/git-diff/SKILL.md": different } });
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("other-workflow");
  const before = await contents(project);
  const { message, hint } = await refusalOf(hugo.install("second"));
  expect(message).toBe('.opencode/skills/git-diff/SKILL.md already exists from workflow "other-workflow"');
  expect(hint).toContain("hugo remove other-workflow");
  expect(await contents(project)).toEqual(before);
});

const wrong: readonly [step: string, spec: string, code: string][] = [
  ["it is fetched", "@org/missing", "package-not-found"],
  ["its manifest is read", "@org/broken", "manifest-invalid"],
  ["it turns out to be no workflow", "@org/empty", "no-workflow"],
  ["a file of it cannot be read by OpenCode", "@org/unreadable", "content-invalid"],
];

test.each(wrong)("an installation that fails when %s leaves nothing behind", async (_, spec, code) => {
  await using registry = await npmRegistry();
  registry.publish(
    { name: "@org/broken", version: "1.0.0", files: { "workflow.json": '{ "agents": ["", ""] }' } },
    { name: "@org/empty", version: "1.0.0", files: { "README.md": "Nothing." } },
    { name: "@org/unreadable", version: "1.0.0", files: { "agents/a.md": "---\ndescription: [\n---\n" } },
  );
  await using project = await tmpProject({ registry, files: { ...opencodes, "opencode.json": '{ "theme": "x" }\n' } });
  const [before, texts] = [await project.tree(), await contents(project)];
  const error = await refusalOf(hugoIn(project).install(spec));
  expect(error.code).toBe(code as typeof error.code);
  expect(error.hint).not.toBe("");
  expect(await project.tree()).toEqual(before);
  expect(await contents(project)).toEqual(texts);
});
