import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export const packageDir: string = dirname(dirname(import.meta.dirname));

/** The files that the package brings, by the path that a project would have them under. */
export async function publishedFiles(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const folder of ["agents", "commands", "skills"]) {
    for (const path of await readdir(join(packageDir, folder), { recursive: true })) {
      if (!path.endsWith(".md")) continue;
      found[`.opencode/${folder}/${path}`] = await readFile(join(packageDir, folder, path), "utf8");
    }
  }
  return found;
}
