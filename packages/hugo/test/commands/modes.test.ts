import { describe, expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { update } from "../../src/commands/update.ts";
import { hugoIn } from "./hugo-project.ts";

const script = ".opencode/skills/lint/run.sh";
const skill = "---\nname: lint\ndescription: Lints\n---\nRun it.\n";
const [first, second] = ["one\ntwo\nthree\nfour\n", "one\ntwo\nthree\nFOUR\n"];

/** A skill with a script, installed from a folder. */
async function installed(mode: number) {
  const files = { "pkg/package.json": '{ "name": "lint", "version": "1.0.0" }', "pkg/skills/lint/SKILL.md": skill };
  const project = await tmpProject({ files });
  await release(project, first, mode);
  const hugo = hugoIn(project);
  await hugo.install("./pkg");
  return { project, hugo };
}

async function release(project: Project, text: string, mode: number): Promise<void> {
  await project.write("pkg/skills/lint/run.sh", text);
  chmodSync(project.path("pkg/skills/lint/run.sh"), mode);
}

const modeOf = (project: Project, path: string) => (statSync(project.path(path)).mode & 0o777).toString(8);

describe("the mode of a copied file after an update", () => {
  const edited = first.replace("one", "ONE");
  test.each<[what: string, given: number, mine: number | undefined, now: string, next: [string, number], mode: string]>(
    [
      ["the user's, merged", 0o644, 0o755, edited, [second, 0o644], "755"],
      ["the user's, merged, to the bit", 0o644, 0o744, edited, [second, 0o644], "744"],
      ["the user's, where the package has it differently", 0o755, 0o600, edited, [second, 0o755], "600"],
      ["the user's, of a file without edits", 0o644, 0o700, first, [second, 0o644], "700"],
      ["the package's if only that changed, merged", 0o644, undefined, edited, [second, 0o755], "755"],
      ["the package's if only that changed, without edits", 0o755, undefined, first, [second, 0o644], "644"],
      ["the package's if it changed nothing else", 0o644, undefined, first, [first, 0o755], "755"],
      ["private still if the package made it a program", 0o644, 0o600, edited, [second, 0o755], "700"],
    ],
  )("is %s", async (_, given, mine, now, [text, next], mode) => {
    const { project, hugo } = await installed(given);
    await using _project = project;
    await project.write(script, now);
    if (mine !== undefined) chmodSync(project.path(script), mine);
    await release(project, text, next);
    const common = {
      global: false,
      dryRun: false,
      yes: true,
      allowNew: false,
      skipModified: false,
      exitCode: false,
      details: false,
    };
    await update.run(hugo.context, { ...common, name: ["lint"] });
    expect(await project.read(script)).toBe(text.replace("one", now.slice(0, 3)));
    expect(modeOf(project, script)).toBe(mode);
  });
});

test.each([0o600, 0o744, 0o640])("disabling and enabling keeps a mode of %o", async (mode) => {
  const { project, hugo } = await installed(0o644);
  await using _project = project;
  chmodSync(project.path(script), mode);
  const input = { global: false, dryRun: false, yes: false, name: ["lint"], all: false };
  await disable.run(hugo.context, input);
  expect(modeOf(project, ".opencode/hugo-disabled/lint/skills/lint/run.sh")).toBe(mode.toString(8));
  await enable.run(hugo.context, input);
  expect(modeOf(project, script)).toBe(mode.toString(8));
});
