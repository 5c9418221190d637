// Git repositories that tests can change while a client uses them: commits, tags, branches, forced and deleted heads.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type GitDaemon, gitDaemon } from "./git/daemon.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface GitRepoOptions {
  /** The folder is called `<name>.git`; `repo` if not said. */
  name?: string;
  /** The first commit on `main`, tagged if `tag` is given. */
  files?: Readonly<Record<string, GitFile>>;
  tag?: string;
}

export interface TagOptions {
  /** What it points at; `main` if not said. */
  at?: string;
  /** An annotated tag with this message. */
  message?: string;
}

export interface GitRepo extends AsyncDisposable {
  /** The bare repository. */
  readonly dir: string;
  /** `file:///…/name.git`, for git itself. */
  readonly url: string;
  /** `git+file:///…/name.git`, for package managers; add `#tag`. */
  readonly packageUrl: string;
  /** What git needs in its environment to read no configuration of the user's. */
  readonly env: Readonly<Record<string, string>>;
  /** Adds a commit to a branch (`main`), creating the branch if needed, and gives its hash. */
  commit(commit: Partial<CommitToMake> & { files: CommitToMake["files"] }): Promise<string>;
  /** Makes a tag, or moves it. */
  tag(name: string, options?: TagOptions): Promise<string>;
  /** Makes a branch, or moves its head, be it forward or not. */
  branch(name: string, at: string): Promise<string>;
  deleteTag(name: string): Promise<void>;
  deleteBranch(name: string): Promise<void>;
  /** Full ref name → hash; an annotated tag counts as the commit it names. */
  refs(): Promise<Record<string, string>>;
  /** Any other git command, run in the bare repository. */
  git(...args: string[]): Promise<string>;
  /** Serves the repository over `git://` on loopback, until disposed or until the repository is. */
  serve(): Promise<GitDaemon>;
}

export async function gitRepo(options: GitRepoOptions = {}): Promise<GitRepo> {
  const folder = await temporaryFolder("git-repo-");
  const dir = join(folder.path, `${options.name ?? "repo"}.git`);
  const daemons: GitDaemon[] = [];
  // One minute between writes, so equal histories have equal hashes.
  let seconds = Date.UTC(2024, 0, 1) / 1000;

  const isolated = isolatedGitEnvironment(folder.path);
  const git = (...args: string[]) => {
    const date = `${seconds} +0000`;
    return runGit(args, { cwd: dir, env: { ...isolated, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } });
  };
  const point = async (ref: string, at: string) => {
    await git("update-ref", ref, await git("rev-parse", "--verify", `${at}^{commit}`));
    return await git("rev-parse", ref);
  };
  const repo: GitRepo = {
    dir,
    url: pathToFileURL(dir).href,
    packageUrl: `git+${pathToFileURL(dir).href}`,
    env: isolated,
    git,
    async commit({ branch = "main", message = "change", files }) {
      seconds += 60;
      return await fastImport({ branch, message, files }, { cwd: dir, env: isolated, seconds });
    },
    async tag(name, { at = "main", message } = {}) {
      seconds += 60;
      if (message === undefined) return await point(`refs/tags/${name}`, at);
      await git("tag", "--force", "--annotate", "--message", message, name, `${at}^{commit}`);
      return await git("rev-parse", `refs/tags/${name}^{commit}`);
    },
    branch: (name, at) => point(`refs/heads/${name}`, at),
    deleteTag: async (name) => void (await git("update-ref", "-d", `refs/tags/${name}`)),
    deleteBranch: async (name) => void (await git("update-ref", "-d", `refs/heads/${name}`)),
    async refs() {
      const lines = await git(
        "for-each-ref",
        "--format=%(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)",
      );
      return Object.fromEntries(
        lines
          .split("\n")
          .filter(Boolean)
          .map((line) => line.split(" ") as [string, string]),
      );
    },
    async serve() {
      const daemon = await gitDaemon({ dir, env: isolated });
      daemons.push(daemon);
      return daemon;
    },
    async [Symbol.asyncDispose]() {
      for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  try {
    await runGit(["init", "--quiet", "--bare", "--initial-branch=main", repo.dir], { cwd: folder.path, env: repo.env });
    if (options.files) await repo.commit({ files: options.files, message: "first" });
    if (options.tag) await repo.tag(options.tag);
    return repo;
  } catch (error) {
    await repo[Symbol.asyncDispose]();
    throw error;
  }
}

/** No configuration of this machine, no prompts, and the same author in every commit. */
export function isolatedGitEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "Tester",
    GIT_AUTHOR_EMAIL: "tester@example.test",
    GIT_COMMITTER_NAME: "Tester",
    GIT_COMMITTER_EMAIL: "tester@example.test",
  };
}

export interface GitOptions {
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  input?: Uint8Array;
}

/** Runs a git command that must succeed and gives its output without the last line break. */
export async function runGit(
  args: readonly string[],
  { cwd, env, input = new Uint8Array() }: GitOptions,
): Promise<string> {
  const child = spawn("git", args, { cwd, env: { ...env }, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  // A git that ends without reading its input breaks the pipe; its exit code says what happened.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`git ${args.join(" ")} (in ${cwd}) ended with ${code}:\n${output.stderr}`);
  return output.stdout.replace(/\n$/, "");
}

// Commits through `git fast-import`: one process a commit, no work tree and no index to keep in step.
/** Text or bytes of a file; with a mode; a link; or null for "deleted". */
export type GitFile =
  | string
  | Uint8Array
  | { content: string | Uint8Array; mode: "100644" | "100755" }
  | { symlink: string }
  | null;

export interface CommitToMake {
  branch: string;
  message: string;
  /** Changes against the branch's head. */
  files: Readonly<Record<string, GitFile>>;
}

interface Where {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Author and committer date. */
  seconds: number;
}

export async function fastImport(commit: CommitToMake, { cwd, env, seconds }: Where): Promise<string> {
  const ref = `refs/heads/${commit.branch}`;
  const parent = await runGit(["for-each-ref", "--format=%(objectname)", ref], { cwd, env });
  const input = Buffer.concat([
    Buffer.from(`commit ${ref}\n`),
    Buffer.from(`committer ${env.GIT_COMMITTER_NAME} <${env.GIT_COMMITTER_EMAIL}> ${seconds} +0000\n`),
    dataBlock(commit.message),
    Buffer.from(parent === "" ? "" : `from ${parent}\n`),
    ...Object.entries(commit.files).map(([path, file]) => {
      // A JSON string is a valid C-style quoted path, for spaces and line breaks in names.
      const name = JSON.stringify(path);
      if (file === null) return Buffer.from(`D ${name}\n`);
      let blob: { mode: string; content: string | Uint8Array };
      if (typeof file === "string" || file instanceof Uint8Array) blob = { mode: "100644", content: file };
      else if ("symlink" in file) blob = { mode: "120000", content: file.symlink };
      else blob = file;
      return Buffer.concat([Buffer.from(`M ${blob.mode} inline ${name}\n`), dataBlock(blob.content)]);
    }),
  ]);
  await runGit(["fast-import", "--quiet", "--date-format=raw"], { cwd, env, input });
  return await runGit(["rev-parse", ref], { cwd, env });
}

function dataBlock(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}
