/** The jobs of `load.mjs` beside the package as it is published, and beside those that it is compared with. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's own `atomic`, which `npm run bench` builds first. */
export const commandPath: string = fileURLToPath(new URL("../../packages/atomic/bin/atomic.js", import.meta.url));

const repository = fileURLToPath(new URL("../..", import.meta.url));
const others = ["gray-matter", "js-yaml", "yaml"];

/** Written once, beside the projects. */
export function writeProgram(folder: string): void {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const packages = join(unfinished, "node_modules");
  mkdirSync(join(packages, "@atomic"), { recursive: true });
  const build = ["node", join(repository, "scripts/build.mjs"), "@atomic/workflows"];
  const { exitCode, stderr } = Bun.spawnSync([...build, `--to=${join(packages, "@atomic/workflows")}`]);
  if (exitCode !== 0) throw new Error(`@atomic/workflows cannot be bundled:\n${stderr}`);
  for (const name of others) symlinkSync(join(repository, "node_modules", name), join(packages, name));
  copyFileSync(fileURLToPath(import.meta.resolve("./load.mjs")), join(unfinished, "load.mjs"));
  renameSync(unfinished, folder);
}
