// A project before and after the installation of a workflow, and the changes that lead from one to the other.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Change } from "../../src/transaction/plan-entries.ts";

type Files = Readonly<Record<string, string>>;

const config = (plugins: string): string => `{\n  // mine\n  "plugin": [${plugins}]\n}\n`;

export const before: Files = {
  "opencode.json": config(`"other@1.0.0"`),
  ".opencode/commands/review.md": "an older, and that is to say a longer, text\n",
  ".opencode/agents/legacy/old.md": "goes away\n",
};

export const after: Files = {
  "opencode.json": config(`"other@1.0.0", "review@1.0.0"`),
  ".opencode/commands/review.md": "new text\n",
  ".opencode/skills/review/SKILL.md": "a skill\n".repeat(2000),
};

export const stateDir = (project: string): string => join(project, ".opencode/.hugo");
export const pruneUpTo = (project: string): string => join(project, ".opencode");

export function installChanges(project: string): Change[] {
  const writes = Object.entries(after).map(([path, content]) => ({ path: join(project, path), content }));
  const removals = Object.keys(before).filter((path) => !(path in after));
  return [...writes, ...removals.map((path) => ({ path: join(project, path), delete: true as const }))];
}

export function writeProject(project: string, files: Files): void {
  fs.rmSync(project, { recursive: true, force: true });
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(project, path)), { recursive: true });
    fs.writeFileSync(join(project, path), content);
  }
}

/** Everything in the project but the lock, folders with a slash at the end. */
export function readProject(project: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(project, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(project.length + 1);
    if (path.startsWith(".opencode/.hugo/lock/")) continue;
    if (entry.isFile()) found[path] = fs.readFileSync(join(project, path), "utf8");
    else found[`${path}/`] = "";
  }
  return found;
}

/** The same for a project that consists of exactly these files and the state folder. */
export function expectedProject(files: Files): Record<string, string> {
  const found: Record<string, string> = { ...files };
  for (const path of [...Object.keys(files), ".opencode/.hugo/lock/x"]) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) found[`${folder}/`] = "";
  }
  return found;
}
