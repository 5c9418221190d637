import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { packageFolder } from "../../packages/package-folder.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";

/** The name of the template's workflow; behind these words that of its package is meant, which may have a scope. */
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
  const filled = [...template].map(([path, text]): [string, string] => [named(targetOf(path)), named(text)]);
  return new Map(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** npm leaves a `.gitignore` out of packages, so that the template's has another name. */
function targetOf(path: string): string {
  return path === "gitignore" ? ".gitignore" : path;
}
