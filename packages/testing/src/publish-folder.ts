import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NpmRegistry } from "./npm-registry.ts";
import type { Project } from "./project.ts";

/** Packs a folder with the real npm and publishes exactly those bytes. Returns the files in the package, sorted. */
export async function publishFolder(registry: NpmRegistry, project: Project, folder: string): Promise<string[]> {
  const argv = ["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", project.home];
  const packed = await project.run(argv, { cwd: folder });
  if (packed.code !== 0) throw new Error(`npm cannot pack ${folder}:\n${packed.stderr}`);
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  registry.publishTarball({ ...manifest, manifest, tarball: readFileSync(join(project.home, filename)) });
  return files.map(({ path }) => path).sort();
}
