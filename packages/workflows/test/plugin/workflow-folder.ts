import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";

export const repository: string = join(import.meta.dirname, "../../../..");

/** The entry of a workflow package, as its author writes it. */
export function entry(id: string, more = ""): string {
  return `import { defineWorkflow } from "@atomic/workflows/plugin";
export default defineWorkflow({ id: ${JSON.stringify(id)}, root: new URL("..", import.meta.url)${more} });
`;
}

type Files = Readonly<Record<string, FileContent>>;

/** The same files somewhere else. */
export function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

/** Markdown with frontmatter; JSON is YAML. */
export function markdown(frontmatter: object, body = ""): string {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join("")}---\n${body}`;
}

/** A project with a workflow folder beside it, for tests that need no OpenCode. */
export async function workflowFolder(files: Files): Promise<Project> {
  return await tmpProject({ git: false, files });
}

/** Lets a folder import our packages as they are, without an install. */
export function linkPackages(project: Project, folder: string): void {
  const link = project.path(`${folder}/node_modules/@atomic`);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(repository, "node_modules/@atomic"), link);
}
