import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { listFiles } from "../entities/discover.ts";
import { parseFrontmatter } from "../entities/frontmatter/parse.ts";
import { recoverLikeOpenCode } from "../entities/frontmatter/recover.ts";
import { readTextFile } from "../entities/read-file.ts";
import type { OpencodeConfig, PluginContext } from "./opencode-config.ts";

/** The names of all skills that OpenCode finds without the workflow's. */
export function findUserSkills(
  context: Pick<PluginContext, "directory" | "worktree">,
  config: OpencodeConfig,
): Set<string> {
  const files = skillFolders(context, config).flatMap((folder) => listFiles(folder, { pattern: "**/SKILL.md" }).files);
  return new Set([...new Set(files.map(({ path }) => path))].flatMap((path) => nameIn(path) ?? []));
}

function skillFolders({ directory, worktree }: Pick<PluginContext, "directory" | "worktree">, config: OpencodeConfig) {
  const home = homedir();
  const above = foldersUp(directory, worktree);
  const configs = [
    join(process.env.XDG_CONFIG_HOME ?? join(home, ".config"), "opencode"),
    ...[...above, home].map((folder) => join(folder, ".opencode")),
    ...(process.env.OPENCODE_CONFIG_DIR === undefined ? [] : [process.env.OPENCODE_CONFIG_DIR]),
  ];
  const others = [...above, home].flatMap((folder) => [join(folder, ".claude"), join(folder, ".agents")]);
  const paths = (config.skills?.paths ?? []).map((path) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : path;
    return isAbsolute(full) ? full : join(directory, full);
  });
  return [
    ...configs.flatMap((folder) => [join(folder, "skills"), join(folder, "skill")]),
    ...others.map((folder) => join(folder, "skills")),
    ...paths,
  ];
}

/** From a folder up to the top of the project; in no repository OpenCode says `/` is the top. */
function foldersUp(from: string, top: string): string[] {
  const folders = [from];
  for (let folder = from; folder !== top && dirname(folder) !== folder; folder = dirname(folder)) {
    folders.push(dirname(folder));
  }
  return folders;
}

function nameIn(path: string): string | undefined {
  const file = readTextFile(path);
  if (file.kind === "unreadable") return undefined;
  const { name } = parseFrontmatter(file.text, { recover: recoverLikeOpenCode }).values;
  return typeof name === "string" ? name : undefined;
}
