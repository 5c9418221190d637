import { readFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "./commands.ts";
import { publicPackages } from "./packages.ts";
import type { RepositoryState } from "./plan-release.ts";
import { repositoryAddress } from "./repository.ts";

export async function readRepositoryState(root: string): Promise<RepositoryState> {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const lines = async (...args: string[]): Promise<string[]> =>
    (await git(args, { cwd: root })).split("\n").filter(Boolean);
  const manifests = await lines("ls-files", "package.json", "*/package.json");
  const versions = new Set(publicPackages(root).map(({ manifest }) => manifest.version));
  const [currentVersion = ""] = versions;
  if (versions.size > 1) throw new Error(`The packages have different versions: ${[...versions].join(", ")}.`);
  return {
    currentVersion,
    branch: (await lines("rev-parse", "--abbrev-ref", "HEAD"))[0] ?? "",
    changedFiles: (await lines("status", "--porcelain")).map((line) => line.slice(3)),
    tags: await lines("tag", "--list"),
    changelog: read("CHANGELOG.md"),
    manifests: Object.fromEntries(manifests.map((path) => [path, read(path)])),
    hasAuthor: await git(["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"], { cwd: root }).then(
      () => true,
      // All that it can fail for.
      () => false,
    ),
    hasPlaceholderRepository: repositoryAddress(JSON.parse(read("package.json"))).isPlaceholder,
    readme: read("README.md"),
    today: new Date().toISOString().slice(0, 10),
  };
}
