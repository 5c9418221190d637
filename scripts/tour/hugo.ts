// Hugo installs a workflow, the user edits one of its files, and an update keeps the edit.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NpmRegistry } from "@atomic/testing/npm-registry";
import type { Project } from "@atomic/testing/project";
import { say, showFile } from "./output.ts";
import { run } from "./programs.ts";

const source = join(import.meta.dirname, "../../examples/commit-helper");
const files = [
  "agents/historian.md",
  "commands/commit-message.md",
  "hugo-workflow.json",
  "skills/commit-style/SKILL.md",
  "skills/commit-style/examples.md",
];
const command = ".opencode/commands/commit-message.md";

/** The author's sentence and the user's: after the update, the command has both. */
export const theirs = "If it does two things, suggest two commits.";
export const yours = "Name the issue that it closes.";

export async function hugoPart(project: Project, registry: NpmRegistry): Promise<void> {
  publish(registry, "1.0.0", (text) => text);
  await run(project, "hugo", "install", "@example/commit-helper", "--yes");

  say("The files are yours now. Add a sentence at the end of a command:");
  await project.write(command, `${await project.read(command)}\n${yours}\n`);
  await run(project, "hugo", "diff");

  say("Meanwhile, the author releases 1.1.0 with another sentence in the same file.");
  publish(registry, "1.1.0", (text) => text.replace("commit-style:", `commit-style.\n${theirs}`));
  await run(project, "hugo", "update", "--yes");
  const merged = await project.read(command);
  if (!merged.includes(theirs) || !merged.includes(yours)) throw new Error(`The update lost a sentence:\n${merged}`);
  showFile(`${command}: theirs and yours`, merged);
}

function publish(registry: NpmRegistry, version: string, change: (text: string) => string): void {
  const manifest = { ...JSON.parse(readFileSync(join(source, "package.json"), "utf8")), version };
  const texts = files.map((file): [string, string] => {
    const text = readFileSync(join(source, file), "utf8");
    return [file, file.startsWith("commands/") ? change(text) : text];
  });
  // Hugo waits a day before it installs a new release.
  const time = version === "1.0.0" ? "2026-01-01T00:00:00.000Z" : "2026-01-02T00:00:00.000Z";
  registry.publish({ ...manifest, manifest, files: Object.fromEntries(texts), time });
}
