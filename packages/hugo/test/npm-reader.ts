// npm's own reader of tarballs, the one inside OpenCode.
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

interface Pacote {
  extract(spec: string, folder: string, options: { cache: string }): Promise<unknown>;
}

/** What npm unpacks from an archive, by path; undefined if it finds no package in it. */
export async function npmTree(archive: Uint8Array, folder: string): Promise<Map<string, string> | undefined> {
  const program = Bun.which("npm");
  if (program === null) throw new Error("npm is needed to compare its reader with Hugo's");
  const pacote: Pacote = createRequire(realpathSync(program))("pacote");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "archive.tgz"), archive);
  const out = join(folder, "npm");
  try {
    await pacote.extract(`file:${join(folder, "archive.tgz")}`, out, { cache: join(folder, "cache") });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // It has no package.json, or the archive is damaged.
    if (["ENOENT", "EJSONPARSE", "TAR_BAD_ARCHIVE", "TAR_ABORT"].includes(code) || code.startsWith("Z_"))
      return undefined;
    throw error;
  }
  return filesBelow(out);
}

function filesBelow(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}
