import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * OpenCode treats each of its config folders as an npm project: before it loads a plugin it installs `@opencode-ai/plugin`
 * there, unless the lock file names that package and `node_modules` exists. Offline, that install takes over a minute.
 */
export async function skipPluginInstall(configDir: string): Promise<void> {
  await mkdir(join(configDir, "node_modules"), { recursive: true });
  let declared: Record<string, string> | undefined;
  try {
    const manifest = JSON.parse(await readFile(join(configDir, "package.json"), "utf8"));
    declared = (manifest as { dependencies?: Record<string, string> }).dependencies;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const dependencies = { ...declared, "@opencode-ai/plugin": "*" };
  const lock = { lockfileVersion: 3, packages: { "": { dependencies } } };
  await writeFile(join(configDir, "package-lock.json"), `${JSON.stringify(lock)}\n`);
}
