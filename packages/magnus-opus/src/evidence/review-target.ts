// What a review is about: paths in the project, changes between commits, or the uncommitted changes.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { didYouMean } from "@atomic/terminal/suggest";
import { realPath, sessionsFolder, type Workplace } from "../sessions/workplace.ts";

const run = promisify(execFile);

export type ReviewTarget =
  /** In words, with the command that shows it. */
  { readonly about: string } | { readonly problem: string };

export async function reviewTarget(words: string, workplace: Workplace): Promise<ReviewTarget> {
  const { directory, worktree } = workplace;
  if (words === "" || (words === "diff" && !existsSync(resolve(directory, words)))) return await uncommitted(worktree);
  // A path may contain spaces; otherwise each word is a path of its own.
  const isPath = (path: string): boolean => existsSync(resolve(directory, path));
  const parts = isPath(words)
    ? [words]
    : (words.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
  if (parts.every(isPath)) {
    const inside = parts.map((path) => relative(worktree, realPath(path, directory)).replaceAll("\\", "/"));
    const stray = parts.find((_, at) => /^\.\.(\/|$)/.test(inside[at]!) || isAbsolute(inside[at]!));
    if (stray !== undefined) return { problem: `${JSON.stringify(stray)} is outside the project.` };
    return { about: inside.map((path) => (path === "" ? "the whole project" : `\`${path}\``)).join(", ") };
  }
  const [range = "", ...others] = parts;
  const ends = range.split(/\.{2,3}/);
  const isRange = others.length === 0 && ends.length <= 2 && !range.startsWith("-") && !range.includes("`");
  if (isRange && (await Promise.all(ends.map((end) => isCommit(worktree, end || "HEAD")))).every(Boolean)) {
    const changed = await git(worktree, ["diff", "--no-ext-diff", "--name-only", "-z", range, "--"]);
    const name = ends.length === 1 ? `the changes since \`${range}\`` : `the changes in \`${range}\``;
    return changed === undefined || changed === ""
      ? { problem: `There are no changes ${ends.length === 1 ? "since" : "in"} ${range}.` }
      : { about: `${name} (\`git diff ${range}\`)` };
  }
  const unknown = parts.find((part) => !isPath(part)) ?? words;
  const tracked = (await git(worktree, ["ls-files", "-z"]))?.split("\0").filter((path) => path !== "") ?? [];
  const [best] = didYouMean(unknown, tracked);
  const hint =
    best === undefined
      ? "Name a file, a folder or a range such as main..HEAD, or nothing for the uncommitted changes."
      : `Did you mean ${best}?`;
  return { problem: `There is no file, folder or range of commits ${JSON.stringify(unknown.slice(0, 200))}. ${hint}` };
}

async function uncommitted(worktree: string): Promise<ReviewTarget> {
  const status = await git(worktree, ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]);
  if (status === undefined)
    return { problem: "This project is not in a git repository, so nothing is uncommitted. Name a file or a folder." };
  const paths = status.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
  const isOurs = (path: string): boolean => `/${path}`.includes(`/${sessionsFolder}/`);
  if (paths.every(isOurs))
    return { problem: "There are no uncommitted changes. Name a file, a folder or a range such as main..HEAD." };
  const hasCommit = await isCommit(worktree, "HEAD");
  return { about: `the uncommitted changes (\`git status\`${hasCommit ? " and `git diff HEAD`" : ""})` };
}

async function isCommit(worktree: string, name: string): Promise<boolean> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  return (await git(worktree, args)) !== undefined;
}

/** What git prints; undefined if it fails, which it does outside a repository, or if there is no git. */
async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  // The repository's own settings must not name a program that git runs.
  const safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  try {
    return (await run("git", [...safe, ...args], { cwd, maxBuffer: 256 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === "number" || code === "ENOENT") return undefined;
    throw error;
  }
}
