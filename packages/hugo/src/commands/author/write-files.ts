import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { HugoError } from "../../errors.ts";
import type { WorkflowContent } from "../../packages/manifest/content.ts";
import { packageFolder } from "../../packages/package-folder.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";

/** Marks a package that is being written, so an interrupted run can be repeated. */
const STATE = ".hugo-author";

/** An empty repository and leftovers of an earlier attempt do not count. */
const NOT_CONTENT: ReadonlySet<string> = new Set([".git", STATE]);

/** Writes files into a new or empty folder: all of them, or none. */
export async function writeNew(folder: string, files: NewFiles): Promise<void> {
  const state = join(folder, STATE);
  await recover(state);
  const isFinished = existsSync(state) && holdsExactly(folder, files);
  if (!isFinished) {
    refuseUnlessEmpty(folder);
    const changes = [...files].map(
      ([path, content]) => ({ path: join(folder, path), content, expect: "absent" }) as const,
    );
    await transaction(state, changes, { purpose: "hugo init" });
  }
  rmSync(state, { recursive: true, force: true });
}

/** Replaces a package's file, unless it has this text already. */
export async function writeIfChanged(folder: string, path: string, text: string): Promise<"written" | "unchanged"> {
  const state = join(folder, STATE);
  await recover(state);
  const file = join(folder, path);
  const { hash, text: present } = readTextForEdit(file);
  const isSame = hash !== "absent" && present === text;
  if (!isSame) await transaction(state, [{ path: file, content: text, expect: hash }], { purpose: "hugo build" });
  rmSync(state, { recursive: true, force: true });
  return isSame ? "unchanged" : "written";
}

/** Refuses a folder that contains a file at any depth, and anything that is not a folder. */
export function refuseUnlessEmpty(folder: string): void {
  const found = firstFile(folder, "");
  if (found === undefined) return;
  throw new HugoError("folder-not-empty", {
    message: `${folder} is not empty: it contains ${found}`,
    at: folder,
    hint: "Choose a new or empty folder, such as `hugo init my-workflow`. Nothing was changed.",
  });
}

function firstFile(root: string, folder: string): string | undefined {
  const at = join(root, folder);
  const stats = statSync(at, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) {
    throw new HugoError("folder-not-empty", {
      message: `${at} is a file`,
      at,
      hint: "Choose a new or empty folder. Nothing was changed.",
    });
  }
  for (const entry of stats === undefined ? [] : readdirSync(at, { withFileTypes: true })) {
    if (folder === "" && NOT_CONTENT.has(entry.name)) continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const found = entry.isDirectory() ? firstFile(root, path) : path;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether all these files are there with exactly this text. */
export function holdsExactly(folder: string, files: NewFiles): boolean {
  return [...files].every(([path, text]) => {
    const isThere = statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true;
    return isThere && readFileSync(join(folder, path), "utf8") === text;
  });
}

/** The template's workflow name; after these words it is the package's name, which may have a scope. */
const NAME = /("name": "|hugo install )?my-workflow/g;

/** The files of a new workflow by path, sorted. */
export type NewFiles = ReadonlyMap<string, string>;

export function readTemplate(): NewFiles {
  const folder = join(packageFolder(), "templates", "workflow");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) =>
    join(file.parentPath, file.name)
      .slice(folder.length + 1)
      .split(sep)
      .join("/"),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Gives the workflow its own name. */
export function fillTemplate(template: NewFiles, packageName: string): NewFiles {
  const name = workflowNameOf(packageName);
  const named = (text: string): string =>
    text.replace(NAME, (_, lead?: string) => (lead === undefined ? name : lead + packageName));
  // npm leaves `.gitignore` out of packages, so the template's has a different name.
  const filled = [...template].map(([path, text]): [string, string] => [
    named(path === "gitignore" ? ".gitignore" : path),
    named(text),
  ]);
  return new Map(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const WIDTH = 120;

/** The text of workflow.json: the same content always gives the same bytes. */
export function printManifest({ agents, commands, skills, workflows = [] }: WorkflowContent): string {
  const all = { agents, commands, skills, ...(workflows.length > 0 && { workflows }) };
  const lists = Object.entries(all).map(([key, list]) => {
    const names = list.map(({ name }) => JSON.stringify(name)).sort();
    const line = `  "${key}": [${names.join(", ")}]`;
    return line.length < WIDTH ? line : `  "${key}": [\n${names.map((name) => `    ${name}`).join(",\n")}\n  ]`;
  });
  return `{\n${lists.join(",\n")}\n}\n`;
}
