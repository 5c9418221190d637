/** Projects full of entity files, written once a run and shared by all contestants: 100,000 files take a while. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writeProgram } from "./program.ts";
import { type Kind, sampleFile } from "./sample-file.ts";

/** Child processes inherit it, and the process that sets it removes the folder. */
const variable = "ENTITIES_BENCH_FOLDER";

export const isQuick: boolean = process.argv.includes("--quick") || process.env.ENTITIES_BENCH_QUICK === "1";

/** Call it when a bench is loaded: it is cheap, because nothing is written before a project is requested. */
export function shareFixtures(): void {
  if (isQuick) process.env.ENTITIES_BENCH_QUICK = "1";
  if (process.env[variable] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "atomic-bench-entities-"));
  process.env[variable] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** The path of a project with that many entities. Written once; the files are in the system's cache from then on. */
export function projectWith(count: number): string {
  const project = pathOf(count);
  if (existsSync(project)) return project;
  const unfinished = `${project}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  for (let index = 0; index < count; index += 1) writeSample(unfinished, index);
  mkdirSync(homeBeside(project), { recursive: true });
  renameSync(unfinished, project);
  return project;
}

/** An empty home folder, so none of the user's files are measured. `load.mjs` knows where it is. */
export function homeBeside(project: string): string {
  return join(dirname(project), "home");
}

/** Where it is or will be, without writing anything. */
export function pathOf(count: number): string {
  return join(sharedFolder(), String(count));
}

/** Where the program is or will be that does the jobs. */
export function scriptPath(): string {
  return join(sharedFolder(), "program", "load.mjs");
}

/** Makes sure that the program is there. */
export function writeScript(): void {
  writeProgram(dirname(scriptPath()));
}

function sharedFolder(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error("shareFixtures() comes first.");
  return folder;
}

const kinds: readonly Kind[] = ["claude-command", "claude-agent", "claude-skill", "opencode-command"];
const folders: Readonly<Record<Kind, string>> = {
  "claude-command": ".claude/commands",
  "claude-agent": ".claude/agents",
  "claude-skill": ".claude/skills",
  "opencode-command": ".opencode/commands",
};

/** A quarter of each kind. No folder has more than a few hundred files in it, and no place more than 100,000 entries. */
function writeSample(project: string, index: number): void {
  const kind = kinds[index % kinds.length]!;
  const group = `group-${Math.floor(index / 1000)}`;
  const file = kind === "claude-skill" ? `skill-${index}/SKILL.md` : `${kind}-${index}.md`;
  const path = join(project, folders[kind], group, file);
  if (index % 1000 < kinds.length || kind === "claude-skill") mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, sampleFile(kind, index));
}
